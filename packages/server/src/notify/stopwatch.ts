import type { Clock } from './clock.ts';

/** Adds up the time of the synchronous parts of a task, without the time that the task spends waiting. */
export class Stopwatch {
  private readonly clock: Pick<Clock, 'steady'>;
  private totalMs = 0;

  constructor(clock: Pick<Clock, 'steady'>) {
    this.clock = clock;
  }

  get elapsedMs(): number {
    return this.totalMs;
  }

  /** Runs a function and adds the time until it returns. If it returns a promise, waiting for it is not counted. */
  measure<T>(run: () => T): T {
    const start = this.clock.steady();
    try {
      return run();
    } finally {
      this.totalMs += this.clock.steady() - start;
    }
  }
}
