import type { Result } from '../../data/http.ts';

export type UndoKind = 'undo' | 'redo';

/** Sends a write under a key: the service does what it is sent under the same one once, however often it comes. */
export type KeyedWrite<T> = (key: string) => Promise<Result<T>>;

/** Answers after which the same write is sent again; 0: the service could not be reached, and may have done it. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([0, 408, 429, 502, 503, 504]);
/** Whoever has signed out meanwhile may come back. */
const SIGNED_OUT_STATUS = 401;
/** How long a write is sent again, in milliseconds: the service knows its key for a day. */
const MAX_RETRY_MS = 12 * 3_600_000;

interface WriteQueueOptions {
  /** Takes a revision back as a new one. */
  readonly undo: (revision: number, key: string) => Promise<Result<unknown>>;
  /** Comes when a write that failed so often may be sent again. */
  readonly nextTry: (failed: number) => Promise<void>;
  readonly onChange: () => void;
}

/**
 * The writes of one tab, sent one after another, each until it is answered, and the way back through them. Each answer
 * says which revision its write became: what other tabs and people write is never among them, and the event stream
 * need not have told of it.
 */
export class WriteQueue {
  private readonly options: WriteQueueOptions;
  private readonly undoable: number[] = [];
  private readonly redoable: number[] = [];
  /** Revisions that go back together with the one below them. */
  private readonly joined = new Set<number>();
  private lastWrite: Promise<unknown> = Promise.resolve();
  /** Writes that were not answered yet. */
  pendingCount = 0;
  /** Whether the first of them was sent, and has to be sent again. */
  isRetrying = false;

  constructor(inputLocale: WriteQueueOptions) {
    this.options = inputLocale;
  }

  get canUndo(): boolean {
    return this.undoable.length > 0;
  }

  get canRedo(): boolean {
    return this.redoable.length > 0;
  }

  /** Leaves nothing to undo: the person may not see any more what it would bring back. */
  clearUndo(): void {
    this.undoable.length = 0;
    this.redoable.length = 0;
    this.options.onChange();
  }

  /** Comes when everything that was to be written by now is answered. */
  async whenAnswered(): Promise<void> {
    await this.lastWrite;
  }

  send<T>(write: KeyedWrite<T>): Promise<Result<T>> {
    return this.runInTurn(async () => {
      const answer = await this.sendUntilAnswered(write);
      const revision = revisionOf(answer);
      if (revision !== null) {
        this.undoable.push(revision);
        this.redoable.length = 0;
      }
      return answer;
    });
  }

  /** Takes the last own write back, or the last such return, once what is under way is answered. Null: there is none. */
  undoOrRedo(deed: UndoKind): Promise<Result<unknown> | null> {
    return this.runInTurn(async () => {
      const [from, to] = deed === 'undo' ? [this.undoable, this.redoable] : [this.redoable, this.undoable];
      for (let answer: Result<unknown> | null = null; ; ) {
        const isFirst: boolean = answer === null;
        const revision = from.pop();
        if (revision === undefined) return answer;
        const isJoined = this.joined.delete(revision);
        answer = await this.sendUntilAnswered((key) => this.options.undo(revision, key));
        const made = revisionOf(answer);
        if (made !== null) {
          to.push(made);
          if (!isFirst) this.joined.add(made);
        } else if (!answer.ok && (TRANSIENT_STATUSES.has(answer.status) || answer.status === SIGNED_OUT_STATUS)) {
          from.push(revision);
          if (isJoined) this.joined.add(revision);
        }
        if (!isJoined || !answer.ok) return answer;
      }
    });
  }

  /** Lets writes be taken back as one, the last of all. */
  join(revisions: readonly number[]): void {
    const others = this.undoable.filter((revision) => !revisions.includes(revision));
    this.undoable.splice(0, this.undoable.length, ...others, ...revisions);
    for (const revision of revisions.slice(1)) this.joined.add(revision);
  }

  private async sendUntilAnswered<T>(write: KeyedWrite<T>): Promise<Result<T>> {
    const key = crypto.getRandomValues(new Uint32Array(4)).join('-');
    const end = Date.now() + MAX_RETRY_MS;
    for (let failed = 0; ; failed++) {
      const answer = await write(key);
      const isPassing = !answer.ok && TRANSIENT_STATUSES.has(answer.status) && Date.now() < end;
      this.isRetrying = isPassing;
      if (!isPassing) return answer;
      this.options.onChange();
      await this.options.nextTry(failed);
    }
  }

  private runInTurn<T>(deed: () => Promise<T>): Promise<T> {
    this.pendingCount++;
    this.options.onChange();
    const turn = this.lastWrite.then(deed).finally(() => {
      this.pendingCount--;
      this.options.onChange();
    });
    this.lastWrite = turn.catch(() => {});
    return turn;
  }
}

/** The revision that a write became; null: none. */
export function revisionOf(answer: Result<unknown>): number | null {
  const revision = answer.ok ? answer.headers.get('x-revision') : null;
  return revision === null ? null : Number(revision);
}
