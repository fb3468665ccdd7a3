import { SLICE_MS } from '../limits/limits.ts';

/** Work that pauses now and then, gone through in one go: for threads that nobody waits for meanwhile. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** The same in slices, one in each turn of the event loop, whoever's it is; at once where one slice is enough. */
export function inSlices<T>(work: Generator<void, T>): T | Promise<T> {
  const end = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() > end) return turn().then(() => inSlices(work));
  }
}

/** Work that has had a slice and waits for its next one. */
const waiting: (() => void)[] = [];

function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  // Whoever asks for another slice at once comes after all others, and not before the next turn.
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
