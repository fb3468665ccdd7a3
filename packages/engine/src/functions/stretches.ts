import type { Timed } from './context.ts';

/** Elements between two looks at the clock in loops that take next to nothing for each. */
const STEP_SIZE = 4096;
/** As a power of two: so many of them take as long as evaluating one cell. */
const STEP_WORK_LOG2 = 2;

/**
 * Goes through `count` elements a stretch at a time, `from` to before `to`, and tells the budget's clock of each: for
 * plain loops over arrays, which would be slower for a look at every element. `weight`: how often longer an element
 * takes than adding up a number.
 */
export function runInSteps(context: Timed, count: number, run: (from: number, to: number) => void, weight = 1): void {
  const stretch = Math.max(1, Math.floor(STEP_SIZE / weight));
  for (let from = 0; from < count; from += stretch) {
    const to = Math.min(count, from + stretch);
    context.pass(((to - from) * weight) >> STEP_WORK_LOG2);
    run(from, to);
  }
}
