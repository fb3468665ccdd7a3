import { TurnScheduler } from './turn-scheduler.ts';

/** Work that pauses now and then, gone through in one go: for threads that nobody waits for meanwhile. */
export function runSynchronously<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** A turn has one slice for all work that has pauses: what follows other work in the same turn has what that one left. */
const turns = new TurnScheduler();

/** Such work in slices, one in each turn of the event loop, whoever's it is; at once where one slice is enough. */
export function runInSlices<T>(work: Generator<void, T>): T | Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const next = pause();
    if (next !== null) return next.then(() => runInSlices(work));
  }
}

/** Between two steps of long work: null where this turn has time for another, else resolves when it may be taken. */
export function pause(): Promise<void> | null {
  return turns.next();
}
