import { SLICE_MS } from './limits.ts';

/**
 * Divides this thread's time among tasks of one kind, for example documents whose writes are calculated in this thread.
 * Each turn of the event loop has one slice. If the slice is used up, later steps wait, and each turn starts with the
 * step that has waited the longest. A long task therefore delays requests and other tasks by at most one slice.
 */
export class TurnScheduler {
  protected readonly waiting: (() => void)[] = [];
  private readonly sliceMs: number;
  /** End of the current turn's slice by the clock of `performance.now()`; 0 if no slice has begun. */
  private end = 0;

  constructor(sliceMs: number = SLICE_MS) {
    this.sliceMs = sliceMs;
  }

  /** Returns null if this turn has time for a step, else a promise that resolves when the step may run. */
  waitForTurn(): Promise<void> | null {
    if (this.end === 0) {
      this.end = performance.now() + this.sliceMs;
      // The first immediate callback may run in this turn. The second one runs after further events were handled.
      setImmediate(() => setImmediate(this.startSlice));
    }
    if (this.waiting.length === 0 && this.hasTime()) return null;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** True until the current slice ends. */
  protected hasTime(): boolean {
    return performance.now() < this.end;
  }

  /** Runs waiting steps for one slice, then again after other events. */
  private readonly startSlice = (): void => {
    this.end = 0;
    if (this.waiting.length === 0) return;
    this.end = performance.now() + this.sliceMs;
    setImmediate(this.startSlice);
    this.resumeSteps();
  };

  /** Resumes the step that has waited the longest. */
  protected resumeSteps(): void {
    this.waiting.shift()?.();
  }
}
