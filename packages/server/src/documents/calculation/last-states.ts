import { MAX_KEPT_STATES } from '../../limits/calculation.ts';

/** The most recent states of a document, numbered from 0 in order. */
export class LastStates<State> {
  private readonly states: State[];
  private forgotten = 0;

  constructor(first: State) {
    this.states = [first];
  }

  get length(): number {
    return this.states.length;
  }

  /** Keeps a new state and forgets the oldest one above the limit. */
  addState(state: State): void {
    this.states.push(state);
    if (this.states.length <= MAX_KEPT_STATES) return;
    this.states.shift();
    this.forgotten++;
  }

  /** Forgets the states before the newest one, to which no caller returns. */
  forgetOldStates(): void {
    this.forgotten += this.states.splice(0, this.states.length - 1).length;
  }

  /** Null if the state is no longer retained. */
  findState(number: number): State | null {
    return this.states[number - this.forgotten] ?? null;
  }

  /** The number of the state's last occurrence; null if it is no longer retained. */
  findStateNumber(state: State): number | null {
    const index = this.states.lastIndexOf(state);
    return index < 0 ? null : this.forgotten + index;
  }
}
