import { applyDelta, type Snapshot } from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import { commitsFrom, documentHead } from '@cellwire/store/documents';
import type { DocumentsEnvironment } from './environment.ts';
import { loadDocument, sumNumbers } from './load-state.ts';
import { addCommit, toTouchedCommit } from './recent-commits.ts';
import { createDocumentState, type DocumentState, type LoadedDocument, toCommitTimes } from './state.ts';
import { decodeStoredPiece } from './stored-pieces.ts';

/** Two states and the deltas that lead from one to the other. */
export interface StateTransition {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly deltas: readonly Uint8Array[];
}

/** This process's copy of a document's durable, readable state. Follows the store, no matter which process writes. */
export class Replica {
  readonly id: string;
  private readonly environment: DocumentsEnvironment;
  private readonly onFollowed: (followed: StateTransition) => void;
  private readonly openedFor: number | null;
  private readonly headQuery: ReturnType<typeof documentHead>;
  private current: DocumentState;
  private following: Promise<boolean> | null = null;
  private ownCommits = 0;
  /** Size in bytes of the log after the checkpoint, as known to this process. */
  logBytes: number;

  /** `openedFor`: the user for whom the document was opened; null: the service. */
  constructor(
    id: string,
    loaded: LoadedDocument & { readonly openedFor: number | null },
    environment: DocumentsEnvironment,
    onFollowed: (followed: StateTransition) => void,
  ) {
    this.id = id;
    this.openedFor = loaded.openedFor;
    this.onFollowed = onFollowed;
    this.environment = environment;
    this.headQuery = documentHead({ id });
    this.current = loaded.state;
    this.logBytes = loaded.stored.logBytes;
  }

  get state(): DocumentState {
    return this.current;
  }

  /** Number of this process's commits since the last commit of another process. */
  get ownCommitsInARow(): number {
    return this.ownCommits;
  }

  /** Takes over a durable commit of this process. */
  publishState(state: DocumentState): void {
    if (state.snapshot.revision <= this.current.snapshot.revision) return;
    this.current = state;
    this.ownCommits++;
  }

  /** Records that another process has written, or may have written. */
  recordForeignWrite(): void {
    this.ownCommits = 0;
  }

  /**
   * Brings the copy at least to the commit that was the store's latest at the call. False if the document was removed.
   * `findOwnState` finds a commit that this process made and that is not yet confirmed.
   */
  followLatest(findOwnState: (head: string) => DocumentState | null): MaybePromise<boolean> {
    return mapMaybe(
      this.environment.database.readLatest(this.headQuery),
      (latest) => latest?.head === this.current.head || this.catchUp(findOwnState),
    );
  }

  /** Brings the state up to the newest commit in the store. False if the document no longer exists. */
  private async catchUp(findOwnState: (head: string) => DocumentState | null): Promise<boolean> {
    for (;;) {
      const head = await this.environment.database.readOne(this.headQuery);
      if (head === null) return false;
      if (head.head === this.current.head) return true;
      const mine = findOwnState(head.head);
      if (mine !== null) {
        this.publishState(mine);
        return true;
      }
      if (this.following === null) return this.startReplay();
      // Another caller's replay may have read the store before this call, so look again after it.
      await this.following;
    }
  }

  /** Repeats the missing commits of the log. False if the document no longer exists. */
  private startReplay(): Promise<boolean> {
    this.following = this.replayCommits().finally(() => {
      this.following = null;
    });
    return this.following;
  }

  /** Applies the missing commits. If they do not continue this copy, reads the document again. */
  private async replayCommits(): Promise<boolean> {
    const base = this.current;
    const { revision } = base.snapshot;
    const [heads, commits] = await this.environment.database.readAll([
      this.headQuery,
      commitsFrom({ id: this.id, revision }),
    ]);
    const [head] = heads;
    if (head === undefined) return false;
    const own = commits[0]?.revision === revision ? commits[0] : undefined;
    const missing = own === undefined ? commits : commits.slice(1);
    const continues =
      missing.length > 0 &&
      (own === undefined || own.head === base.head) &&
      head.revision === revision + missing.length &&
      missing.every((commit, i) => commit.revision === revision + 1 + i);
    if (!continues) return this.reloadState();
    const bytes = sumNumbers(missing.map(({ delta }) => delta.length));
    if (bytes > (this.environment.threads?.pool.inline.bytes ?? Number.POSITIVE_INFINITY)) return this.reloadState();
    const deltas = missing.map(({ delta }) => delta);
    const snapshot = decodeStoredPiece(this.id, 'a commit', () => deltas.reduce(applyDelta, base.snapshot));
    this.onFollowed({ before: base.snapshot, after: snapshot, deltas });
    const recent = missing.reduce((commits, row) => addCommit(commits, toTouchedCommit(row)), base.recent);
    this.publishState(createDocumentState(snapshot, head.head, toCommitTimes(head), recent));
    this.recordForeignWrite();
    this.logBytes += bytes;
    return true;
  }

  /** Replaces the state by the stored one. False if the document no longer exists. */
  private async reloadState(): Promise<boolean> {
    const loaded = await loadDocument(this.environment, this.id, this.openedFor);
    if (loaded === null) return false;
    this.current = loaded.state;
    this.recordForeignWrite();
    this.logBytes = loaded.stored.logBytes;
    return true;
  }
}
