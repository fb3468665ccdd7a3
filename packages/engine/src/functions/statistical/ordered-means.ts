import { type CellError, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { define } from '../define.ts';
import { gatherNumbers, orderNumbers } from '../gather-numbers.ts';
import { sum } from '../numeric/summary.ts';
import { ExactSum } from '../row-figures/exact-sum.ts';
import { findLongColumns } from '../row-figures/find-columns.ts';
import type { OrderedNumbers } from '../selection/ordered-numbers.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';
import { defineAggregate } from './define-aggregate.ts';

function computeAverageDeviation(values: readonly number[]): number | CellError {
  if (values.length === 0) return NUM;
  const centre = sum(values) / values.length;
  return values.reduce((total, value) => total + Math.abs(value - centre), 0) / values.length;
}

/**
 * AVEDEV of ordered numbers. The sum of the distances is the sum of the numbers above the mean minus the sum of the
 * numbers below it; the mean is then added for each number below it, and subtracted for each number above it. The sums
 * and the mean are exact to about 32 digits, so that large numbers that hardly differ lose no digits. Ranges that grow or
 * move share the ordered numbers and do not read all of them again.
 */
function computeOrderedDeviation(ascending: OrderedNumbers): number | CellError {
  const n = ascending.length;
  if (n === 0) return NUM;
  const total = new ExactSum();
  ascending.addRange(total, 0, n);
  const centre = total.total / n;
  const below = ascending.countBelow(centre);
  const lower = new ExactSum();
  ascending.addRange(lower, 0, below);
  const distances = new ExactSum();
  ascending.addRange(distances, below, n);
  distances.subtract(lower);
  distances.addProduct(centre, 2 * below - n);
  total.addProduct(-centre, n);
  distances.add((total.total / n) * (2 * below - n));
  return distances.total / n;
}

function computeDeviation(context: FunctionContext, args: readonly Value[]): number | CellError {
  if (findLongColumns(args, 1) !== null) {
    const ascending = orderNumbers(context, args);
    const deviation = isError(ascending) ? ascending : computeOrderedDeviation(ascending);
    // The sum of very large numbers overflows; their distances may not.
    if (typeof deviation !== 'number' || Number.isFinite(deviation)) return deviation;
  }
  const numbers = gatherNumbers(context, args);
  return isError(numbers) ? numbers : computeAverageDeviation(numbers);
}

/** TRIMMEAN: omits a share of the values, the same number at both ends. */
function computeTrimmedMean(context: FunctionContext, array: Value, share: number): number | CellError {
  const ascending = orderNumbers(context, [array]);
  if (isError(ascending)) return ascending;
  const n = ascending.length;
  if (share < 0 || share >= 1 || n === 0) return NUM;
  const cut = Math.floor((n * share) / 2);
  const kept = new ExactSum();
  ascending.addRange(kept, cut, n - cut);
  return kept.total / (n - 2 * cut);
}

export const AVEDEV: FunctionSpec = defineAggregate('AVEDEV', computeDeviation, { omits: 'nonNumbers' });

export const TRIMMEAN: FunctionSpec = define('statistical', 'TRIMMEAN', ['value', 'number'], computeTrimmedMean, {
  singles: [1, 2],
  omits: 'firstNonNumbers',
});
