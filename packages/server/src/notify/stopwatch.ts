import type { Clock } from './clock.ts';

/** Adds up the time of synchronous stretches of a task. Time that the task spends waiting between them is left out. */
export class Stopwatch {
  private readonly clock: Pick<Clock, 'steady'>;
  private totalMs = 0;

  constructor(clock: Pick<Clock, 'steady'>) {
    this.clock = clock;
  }

  get elapsedMs(): number {
    return this.totalMs;
  }

  /** Runs a function and counts the time until it returns; of a promise that it returns the wait is not counted. */
  measure<T>(run: () => T): T {
    const start = this.clock.steady();
    try {
      return run();
    } finally {
      this.totalMs += this.clock.steady() - start;
    }
  }
}
