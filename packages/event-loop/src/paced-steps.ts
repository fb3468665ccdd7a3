/**
 * Runs many short steps of one kind of work, the first that came first, for a bounded time in each turn of the event
 * loop. Requests are served between the turns.
 */
export class PacedSteps {
  private readonly sliceMs: number;
  private readonly waiting: (() => void)[] = [];
  /** When this turn's slice ends; 0: none has begun. */
  private end = 0;

  constructor(sliceMs: number) {
    this.sliceMs = sliceMs;
  }

  /** Null if this turn has time for a step, else resolves when the step may be taken. */
  next(): Promise<void> | null {
    if (this.end === 0) this.begin();
    if (this.waiting.length === 0 && performance.now() < this.end) return null;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private begin(): void {
    this.end = performance.now() + this.sliceMs;
    setImmediate(() => {
      this.end = 0;
      if (this.waiting.length === 0) return;
      this.begin();
      this.resume();
    });
  }

  /** Steps run as microtasks: each has ended, or waits, when the next look at the clock comes. */
  private readonly resume = (): void => {
    if (performance.now() >= this.end) return;
    const step = this.waiting.shift();
    if (step === undefined) return;
    step();
    queueMicrotask(this.resume);
  };
}
