import { applyDelta, type Snapshot } from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import { commitsFrom, documentHead } from '@cellwire/store/documents';
import type { DocumentsEnvironment } from './environment.ts';
import { load, sum } from './load-state.ts';
import { touchedOf, withCommit } from './recent-commits.ts';
import { type Loaded, type State, stateOf, timesOf } from './state.ts';

/** What commits made of a state. */
export interface Followed {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly deltas: readonly Uint8Array[];
}

/** This process's copy of a document: what is durable and may be read. Follows the store, whoever writes there. */
export class Replica {
  readonly id: string;
  private readonly environment: DocumentsEnvironment;
  private readonly onFollowed: (followed: Followed) => void;
  private readonly openedFor: number | null;
  private readonly headQuery: ReturnType<typeof documentHead>;
  private current: State;
  private following: Promise<boolean> | null = null;
  private ownCommits = 0;
  /** Bytes of the log beside the checkpoint, as far as this process has seen it. */
  logBytes: number;

  /** `openedFor`: the user for whom the document was opened; null: the service itself. */
  constructor(
    id: string,
    loaded: Loaded & { readonly openedFor: number | null },
    environment: DocumentsEnvironment,
    onFollowed: (followed: Followed) => void,
  ) {
    this.id = id;
    this.openedFor = loaded.openedFor;
    this.onFollowed = onFollowed;
    this.environment = environment;
    this.headQuery = documentHead({ id });
    this.current = loaded.state;
    this.logBytes = loaded.stored.logBytes;
  }

  get state(): State {
    return this.current;
  }

  /** Commits of this process since another's was last seen. */
  get ownInARow(): number {
    return this.ownCommits;
  }

  /** Takes over a commit of this process that is on the disk. */
  publish(state: State): void {
    if (state.snapshot.revision <= this.current.snapshot.revision) return;
    this.current = state;
    this.ownCommits++;
  }

  /** Another process has written, or may have. */
  lostLead(): void {
    this.ownCommits = 0;
  }

  /**
   * Brings the copy to the commit that is the store's latest at the call, or a later one; false where the document has
   * been removed. `own` finds a commit that this process made and has not yet heard to be on the disk.
   */
  follow(own: (head: string) => State | null): MaybePromise<boolean> {
    return mapMaybe(
      this.environment.database.readLatest(this.headQuery),
      (latest) => latest?.head === this.current.head || this.catchUp(own),
    );
  }

  private async catchUp(own: (head: string) => State | null): Promise<boolean> {
    for (;;) {
      const head = await this.environment.database.readOne(this.headQuery);
      if (head === null) return false;
      if (head.head === this.current.head) return true;
      const mine = own(head.head);
      if (mine !== null) {
        this.publish(mine);
        return true;
      }
      if (this.following === null) return this.startReplay();
      // Another caller's replay may have read the store before this call: look again after it.
      await this.following;
    }
  }

  private startReplay(): Promise<boolean> {
    this.following = this.replay().finally(() => {
      this.following = null;
    });
    return this.following;
  }

  /** Applies the commits that are missing; where they do not continue this copy, reads the document anew. */
  private async replay(): Promise<boolean> {
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
    if (!continues) return this.reload();
    const bytes = sum(missing.map(({ delta }) => delta.length));
    if (bytes > (this.environment.threads?.pool.inline.bytes ?? Number.POSITIVE_INFINITY)) return this.reload();
    const deltas = missing.map(({ delta }) => delta);
    const snapshot = deltas.reduce(applyDelta, base.snapshot);
    this.onFollowed({ before: base.snapshot, after: snapshot, deltas });
    const recent = missing.reduce((known, row) => withCommit(known, touchedOf(row)), base.recent);
    this.publish(stateOf(snapshot, head.head, timesOf(head), recent));
    this.lostLead();
    this.logBytes += bytes;
    return true;
  }

  private async reload(): Promise<boolean> {
    const loaded = await load(this.environment, this.id, this.openedFor);
    if (loaded === null) return false;
    this.current = loaded.state;
    this.lostLead();
    this.logBytes = loaded.stored.logBytes;
    return true;
  }
}
