import { TurnScheduler } from './turn-scheduler.ts';

/** Runs work to its end without pauses. For threads that serve no requests. */
export function runSynchronously<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** All work of `runInSlices` shares one slice in each turn of the event loop. */
const turns = new TurnScheduler();

/** Runs work in slices, one in each turn of the event loop. Returns a plain value if one slice is enough. */
export function runInSlices<T>(work: Generator<void, T>): T | Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const next = pause();
    if (next !== null) return next.then(() => runInSlices(work));
  }
}

/**
 * Returns null if this turn has time for another step of long work, else a promise that resolves when the step may run.
 */
export function pause(): Promise<void> | null {
  return turns.waitForTurn();
}
