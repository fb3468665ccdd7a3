import type {
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
import type { NewState } from './new-state.ts';
import type { WriteWeight } from './pipeline/waiting-room.ts';
import type { BlockToRead, Preview, PreviewQuestion, TestedRows, ValueForm } from './preview.ts';
import type { RecentCommits } from './recent-commits.ts';
import type { Onlooker, Sharing } from './rights.ts';
import type { SheetEntry } from './sheet-entry.ts';
import type { UndoPlan, UndoQuestion } from './undo/types.ts';

export type { SheetEntry };

/** The documents of this installation as live objects: snapshots to read, one door to write. */
export interface Documents {
  /**
   * Null if there is no such document. Cheap if it is open already. `user`: whose work it is to open it; the
   * service's unless given. Rejects with the `StoreError` `OVERLOADED` if too many tasks of the user wait for a thread.
   */
  open(id: string, user?: number | null): MaybePromise<OpenDocument | null>;
  /** Whether who goes through all cells once, from above, had better not open it: it is large, and not open (`readPassing`). */
  isPassing(id: string): Promise<boolean>;
  /** Makes a document; it exists for everyone when this resolves, and not at all before. */
  create(document: NewDocument): Promise<Created>;
  /**
   * The state that a commit (by its random id) made; null where nothing leads there any more. For an onlooker, formulas
   * whose writers may not see by now what they read are calculated anew, and what depends on them.
   */
  past(id: string, revision: number, commit: string, reader: PastReader): Promise<Snapshot | null>;
  /** How a revision is taken back; null if what takes it back is not kept. `user`: whose work it is to find out. */
  undoPlan(id: string, question: UndoQuestion, user: number | null): Promise<UndoPlan | null>;
  /** A state in its stored form. */
  stored(snapshot: Snapshot, user: number | null): Promise<Checkpoint>;
  /** Removes a document and every row of it. */
  remove(id: string, around?: Removal): Promise<Removed>;
  /** Moves a document into the bin. */
  trash(id: string, around?: Removal): Promise<Removed>;
  /** Deletes a document of the bin for good. */
  purge(id: string, around?: Removal): Promise<Removed>;
  /** What is held in memory at this moment. */
  figures(): DocumentFigures;
  /** Lets writes under way finish and saves what makes the next opening fast. */
  close(): Promise<void>;
}

/** The reader of a state of the past. */
export interface PastReader {
  /** The user whose work it is; null: the service's. */
  readonly user: number | null;
  /** Null: the state is read as it was then. */
  readonly onlooker: Onlooker | null;
}

export interface DocumentFigures {
  /** Documents that are open. */
  readonly open: number;
  /** Estimated memory of all of them, in bytes. */
  readonly bytes: number;
  /** Writes that wait for their document's turn. */
  readonly waiting: number;
  /** Tasks that wait for a thread. */
  readonly waitingForThread: number;
  /** Formula graphs that were built: once a document that is written to, as long as it is held. */
  readonly graphsBuilt: number;
}

export interface OpenDocument {
  readonly id: string;
  /**
   * The state at the latest revision in the store, whoever wrote it. With `TODAY` or `NOW` in the document the first
   * call of a new day (in its zone) recalculates first; rejects with the `StoreError` `OVERLOADED` where too many wait
   * for that, or it takes too long. Null when the document has been removed.
   */
  snapshot(): MaybePromise<Snapshot | null>;
  /** The same with the commit that made it. */
  latest(): MaybePromise<Reading | null>;
  /**
   * Applies what `propose` asks for, on top of everything written before. Resolves when it is on the disk. `propose` and its
   * `finish` must be free of effects: they run again when another process was faster.
   */
  write<Reply, Reason>(propose: Proposer<Reply, Reason>, weight?: WriteWeight): Promise<WriteOutcome<Reply, Reason>>;
}

/** A document at one commit, as readers see it. */
export interface Reading {
  readonly snapshot: Snapshot;
  /** Names the commit: a random id, so that no other state of any copy of the data has it. */
  readonly head: string;
  /** What the last commits touched, this one's included. */
  readonly recent: RecentCommits;
}

/** What a proposal is made from: plain data about the state that it will be applied to, wherever that is calculated. */
export interface Head {
  readonly revision: number;
  /** Names the commit, see `Reading`. */
  readonly head: string;
  readonly recent: RecentCommits;
  /** In order. */
  readonly sheets: readonly SheetEntry[];
  /** The id of the sheet that comes next. */
  readonly nextSheetId: number;
  /** The state itself, for proposals that depend on cells. */
  readonly snapshot: Snapshot;
}

export type Proposer<Reply, Reason> = (head: Head) => Proposal<Reply> | Trial<Reason> | Declined<Reason>;

/** What to write, for whom. */
export interface Proposal<Reply> {
  readonly kind: 'proposal';
  readonly edits: readonly Edit[];
  readonly author: Author;
  /** What receivers are told of, in the place of what the edits did to sheets as such. */
  readonly structure?: readonly StoredOperation[];
  /** Who sees which sheets from this commit on, where it changes that; `finish` must hold the epoch that it was made of. */
  readonly sharing?: Sharing;
  /** The access epoch of the sender's rights, which the commit holds with; absent: nobody's allow it. */
  readonly epoch?: number;
  /** The access epoch at which the sender still has these very rights; null: they have changed. Goes with `epoch`. */
  readonly renewEpoch?: () => Promise<number | null>;
  /** Nothing is written if it is aborted before the commit is sent. */
  readonly cancel?: { readonly signal: AbortSignal; readonly reason: unknown };
  /** The budget of its recalculation, where that is not a usual write's. */
  readonly limits?: CalculationLimits;
  readonly finish: (done: Done, commit: Commit) => Finished<Reply>;
}

/** What to try out: nothing is written, and `show` makes the outcome of what the edits would change. */
export interface Trial<Reason> {
  readonly kind: 'trial';
  readonly edits: readonly Edit[];
  readonly author: Author;
  /** Looked at in the place of what changes; absent: nothing. */
  readonly tested?: TestedRows;
  /** Read in the place of what changes; absent: nothing. */
  readonly read?: BlockToRead;
  /** How cells that change are told; absent: as a read of cells has them. */
  readonly form?: ValueForm;
  /** See `PreviewQuestion`; absent: `none`. */
  readonly details?: PreviewQuestion['details'];
  readonly show: (preview: Preview) => Reason;
}

/** What the edits did, as plain data: all that a reply and the audit log are made from. */
export interface Done {
  /** One for each edit. */
  readonly outcomes: readonly EditOutcome[];
  /** Formulas that cannot be right. */
  readonly warnings: readonly FormulaWarning[];
  /** The sheets before and after, in order. */
  readonly before: readonly SheetEntry[];
  readonly after: readonly SheetEntry[];
}

/** The proposal's own refusal of the head it saw: comes back as the outcome. */
export interface Declined<Reason> {
  readonly kind: 'declined';
  readonly reason: Reason;
}

/**
 * Origins of commits in which nobody changed anything: formulas were calculated anew because a new day has come
 * (`clock`), or because somebody's rights have changed (`access`). They are in the log, and nobody is notified.
 */
export const RECALCULATIONS: ReadonlySet<string> = new Set(['clock', 'access']);

/** Who a commit is by, as the log keeps it. */
export interface Author {
  /** Whose formulas those are that it enters; null: the document's owner's. */
  readonly userId: number | null;
  /** `api`, `agent`, `import`, `browser`, `operator`, or one of `RECALCULATIONS`. */
  readonly origin: string;
  readonly tokenId: number | null;
  readonly tokenName: string | null;
  /** Of the request that wrote it; absent or null: no request did. */
  readonly requestId?: string | null;
}

export interface Commit {
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC; never before the commit before it. Formulas saw the clock as it was. */
  readonly at: number;
}

/** The reply, and what belongs in the commit's transaction. */
export interface Finished<Reply> {
  readonly reply: Reply;
  /** What the document's audit log says of the commit; absent: nothing. */
  readonly audited?: readonly NewAuditEntry[];
  /** The kept reply, and the like. */
  readonly statements: readonly Statement[];
}

export type WriteOutcome<Reply, Reason> =
  | { readonly kind: 'written'; readonly reply: Reply; readonly commit: Commit }
  | Declined<Reason>
  | Refusal
  /** A guard of one of `finish`'s statements did not hold; nothing was written. */
  | { readonly kind: 'conflict'; readonly conflict: string }
  /** Too much waits already; nothing was written. */
  | { readonly kind: 'busy' }
  /** The document has been removed. */
  | { readonly kind: 'removed' };

export interface NewDocument {
  readonly ownerId: number;
  readonly title: string;
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  /** By whose habits texts are typed into it; null: by the API's grammar. */
  readonly inputLocale?: string | null;
  readonly content: NewContent;
  /** Goes into the unit that makes the document visible; a guard in it that does not hold undoes the making. */
  readonly also?: (making: Making) => readonly Statement[];
}

/** A document that is about to exist. */
export interface Making {
  readonly id: string;
  readonly state: NewState;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

/** What goes into the unit that ends a document's existence. */
export interface Removal {
  /** While the document is there still. */
  readonly before?: readonly Statement[];
  readonly after?: readonly Statement[];
}

/** `conflict`: a guard of the unit did not hold, and the document is there still. */
export type Removed =
  | { readonly kind: 'removed' | 'absent' }
  | { readonly kind: 'conflict'; readonly conflict: string };

export type NewContent =
  /** One empty sheet; without a name the locale's default. */
  | {
      readonly kind: 'empty';
      readonly locale: LocaleId;
      readonly dateSystem: DateSystem;
      readonly timeZone: string;
      readonly firstSheet?: string;
    }
  | { readonly kind: 'state'; readonly state: NewState; readonly parts?: readonly FilePart[] }
  /** Everything is calculated before the document exists. */
  | { readonly kind: 'data'; readonly data: WorkbookData; readonly parts?: readonly FilePart[] };

/** A part of a file that its exports write as it was. */
export interface FilePart {
  readonly name: string;
  /** Its content type. */
  readonly type: string;
  /** What it leads to, as JSON. */
  readonly relationships: string;
  /** Packed. */
  readonly bytes: Uint8Array;
}

export type Created =
  | { readonly kind: 'created'; readonly id: string; readonly state: NewState }
  | Refusal
  /** A guard of `also` did not hold: there is no document. */
  | { readonly kind: 'conflict'; readonly conflict: string };
