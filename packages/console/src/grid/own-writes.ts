import type { Result } from '../data/http.ts';

export type Deed = 'undo' | 'redo';

/** What may be answered otherwise when it is asked once more; 0: the service could not be reached. */
const PASSING: ReadonlySet<number> = new Set([0, 401, 408, 429, 502, 503, 504]);

/**
 * The writes of one tab, sent one after another, and the way back through them. Each answer says which revision its
 * write became: what other tabs and people write is never among them, and the event stream need not have told of it.
 */
export class OwnWrites {
  private readonly undo: (revision: number) => Promise<Result<unknown>>;
  private readonly onChange: () => void;
  private readonly undoable: number[] = [];
  private readonly redoable: number[] = [];
  private last: Promise<unknown> = Promise.resolve();
  /** Writes that were not answered yet. */
  underWay = 0;

  /** `undo` takes a revision back as a new one. */
  constructor(undo: (revision: number) => Promise<Result<unknown>>, onChange: () => void) {
    this.undo = undo;
    this.onChange = onChange;
  }

  get canUndo(): boolean {
    return this.undoable.length > 0;
  }

  get canRedo(): boolean {
    return this.redoable.length > 0;
  }

  /** Comes when everything that was to be written by now is answered. */
  async answered(): Promise<void> {
    await this.last;
  }

  send<T>(write: () => Promise<Result<T>>): Promise<Result<T>> {
    return this.inTurn(async () => {
      const answer = await write();
      const revision = madeBy(answer);
      if (revision !== null) {
        this.undoable.push(revision);
        this.redoable.length = 0;
      }
      return answer;
    });
  }

  /** Takes the last own write back, or the last such return, once what is under way is answered. Null: there is none. */
  takeBack(deed: Deed): Promise<Result<unknown> | null> {
    return this.inTurn(async () => {
      const [from, to] = deed === 'undo' ? [this.undoable, this.redoable] : [this.redoable, this.undoable];
      const revision = from.pop();
      if (revision === undefined) return null;
      const answer = await this.undo(revision);
      const made = madeBy(answer);
      if (made !== null) to.push(made);
      else if (!answer.ok && PASSING.has(answer.status)) from.push(revision);
      return answer;
    });
  }

  private inTurn<T>(deed: () => Promise<T>): Promise<T> {
    this.underWay++;
    this.onChange();
    const turn = this.last.then(deed).finally(() => {
      this.underWay--;
      this.onChange();
    });
    this.last = turn.catch(() => {});
    return turn;
  }
}

/** The revision that a write became; null: none. */
export function madeBy(answer: Result<unknown>): number | null {
  const revision = answer.ok ? answer.headers.get('x-revision') : null;
  return revision === null ? null : Number(revision);
}
