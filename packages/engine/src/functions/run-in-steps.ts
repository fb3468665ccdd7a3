import type { WorkMeter } from './context.ts';

/** Number of elements between two reads of the clock, in loops with very cheap elements. */
const STEP_SIZE = 4096;
/** Number of elements that count as one cell of the budget, as a power of two. */
const STEP_WORK_LOG2 = 2;

/**
 * Runs a loop of `count` elements in steps, and reports the work of each step to the budget. `run` gets the first index
 * and the end index of a step. For simple loops over arrays, which a check per element would slow down. `weight`: the
 * cost of an element, in additions of numbers.
 */
export function runInSteps(
  context: WorkMeter,
  count: number,
  run: (from: number, to: number) => void,
  weight = 1,
): void {
  const stretch = Math.max(1, Math.floor(STEP_SIZE / weight));
  for (let from = 0; from < count; from += stretch) {
    const to = Math.min(count, from + stretch);
    context.reportWork(((to - from) * weight) >> STEP_WORK_LOG2);
    run(from, to);
  }
}
