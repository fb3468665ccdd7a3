/**
 * Runs many short steps of one kind of work, in order of arrival, for a bounded time in each turn of the event loop.
 * Requests are served between the turns.
 */
export class PacedSteps {
  private readonly sliceMs: number;
  private readonly waiting: (() => void)[] = [];
  /** End of the current turn's slice on the clock of `performance.now()`; 0 if no slice has begun. */
  private end = 0;

  constructor(sliceMs: number) {
    this.sliceMs = sliceMs;
  }

  /** Returns null if this turn has time for a step, else a promise that resolves when the step may run. */
  waitForTurn(): Promise<void> | null {
    if (this.end === 0) {
      this.end = performance.now() + this.sliceMs;
      // The first immediate callback may run in this turn. The second one runs after the next events are handled.
      setImmediate(() => setImmediate(this.startSlice));
    }
    if (this.waiting.length === 0 && performance.now() < this.end) return null;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private readonly startSlice = (): void => {
    this.end = 0;
    if (this.waiting.length === 0) return;
    this.end = performance.now() + this.sliceMs;
    setImmediate(this.startSlice);
    this.resume();
  };

  /** Each step runs as a microtask, and has finished or awaits something before the clock is read again. */
  private readonly resume = (): void => {
    if (performance.now() >= this.end) return;
    const step = this.waiting.shift();
    if (step === undefined) return;
    step();
    queueMicrotask(this.resume);
  };
}
