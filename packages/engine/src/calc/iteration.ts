import type { Scalar } from '../value/scalar.ts';

/** Settings of circular formulas in a workbook with iterative calculation. */
export interface Iteration {
  /** Maximum rounds of a calculation, 1–32,767. */
  readonly count: number;
  /** The rounds end when every number changes by less than this value. */
  readonly delta: number;
}

/** Key of the settings in `Snapshot.carried`, as JSON. Absent: circular formulas are errors. */
export const ITERATION_KEY = 'iteration';
const MAX_COUNT = 32_767;
/**
 * Maximum rounds in the first calculation of an import, because the file may contain no results. The rounds end earlier
 * if the changes do not decrease.
 */
export const MAX_IMPORT_ROUNDS = 1_000;

/** Reads the stored settings; null if circular formulas are errors. */
export function readIteration(carried: Readonly<Record<string, string>>): Iteration | null {
  const text = carried[ITERATION_KEY];
  if (text === undefined) return null;
  const { count, delta } = JSON.parse(text) as Iteration;
  return { count: Math.min(Math.max(Math.trunc(count), 1), MAX_COUNT), delta: Math.max(delta, 0) };
}

/**
 * Returns the largest difference of a number between two rounds. Returns infinity if a value that is not a number
 * changed.
 */
export function findLargestChange(before: readonly Scalar[] | null, after: readonly Scalar[]): number {
  if (before?.length !== after.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const [i, value] of after.entries()) {
    const old = before[i];
    if (typeof value === 'number' && typeof old === 'number') largest = Math.max(largest, Math.abs(value - old));
    else if (value !== old) return Number.POSITIVE_INFINITY;
  }
  return largest;
}
