import type { Scalar } from '../value/scalar.ts';

/** How circular formulas are calculated in a workbook that has iterative calculation turned on. */
export interface Iteration {
  /** Most rounds of a calculation, 1–32,767. */
  readonly count: number;
  /** A round in which every number changes by less than this is the last. */
  readonly delta: number;
}

/** Where `Snapshot.carried` holds an iteration, as JSON; absent: circular formulas are errors. */
export const ITERATION_KEY = 'iteration';
const MAX_COUNT = 32_767;
/** Most rounds of the calculation of an import, for files that hold no results: as long as the changes become smaller. */
export const MAX_IMPORT_ROUNDS = 1_000;

/** Null: circular formulas are errors. */
export function readIteration(carried: Readonly<Record<string, string>>): Iteration | null {
  const text = carried[ITERATION_KEY];
  if (text === undefined) return null;
  const { count, delta } = JSON.parse(text) as Iteration;
  return { count: Math.min(Math.max(Math.trunc(count), 1), MAX_COUNT), delta: Math.max(delta, 0) };
}

/** The largest change of a number between two rounds; anything else that changes is infinitely large. */
export function largestChange(before: readonly Scalar[] | null, after: readonly Scalar[]): number {
  if (before?.length !== after.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const [i, value] of after.entries()) {
    const old = before[i];
    if (typeof value === 'number' && typeof old === 'number') largest = Math.max(largest, Math.abs(value - old));
    else if (value !== old) return Number.POSITIVE_INFINITY;
  }
  return largest;
}
