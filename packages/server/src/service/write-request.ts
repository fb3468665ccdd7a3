import type { Block, Edit, EditOutcome } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import type { StoredOperation } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../access/access.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import type { Preview, ValueForm } from '../documents/preview.ts';
import type { TargetRange } from '../documents/recent-commits.ts';
import type { BatchResult, CommitAuthor, CommitStamp, ProposalHead } from '../documents/types.ts';
import type { CommitConflict } from './commit-loop.ts';
import type { Expectation } from './expectations.ts';
import type { AuditNote } from './history/audit-log.ts';
import type { KeyedRequest } from './idempotency.ts';
import type { Preconditions } from './preconditions.ts';
import type { ProposalContent, ProposedOperation } from './proposals/content.ts';
import type { CellsToWatch } from './proposals/watched-cells.ts';
import type { Refusal } from './refusal.ts';

/** The write of one caller to one document. */
export interface WriteRequest {
  readonly access: DocumentAccess;
  /** Null: without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
  /** Conditions from the `If-Match` header; null: none. */
  readonly preconditions: Preconditions | null;
  /** The revision that the document must have; null if every revision is accepted. */
  readonly ifRevision: number | null;
  /** Values that cells must hold. */
  readonly expected: readonly Expectation[];
  /** The revision of the request's addresses; absent: the state that the write is applied to. */
  readonly addressBase?: AddressBase;
  /** Nothing is written, kept or recorded; the response previews the result. */
  readonly dryRun?: boolean;
  /** Size of the request's body. */
  readonly bodyBytes: number;
  /** Decides `access` again, with the rights at the time of the call. */
  readonly reauthorize: () => Promise<DocumentAccess | AccessRefusal>;
  /** The write is stored as a proposal, or as the new preview of one. Absent or null: it is written. */
  readonly propose?: ProposeRequest | null;
  /** The write applies a proposal or a confirmed preview; absent or null: neither. */
  readonly apply?: ProposalToApply | null;
  /** After it aborts, nothing is written. */
  readonly signal?: AbortSignal | null;
}

/** A write that waits for approval. */
export interface ProposeRequest {
  readonly title: string | null;
  readonly note: string | null;
  readonly operation: ProposedOperation;
  /** The proposal whose preview is renewed; null: the proposal is new. */
  readonly rebased: RebasedProposal | null;
  /** Receives the preview; then nothing is stored. Absent: the proposal is stored. */
  readonly onPreview?: (previewed: PreviewedWrite, content: ProposalContent) => void;
  /** Form of the values in the preview; absent: the form of the write's dry runs. */
  readonly form?: ValueForm;
}

/** A proposal that gets a new preview. */
interface RebasedProposal {
  readonly id: string;
  readonly version: number;
  /**
   * True if the proposal requires a revision of the document (`hasRevision`) or an unchanged range (`hasMatch`); the
   * new preview renews both.
   */
  readonly hasRevision: boolean;
  readonly hasMatch: boolean;
}

/** A proposal that is being applied. */
export interface ProposalToApply {
  /** The author of the new revision. */
  readonly author: CommitAuthor;
  /** Checks the state that the proposal is applied to, before all other checks. */
  readonly check: (head: ProposalHead) => Refusal | CommitConflict | null;
  readonly describe: (described: WriteDescription, done: BatchResult, commit: CommitStamp) => WriteDescription;
}

/** The preview of a write that waits for approval, on one state of the document. */
export interface PreviewedWrite {
  readonly kind: 'previewed';
  readonly head: ProposalHead;
  readonly proposed: WriteProposal;
  readonly preview: Preview;
}

/** The revision that the addresses of a request refer to. */
export interface AddressBase {
  /** Revision of the base. All cells of the write must still be in the same places as at this revision. */
  readonly revision: number;
  /** Cells that no later commit may have written; null if later commits may have written all cells. */
  readonly cells: readonly Block[] | null;
  /** True if the write leaves cells unchanged that a later commit wrote; else it is prepared again. */
  readonly keepsWritten: boolean;
  /** Cells that commits up to `revision` wrote after the write was prepared; it leaves them unchanged. */
  readonly written: readonly Block[];
  /** The same base at the revision of a head, from the log. Null: the write must be prepared again. */
  readonly followTo: (head: ProposalHead) => Promise<AddressBase | null>;
}

/** Proposes a use case's edits for a state of the document, with the rights that the commit checks. */
export type ProposeWrite = (head: ProposalHead, access: DocumentAccess) => WriteProposal | Refusal | CommitConflict;

/** The edits of a use case for one state of the document. */
export interface WriteProposal {
  readonly edits: readonly Edit[];
  /** The range that preconditions refer to; absent: the whole document. */
  readonly target?: TargetRange;
  readonly describe: (done: BatchResult, commit: CommitStamp) => WriteDescription;
  /** See `DryRunProposal`. */
  readonly form?: ValueForm;
  /**
   * The response to a dry run, as if it created this revision; absent: the response of `describe`, at the current
   * revision.
   */
  readonly preview?: (revision: number, outcomes: readonly EditOutcome[]) => Readonly<Record<string, unknown>>;
  /** Path of each edit in the request, such as `operations.3`; absent: problems are reported without a path. */
  readonly places?: readonly string[];
  /** See `Proposal`. */
  readonly structure?: readonly StoredOperation[];
  /** Cells that determine where the write goes, in addition to the cells that it writes. */
  readonly decidedBy?: readonly CellsToWatch[];
  /** Later changes are applied to the stored operation itself; its edits are valid for this state only. */
  readonly followsChanges?: boolean;
}

export interface WriteDescription {
  /** The reply's body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly notes: readonly AuditNote[];
  /** Further statements of the commit's transaction. */
  readonly extraStatements?: readonly Statement[];
}
