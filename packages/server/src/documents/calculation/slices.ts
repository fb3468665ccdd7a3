import { SLICE_MS } from '../../limits/limits.ts';

/** Work that pauses now and then, gone through in one go: for threads that nobody waits for meanwhile. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** The same in slices, between which the event loop turns; at once where one slice is enough. */
export function inSlices<T>(work: Generator<void, T>): T | Promise<T> {
  const end = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() > end) return turn().then(() => inSlices(work));
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
