import type {
  Area,
  Checkpoint,
  DateSystem,
  Edit,
  EditOutcome,
  FormulaWarning,
  LocaleId,
  Refusal,
  Snapshot,
  WorkbookData,
} from '@cellwire/engine';
import type { MaybePromise } from '@cellwire/event-loop';
import type { Statement } from '@cellwire/store';
import type { NewAuditEntry } from '@cellwire/store/audit';
import type { StoredOperation } from '@cellwire/store/stored-forms';
import type { CalculationLimits } from './calculation/context.ts';
import type { StoringCollector } from './new-chunks/chunk-collector.ts';
import type { NewState } from './new-state.ts';
import type { WriteWeight } from './pipeline/write-admission.ts';
import type { BlockToRead, Preview, PreviewRequest, TestedRows, ValueForm } from './preview.ts';
import type { RecentCommits } from './recent-commits.ts';
import type { SharingInputs, StateViewer } from './rights.ts';
import type { SheetEntry } from './sheet-entry.ts';
import type { UndoPlan, UndoPlanRequest } from './undo/types.ts';

export type { SheetEntry };

/** The documents of this installation as live objects: snapshots for reads, and a single entry point for writes. */
export interface Documents {
  /**
   * Opens a document. Null if there is no such document. Cheap if it is open already. `user`: the user who pays for it;
   * the service by default. Rejects with the `StoreError` `OVERLOADED` if too many tasks of the user wait for a thread.
   */
  open(id: string, user?: number | null): MaybePromise<OpenDocument | null>;
  /** True if the document is open. */
  isOpen(id: string): boolean;
  /**
   * The newest state for a reader of some areas. If a large document is not open, the state has only the chunks of these
   * areas (reading other cells throws), and the document is opened in the background. Null if there is no such document.
   */
  readAreas(id: string, user: number | null, listAreas: AreaLister): MaybePromise<DocumentReading | null>;
  /**
   * True if a full scan should stream chunks instead of loading the document: it is large and not open
   * (`readStreamedState`).
   */
  shouldStream(id: string): Promise<boolean>;
  /** Creates a document. It becomes visible to all when this resolves, and not before. */
  create(document: NewDocument): Promise<CreateOutcome>;
  /** Starts to collect the chunks of a new document whose file is read in this thread. */
  startUpload(): StoringCollector;
  /**
   * The state after a commit, given by its random id. Null if the data for it is no longer retained. For a viewer,
   * formulas whose writers may no longer see what they read are recalculated, with everything that depends on them.
   */
  readPastState(id: string, revision: number, commit: string, reader: PastReader): Promise<Snapshot | null>;
  /**
   * Plans the undo of a revision. Null if the data for it is no longer retained. `user`: the user who pays for the
   * planning.
   */
  planUndo(id: string, question: UndoPlanRequest, user: number | null): Promise<UndoPlan | null>;
  /** Encodes a state to its stored form. */
  encodeCheckpoint(snapshot: Snapshot, user: number | null): Promise<Checkpoint>;
  /** Removes a document and all its rows. */
  remove(id: string, statements?: RemovalStatements): Promise<RemovalOutcome>;
  /** Moves a document to the trash. */
  moveToTrash(id: string, statements?: RemovalStatements): Promise<RemovalOutcome>;
  /** Permanently deletes a document in the trash. */
  purge(id: string, statements?: RemovalStatements): Promise<RemovalOutcome>;
  /** Current numbers of documents, memory and waiting tasks. */
  collectMetrics(): DocumentSetMetrics;
  /** Waits for running writes, and saves checkpoints so that the next opening is fast. */
  close(): Promise<void>;
}

/** The reader of a state of the past. */
export interface PastReader {
  /** The user who pays for the work; null: the service. */
  readonly user: number | null;
  /** Null: the state is read as it was at that time. */
  readonly viewer: StateViewer | null;
}

/**
 * Returns the areas that a reader of a state needs. It may be called repeatedly, and may itself read cells, for example
 * to find the end of a sheet.
 */
export type AreaLister = (snapshot: Snapshot) => readonly SheetArea[];

export interface SheetArea {
  readonly sheet: number;
  readonly area: Area;
}

export interface DocumentSetMetrics {
  /** Number of open documents. */
  readonly open: number;
  /** Estimated memory of all open documents, in bytes. */
  readonly bytes: number;
  /** Number of writes waiting for their document's turn. */
  readonly waiting: number;
  /** Number of tasks waiting for a thread. */
  readonly waitingForThread: number;
  /** Formula graphs built: one for each document that is written to, as long as the graph is held. */
  readonly graphsBuilt: number;
}

export interface OpenDocument {
  readonly id: string;
  /**
   * The state at the latest revision in the store, no matter which process wrote it. If the document uses `TODAY` or
   * `NOW`, the first call of a new day (in its zone) recalculates first. Rejects with the `StoreError` `OVERLOADED` if
   * too many readers wait for that, or it takes too long. Null if the document was removed.
   */
  readSnapshot(): MaybePromise<Snapshot | null>;
  /** Like `snapshot`, with the commit that made the state. */
  readLatest(): MaybePromise<DocumentReading | null>;
  /**
   * Applies the proposal on top of everything written before. Resolves when it is durable. `propose` and its `finish`
   * must have no side effects: they run again if another process commits first.
   */
  write<Reply, Reason>(propose: Proposer<Reply, Reason>, weight?: WriteWeight): Promise<WriteOutcome<Reply, Reason>>;
  /** Opens a working copy of a state of the document. `writer`: the user who edits and pays. */
  openWorkingCopy(base: Snapshot, writer: number): WorkingCopy;
}

/**
 * A state of a document with edits that are not committed. Edits are calculated as a commit would calculate them: with
 * the rights of their writer, and in a thread if they take long.
 */
export interface WorkingCopy {
  /**
   * Applies edits to the state. They are refused if the copy has calculated for `MAX_WORKING_COPY_MS` in total.
   * `unfinished`: no thread was available.
   */
  apply(edits: readonly Edit[]): MaybePromise<Snapshot | Refusal | { readonly kind: 'unfinished' }>;
  /** Frees the memory that the copy holds here and in a thread. Call it when no calculation is running. */
  discard(): void;
}

/** A document at one commit, as readers see it. */
export interface DocumentReading {
  readonly snapshot: Snapshot;
  /** Names the commit: a random id that is unique among all copies of the data. */
  readonly head: string;
  /** Areas touched by the last commits, including this one. */
  readonly recent: RecentCommits;
}

/** Input of a proposal: plain data about the state to which it will be applied, in any thread. */
export interface ProposalHead {
  readonly revision: number;
  /** Random name of the commit; see `DocumentReading`. */
  readonly head: string;
  readonly recent: RecentCommits;
  /** Sheets in document order. */
  readonly sheets: readonly SheetEntry[];
  /** The id of the next new sheet. */
  readonly nextSheetId: number;
  /** The state itself, for proposals that depend on cells. */
  readonly snapshot: Snapshot;
}

export type Proposer<Reply, Reason> = (
  head: ProposalHead,
) => CommitProposal<Reply> | DryRunProposal<Reason> | DeclinedProposal<Reason> | PostponedProposal;

/**
 * The proposer cannot decide before it has read the log up to the head. It keeps its turn, so that no write overtakes it.
 */
export interface PostponedProposal {
  readonly kind: 'postponed';
  readonly readLog: () => Promise<void>;
}

/** The edits to write, and the user who writes them. */
export interface CommitProposal<Reply> {
  readonly kind: 'proposal';
  readonly edits: readonly Edit[];
  readonly author: CommitAuthor;
  /** Operations to publish instead of the operations derived from the edits' changes of sheets. */
  readonly structure?: readonly StoredOperation[];
  /**
   * Sharing from this commit on, if the commit changes it. The guard in `finish` must check the epoch from which it was
   * derived.
   */
  readonly sharing?: SharingInputs;
  /**
   * The access epoch of the sender's rights, which the commit's guard checks. Absent: the commit depends on no user's
   * rights.
   */
  readonly epoch?: number;
  /**
   * Returns the access epoch at which the sender still has exactly these rights; null: they have changed. Used together
   * with `epoch`.
   */
  readonly renewEpoch?: () => Promise<number | null>;
  /** If aborted before the commit is sent, nothing is written. */
  readonly cancel?: { readonly signal: AbortSignal; readonly reason: unknown };
  /** The budget of its recalculation, if it differs from the usual one. */
  readonly limits?: CalculationLimits;
  readonly finish: (done: BatchResult, commit: CommitStamp) => ProposalResult<Reply>;
}

/** A dry run: nothing is written, and `show` makes the outcome from what the edits would change. */
export interface DryRunProposal<Reason> {
  readonly kind: 'trial';
  readonly edits: readonly Edit[];
  readonly author: CommitAuthor;
  /** The rows to test instead of listing changes; absent: none. */
  readonly tested?: TestedRows;
  /** The block to read instead of listing changes; absent: none. */
  readonly read?: BlockToRead;
  /** Form of the changed cells' values; absent: `cells`. */
  readonly form?: ValueForm;
  /** See `PreviewRequest`; absent: null. */
  readonly details?: PreviewRequest['details'];
  readonly window?: PreviewRequest['window'];
  readonly show: (preview: Preview) => Reason;
}

/** What the edits did, as plain data: the only source of the reply and the audit log. */
export interface BatchResult {
  /** One outcome for each edit. */
  readonly outcomes: readonly EditOutcome[];
  /** Formulas that certainly contain a mistake. */
  readonly warnings: readonly FormulaWarning[];
  /** Entries of the sheets before and after, in document order. */
  readonly before: readonly SheetEntry[];
  readonly after: readonly SheetEntry[];
}

/** The proposal's own refusal after it saw the head. It is returned as the outcome. */
export interface DeclinedProposal<Reason> {
  readonly kind: 'declined';
  readonly reason: Reason;
}

/**
 * Origins of commits without user changes: formulas were recalculated because a new day began (`clock`) or because a
 * user's rights changed (`access`). They are in the log, but cause no notification.
 */
export const RECALCULATIONS: ReadonlySet<string> = new Set(['clock', 'access']);

/** The author of a commit, as stored in the log. */
export interface CommitAuthor {
  /** Owner of the formulas that the commit enters; null: the document's owner. */
  readonly userId: number | null;
  /** `api`, `agent`, `import`, `browser`, `operator`, or one of `RECALCULATIONS`. */
  readonly origin: string;
  readonly tokenId: number | null;
  readonly tokenName: string | null;
  /** Id of the request; absent or null: no request wrote it. */
  readonly requestId?: string | null;
}

export interface CommitStamp {
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. Never earlier than the previous commit. Formulas saw the unadjusted clock. */
  readonly at: number;
}

/** The reply, and statements for the commit's transaction. */
export interface ProposalResult<Reply> {
  readonly reply: Reply;
  /** Audit log entries of the commit; absent: none. */
  readonly audited?: readonly NewAuditEntry[];
  /** The stored reply and similar statements. */
  readonly statements: readonly Statement[];
}

export type WriteOutcome<Reply, Reason> =
  | { readonly kind: 'written'; readonly reply: Reply; readonly commit: CommitStamp }
  | DeclinedProposal<Reason>
  | Refusal
  /** A guard in the statements of `finish` failed; nothing was written. */
  | { readonly kind: 'conflict'; readonly conflict: string }
  /** Too many writes wait; nothing was written. */
  | { readonly kind: 'busy' }
  /** The document was removed. */
  | { readonly kind: 'removed' };

export interface NewDocument {
  readonly ownerId: number;
  readonly title: string;
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  /** Locale for parsing entered text; null: the API's grammar. */
  readonly inputLocale?: string | null;
  readonly content: NewContent;
  /**
   * Added to the transaction that makes the document visible. If one of its guards fails, the document is not created.
   */
  readonly extraStatements?: (draft: DocumentDraft) => readonly Statement[];
}

/** A document that is about to be created. */
export interface DocumentDraft {
  readonly id: string;
  readonly state: NewState;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

/** Statements for the transaction that ends a document's existence. */
export interface RemovalStatements {
  /** Statements that run while the document still exists. */
  readonly before?: readonly Statement[];
  readonly after?: readonly Statement[];
}

/** `conflict`: a guard of the unit failed, and the document still exists. */
export type RemovalOutcome =
  | { readonly kind: 'removed' | 'absent' }
  | { readonly kind: 'conflict'; readonly conflict: string };

export type NewContent =
  /** One empty sheet. Without a name it gets the locale's default. */
  | {
      readonly kind: 'empty';
      readonly locale: LocaleId;
      readonly dateSystem: DateSystem;
      readonly timeZone: string;
      readonly firstSheet?: string;
    }
  | { readonly kind: 'state'; readonly state: NewState; readonly parts?: readonly FilePart[] }
  /** Data from which the first state is calculated before the document is stored. */
  | { readonly kind: 'data'; readonly data: WorkbookData; readonly parts?: readonly FilePart[] };

/** A part of a file that exports write unchanged. */
export interface FilePart {
  readonly name: string;
  /** Its content type. */
  readonly type: string;
  /** Its relationships to other parts, as JSON. */
  readonly relationships: string;
  /** Compressed. */
  readonly bytes: Uint8Array;
}

export type CreateOutcome =
  | { readonly kind: 'created'; readonly id: string; readonly state: NewState }
  | Refusal
  /** A guard of `extraStatements` failed: no document was created. */
  | { readonly kind: 'conflict'; readonly conflict: string };
