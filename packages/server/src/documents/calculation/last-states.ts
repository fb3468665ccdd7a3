import { MAX_KEPT_STATES } from '../../limits/calculation.ts';

/** The states that a document was at last, numbered in their order from 0. */
export class LastStates<State> {
  private readonly states: State[];
  private forgotten = 0;

  constructor(first: State) {
    this.states = [first];
  }

  get length(): number {
    return this.states.length;
  }

  push(state: State): void {
    this.states.push(state);
    if (this.states.length <= MAX_KEPT_STATES) return;
    this.states.shift();
    this.forgotten++;
  }

  /** Nobody goes back to an earlier state than the newest any more. */
  settle(): void {
    this.forgotten += this.states.splice(0, this.states.length - 1).length;
  }

  /** Null where it is not kept. */
  at(number: number): State | null {
    return this.states[number - this.forgotten] ?? null;
  }

  /** The number that a state had last; null where it is not kept. */
  numberOf(state: State): number | null {
    const index = this.states.lastIndexOf(state);
    return index < 0 ? null : this.forgotten + index;
  }
}
