import { type CellError, DIV0, NA, NUM } from '../../value/errors.ts';
import type { AllocationMeter, WorkMeter } from '../context.ts';
import { reserveMap } from '../reserve-memory.ts';
import { runInSteps } from '../run-in-steps.ts';
import { type OrderedNumbers, SortedArray } from '../selection/ordered-numbers.ts';

export type NumberList = readonly number[];

/** Number of values sorted between two reads of the clock. */
const SORTED_BLOCK = 1 << 15;
/** The cost of counting one number, in cells. */
const MODE_WORK = 2;

export function sum(values: NumberList): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export function product(values: NumberList): number {
  let total = 1;
  for (const value of values) total *= value;
  return total;
}

export function largest(values: NumberList): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return values.length === 0 ? 0 : most;
}

export function smallest(values: NumberList): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < least) least = value;
  return values.length === 0 ? 0 : least;
}

/** The arithmetic mean; `#DIV/0!` if there are no values. */
export function mean(values: NumberList): number | CellError {
  return values.length === 0 ? DIV0 : sum(values) / values.length;
}

/** The sum of squared distances from the mean. Two passes, so that large offsets lose no digits. */
export function squaredDeviations(values: NumberList): number {
  const centre = sum(values) / values.length;
  let squares = 0;
  let drift = 0;
  for (const value of values) {
    const distance = value - centre;
    squares += distance * distance;
    drift += distance;
  }
  return squares - (drift * drift) / values.length;
}

/** Sample variance, n − 1 in the denominator; `#DIV/0!` of fewer than two values. */
export function sampleVariance(values: NumberList): number | CellError {
  return values.length < 2 ? DIV0 : squaredDeviations(values) / (values.length - 1);
}

/** Population variance; `#DIV/0!` if there are no values. */
export function populationVariance(values: NumberList): number | CellError {
  return values.length < 1 ? DIV0 : squaredDeviations(values) / values.length;
}

export function sampleDeviation(values: NumberList): number | CellError {
  const variance = sampleVariance(values);
  return typeof variance === 'number' ? Math.sqrt(variance) : variance;
}

export function populationDeviation(values: NumberList): number | CellError {
  const variance = populationVariance(values);
  return typeof variance === 'number' ? Math.sqrt(variance) : variance;
}

/** The values in ascending order, in a new typed array. Sorts and merges blocks, and reads the clock for each. */
export function sortNumbers(values: NumberList, context: WorkMeter): Float64Array {
  let ascending = Float64Array.from(values);
  const { length } = ascending;
  for (let from = 0; from < length; from += SORTED_BLOCK) {
    context.reportWork(Math.min(length - from, SORTED_BLOCK));
    ascending.subarray(from, from + SORTED_BLOCK).sort();
  }
  for (let width = SORTED_BLOCK; width < length; width *= 2) ascending = mergePairs(ascending, width, context);
  return ascending;
}

/** Merges pairs of sorted blocks of `width` values. */
function mergePairs(values: Float64Array, width: number, context: WorkMeter): Float64Array<ArrayBuffer> {
  const merged = new Float64Array(values.length);
  for (let from = 0; from < values.length; from += 2 * width) {
    const middle = Math.min(from + width, values.length);
    const end = Math.min(from + 2 * width, values.length);
    let left = from;
    let right = middle;
    runInSteps(context, end - from, (first, last) => {
      for (let at = from + first; at < from + last; at++) {
        const takesLeft = left < middle && (right >= end || values[left]! <= values[right]!);
        merged[at] = values[takesLeft ? left++ : right++]!;
      }
    });
  }
  return merged;
}

export function median(values: NumberList, context: WorkMeter): number | CellError {
  return computeMedian(new SortedArray(sortNumbers(values, context)));
}

export function computeMedian(ascending: OrderedNumbers): number | CellError {
  if (ascending.length === 0) return NUM;
  const half = ascending.length >> 1;
  const upper = ascending.at(half);
  return ascending.length % 2 === 1 ? upper : (ascending.at(half - 1) + upper) / 2;
}

/** The values that occur most often, each at least twice, in the order of their first occurrence. */
export function modes(values: NumberList, context: AllocationMeter): number[] {
  const counts = new Map<number, number>();
  let most = 1;
  for (const value of values) {
    context.reportWork(MODE_WORK);
    reserveMap(context, counts.size);
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    if (count > most) most = count;
  }
  if (most < 2) return [];
  return [...counts].filter(([, count]) => count === most).map(([value]) => value);
}

export function mode(values: NumberList, context: AllocationMeter): number | CellError {
  return modes(values, context)[0] ?? NA;
}
