/** Work in steps. Between them it yields how much is done. */
export type SlicedWork<T> = Generator<number, T>;

/** Longest time between two pauses, in milliseconds, if each step is short. */
const SLICE_MS = 30;

/** Does all work without a pause. */
export function finishWithoutPause<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Does the work with pauses, in which the page draws and handles input. `onPause` returns true to cancel the work; the
 * result is null then.
 */
export async function runInSlices<T>(
  work: SlicedWork<T>,
  onPause: (done: number) => Promise<boolean>,
): Promise<T | null> {
  for (let end = performance.now() + SLICE_MS; ; ) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < end) continue;
    if (await onPause(step.value)) return null;
    end = performance.now() + SLICE_MS;
  }
}
