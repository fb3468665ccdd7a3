import type { Edit, EditOutcome } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import type { StoredOperation } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../access/access.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import type { Preview, ValueForm } from '../documents/preview.ts';
import type { TargetRange } from '../documents/recent-commits.ts';
import type { Author, BatchResult, Commit, Head } from '../documents/types.ts';
import type { Undone } from './commit-loop.ts';
import type { Expectation } from './expectations.ts';
import type { AuditNote } from './history/audit-log.ts';
import type { KeyedRequest } from './idempotency.ts';
import type { Preconditions } from './preconditions.ts';
import type { ProposalContent, ProposedOperation } from './proposals/content.ts';
import type { CellsToWatch } from './proposals/watched-cells.ts';
import type { Refusal } from './refusal.ts';

/** Who writes where, and under which key. */
export interface WriteRequest {
  readonly access: DocumentAccess;
  /** Null: without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
  /** Of an `If-Match` header; null: none. */
  readonly preconditions: Preconditions | null;
  /** The revision that the document must be at; null: whichever. */
  readonly ifRevision: number | null;
  /** What cells must hold. */
  readonly expected: readonly Expectation[];
  /** What the addresses of the request stand for; absent: the state that the write comes to. */
  readonly ground?: Ground;
  /** Nothing is written, kept or recorded; the answer says what would be. */
  readonly dryRun?: boolean;
  /** Of the request's body. */
  readonly bodyBytes: number;
  /** Decides `access` once more, by the rights at the moment of the call. */
  readonly renew: () => Promise<DocumentAccess | AccessRefusal>;
  /** Nothing is written: it is stored as a proposal, or as the new preview of one. Absent or null: it is written. */
  readonly propose?: ProposeRequest | null;
  /** It applies a proposal, or what a preview showed; absent or null: neither. */
  readonly apply?: ProposalToApply | null;
  /** Nothing is written once it is aborted. */
  readonly signal?: AbortSignal | null;
}

/** A write that is to wait for consent. */
export interface ProposeRequest {
  readonly title: string | null;
  readonly note: string | null;
  readonly operation: ProposedOperation;
  /** The proposal whose preview it renews; null: it is a new one. */
  readonly rebased: RebasedProposal | null;
  /** Takes the preview, and nothing is stored; absent: it is stored. */
  readonly onPreview?: (previewed: PreviewedWrite, content: ProposalContent) => void;
}

/** A proposal that gets a new preview. */
interface RebasedProposal {
  readonly id: string;
  readonly version: number;
  /** Whether it asks for a revision of the document, and for an unchanged range: both are renewed. */
  readonly hasRevision: boolean;
  readonly hasMatch: boolean;
}

/** A proposal that is being applied. */
export interface ProposalToApply {
  /** Whose revision it becomes. */
  readonly author: Author;
  /** Looks at the state that it comes to, before anything else is. */
  readonly check: (head: Head) => Refusal | Undone | null;
  readonly describe: (described: Described, done: BatchResult, commit: Commit) => Described;
}

/** What a write that waits for consent would do, on a state of the document. */
export interface PreviewedWrite {
  readonly kind: 'previewed';
  readonly head: Head;
  readonly proposed: WriteProposal;
  readonly preview: Preview;
}

/** The revision that the addresses of a request are of. */
export interface Ground {
  readonly revision: number;
  /** Whether it must still be the newest one, and not only have its cells in the same places. */
  readonly isExact: boolean;
}

/** What a use case wants written on top of a state of the document, by the rights that hold with the commit. */
export type Proposing = (head: Head, access: DocumentAccess) => WriteProposal | Refusal | Undone;

/** What a use case wants written, once it has seen the document. */
export interface WriteProposal {
  readonly edits: readonly Edit[];
  /** The range that a precondition is about; absent: the document as a whole. */
  readonly target?: TargetRange;
  readonly describe: (done: BatchResult, commit: Commit) => Described;
  /** See `Trial`. */
  readonly form?: ValueForm;
  /** The answer to a dry run, if this were the next revision; absent: as described, at the present one. */
  readonly foretell?: (revision: number, outcomes: readonly EditOutcome[]) => Readonly<Record<string, unknown>>;
  /** Where in the request each edit stands, such as `operations.3`; absent: problems are named by themselves. */
  readonly places?: readonly string[];
  /** See `Proposal`. */
  readonly structure?: readonly StoredOperation[];
  /** Cells that decide where it writes, beside those that it writes. */
  readonly decidedBy?: readonly CellsToWatch[];
  /** The operation itself follows what is done later; its edits hold for this state alone. */
  readonly followsChanges?: boolean;
}

export interface Described {
  /** The reply's body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly notes: readonly AuditNote[];
  /** What else belongs in the commit's transaction. */
  readonly also?: readonly Statement[];
}
