import { SLICE_MS } from './limits.ts';

/**
 * Divides this thread's time among works of one kind (the documents whose writes are calculated in it, say): a slice in
 * each turn of the event loop, and one step of whoever has been waiting the longest once that is used up. One that has
 * much to do delays neither requests nor others of its kind by more.
 */
export class TurnScheduler {
  /** When this turn's slice ends; 0: none has begun. */
  private end = 0;
  private readonly waiting: (() => void)[] = [];

  /** Null where there is time for a step at once; else resolves when it may be taken. */
  next(): Promise<void> | null {
    if (this.end === 0) this.begin();
    if (this.waiting.length === 0 && performance.now() < this.end) return null;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private begin(): void {
    this.end = performance.now() + SLICE_MS;
    setImmediate(() => {
      this.end = 0;
      const first = this.waiting.shift();
      if (first === undefined) return;
      this.begin();
      first();
    });
  }
}
