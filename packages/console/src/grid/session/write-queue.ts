import { TRANSIENT_STATUSES } from '../../data/connection.ts';
import type { Result } from '../../data/http.ts';
import { OwnRevisions } from './own-revisions.ts';

export type UndoKind = 'undo' | 'redo';

/** Sends a write with an idempotency key. The service applies it once, however often it is sent. */
type KeyedWrite<T> = (key: string) => Promise<Result<T>>;

/** The person may sign in again. */
const SIGNED_OUT_STATUS = 401;
/** How long a write is repeated, in milliseconds. The service keeps keys for a day. */
const MAX_RETRY_MS = 12 * 3_600_000;

interface WriteQueueOptions {
  /** Undoes a revision as a new revision. */
  readonly undo: (revision: number, key: string) => Promise<Result<unknown>>;
  /** Resolves when a write may be sent again after this number of failures. */
  readonly waitForRetry: (failed: number) => Promise<void>;
  readonly onChange: () => void;
}

/**
 * The writes of one tab with undo and redo. Each write is sent after the previous one was answered. Each answer names
 * its revision, so writes of other tabs and people never get into the history.
 */
export class WriteQueue {
  private readonly options: WriteQueueOptions;
  private readonly undoable: number[] = [];
  private readonly redoable: number[] = [];
  /** Revisions that are undone together with the one below them. */
  private readonly joined = new Set<number>();
  readonly ownRevisions = new OwnRevisions();
  private lastWrite: Promise<unknown> = Promise.resolve();
  /** Number of writes without an answer. */
  pendingCount = 0;
  /** True if the first write failed and is being repeated. */
  isRetrying = false;

  constructor(options: WriteQueueOptions) {
    this.options = options;
  }

  get canUndo(): boolean {
    return this.undoable.length > 0;
  }

  get canRedo(): boolean {
    return this.redoable.length > 0;
  }

  /** Clears the history, because the person may no longer see what an undo would restore. */
  clearUndo(): void {
    this.undoable.length = 0;
    this.redoable.length = 0;
    this.options.onChange();
  }

  /** Resolves when all current writes are answered. */
  async waitUntilAnswered(): Promise<void> {
    await this.lastWrite;
  }

  send<T>(write: KeyedWrite<T>): Promise<Result<T>> {
    return this.runInTurn(async () => {
      const answer = await this.sendUntilAnswered(write);
      const revision = readRevision(answer);
      if (revision !== null) {
        this.undoable.push(revision);
        this.redoable.length = 0;
      }
      return answer;
    });
  }

  /** Undoes or redoes the last write of this tab, after the pending writes. Null if there is none. */
  undoOrRedo(kind: UndoKind): Promise<Result<unknown> | null> {
    return this.runInTurn(async () => {
      const [from, to] = kind === 'undo' ? [this.undoable, this.redoable] : [this.redoable, this.undoable];
      for (let answer: Result<unknown> | null = null; ; ) {
        const isFirst: boolean = answer === null;
        const revision = from.pop();
        if (revision === undefined) return answer;
        const isJoined = this.joined.delete(revision);
        answer = await this.sendUntilAnswered((key) => this.options.undo(revision, key));
        const undoRevision = readRevision(answer);
        if (undoRevision !== null) {
          to.push(undoRevision);
          if (!isFirst) this.joined.add(undoRevision);
        } else if (!answer.ok && (TRANSIENT_STATUSES.has(answer.status) || answer.status === SIGNED_OUT_STATUS)) {
          from.push(revision);
          if (isJoined) this.joined.add(revision);
        }
        if (!isJoined || !answer.ok) return answer;
      }
    });
  }

  /** Joins writes, so that one undo reverts all of them. */
  joinWrites(revisions: readonly number[]): void {
    const others = this.undoable.filter((revision) => !revisions.includes(revision));
    this.undoable.splice(0, this.undoable.length, ...others, ...revisions);
    for (const revision of revisions.slice(1)) this.joined.add(revision);
  }

  /** Sends a write, and repeats it after transient failures for up to `MAX_RETRY_MS`. Returns the last answer. */
  private async sendUntilAnswered<T>(write: KeyedWrite<T>): Promise<Result<T>> {
    const key = crypto.getRandomValues(new Uint32Array(4)).join('-');
    const end = Date.now() + MAX_RETRY_MS;
    // The service may have applied a write without an answer. The key prevents that it is applied twice.
    for (let failed = 0; ; failed++) {
      const answer = await write(key);
      const revision = readRevision(answer);
      if (revision !== null) this.ownRevisions.add(revision);
      const isTransient = !answer.ok && TRANSIENT_STATUSES.has(answer.status) && Date.now() < end;
      this.isRetrying = isTransient;
      if (!isTransient) return answer;
      this.options.onChange();
      await this.options.waitForRetry(failed);
    }
  }

  /** Runs work after all earlier writes were answered. */
  private runInTurn<T>(work: () => Promise<T>): Promise<T> {
    this.pendingCount++;
    this.options.onChange();
    const turn = this.lastWrite.then(work).finally(() => {
      this.pendingCount--;
      this.options.onChange();
    });
    this.lastWrite = turn.catch(() => {});
    return turn;
  }
}

/** The revision of a write; null if it changed nothing. */
export function readRevision(answer: Result<unknown>): number | null {
  const revision = answer.ok ? answer.headers.get('x-revision') : null;
  return revision === null ? null : Number(revision);
}
