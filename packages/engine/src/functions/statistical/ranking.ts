import { type CellError, NA, NUM } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { WorkMeter } from '../context.ts';
import { define, defineAlias, withTraits } from '../define.ts';
import { gatherNumbers, orderNumbers } from '../gather-numbers.ts';
import { roundDown } from '../numeric/rounding.ts';
import type { OrderedNumbers } from '../selection/ordered-numbers.ts';
import { getElementAt, percentileExclusive, percentileInclusive } from '../selection/quantiles.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, type Value } from '../value.ts';

/** Default digits of PERCENTRANK. */
const DEFAULT_SIGNIFICANCE = 3;
/** The cost of a binary search for a number, in cells. */
const SEARCH_WORK = 4;

/** Runs a function for each number of a matrix. One number gives a scalar. */
function mapNumbers(context: FunctionContext, matrix: Matrix, run: (value: number) => Scalar): Value {
  const one = (value: Scalar): Scalar => {
    context.reportWork(SEARCH_WORK);
    const number = toNumber(value, context);
    return isError(number) ? number : run(number);
  };
  if (matrix.length === 1) return one(matrix.data[0] ?? null);
  context.spendElements(matrix.length);
  return new Matrix(matrix.rows, matrix.columns, matrix.data.map(one));
}

/** Defines a function of sorted data and a number, which may be an array. Sorts the data once. */
function defineSortedStatistic(
  name: string,
  run: (ascending: OrderedNumbers, k: number) => number | CellError,
): FunctionSpec {
  return define(
    'statistical',
    name,
    ['value', 'matrix'],
    (context, array, ks) => {
      const ascending = orderNumbers(context, [array]);
      if (isError(ascending)) return ascending;
      return mapNumbers(context, ks, (k) => run(ascending, k));
    },
    { omits: 'firstNonNumbers' },
  );
}

/** The zero-based position of a number among sorted values, fractional between two of them; null outside. */
function findPosition(ascending: OrderedNumbers, x: number): number | null {
  const below = ascending.countBelow(x);
  if (below < ascending.length && ascending.at(below) === x) return below;
  if (below === 0 || below === ascending.length) return null;
  const low = ascending.at(below - 1);
  return below - 1 + (x - low) / (ascending.at(below) - low);
}

/** Defines a PERCENTRANK function. `share`: converts a position among `count` values to a share. */
function definePercentRank(name: string, share: (position: number, count: number) => number): FunctionSpec {
  return define(
    'statistical',
    name,
    ['value', 'matrix', 'integer??'],
    (context, array, xs, significance) => {
      const ascending = orderNumbers(context, [array]);
      if (isError(ascending)) return ascending;
      const digits = significance ?? DEFAULT_SIGNIFICANCE;
      if (ascending.length === 0 || digits < 1) return NUM;
      return mapNumbers(context, xs, (x) => {
        const position = findPosition(ascending, x);
        return position === null ? NA : roundDown(share(position, ascending.length), digits);
      });
    },
    { omits: 'firstNonNumbers' },
  );
}

/** Defines a RANK function. `computeRank` gets the number of values before and of equal values. */
function defineRank(name: string, computeRank: (before: number, equal: number) => number): FunctionSpec {
  return define('statistical', name, ['matrix', 'value', 'number?'], (context, numbers, list, order) => {
    const ascending = orderNumbers(context, [list]);
    if (isError(ascending)) return ascending;
    return mapNumbers(context, numbers, (number) => {
      const below = ascending.countBelow(number);
      const through = ascending.countAtMost(number);
      if (below === through) return NA;
      return computeRank((order ?? 0) === 0 ? ascending.length - through : below, through - below);
    });
  });
}

/**
 * FREQUENCY: the number of values in each bin (up to and including its bound), and as last element the number above all
 * bins.
 */
function countFrequencies(context: WorkMeter, values: OrderedNumbers, bounds: readonly number[]): Matrix {
  const order = bounds
    .map((_, i) => i)
    .sort((a, b) => {
      context.reportWork(1);
      return bounds[a]! - bounds[b]! || a - b;
    });
  const counts = new Array<number>(bounds.length + 1);
  let before = 0;
  for (const bin of order) {
    context.reportWork(SEARCH_WORK);
    const through = values.countAtMost(bounds[bin]!);
    counts[bin] = through - before;
    before = through;
  }
  counts[bounds.length] = values.length - before;
  return new Matrix(counts.length, 1, counts);
}

const PERCENTILE_INC = withTraits(defineSortedStatistic('PERCENTILE.INC', percentileInclusive), {
  carries: 0,
  singles: [1],
});
const QUARTILE_INC = withTraits(
  defineSortedStatistic('QUARTILE.INC', (values, quart) => percentileInclusive(values, Math.trunc(quart) / 4)),
  { carries: 0, singles: [1] },
);
const PERCENTRANK_INC = withTraits(
  definePercentRank('PERCENTRANK.INC', (place, count) => (count === 1 ? 1 : place / (count - 1))),
  { singles: [1, 2] },
);
const RANK_EQ = withTraits(
  defineRank('RANK.EQ', (before) => before + 1),
  { singles: [0, 2] },
);

export const RANKING: readonly FunctionSpec[] = [
  withTraits(
    defineSortedStatistic('LARGE', (values, k) => (k < 1 ? NUM : getElementAt(values, values.length - Math.ceil(k)))),
    { picks: 'equal', singles: [1] },
  ),
  withTraits(
    defineSortedStatistic('SMALL', (values, k) => (k < 1 ? NUM : getElementAt(values, Math.ceil(k) - 1))),
    { picks: 'equal', singles: [1] },
  ),
  PERCENTILE_INC,
  defineAlias('PERCENTILE', PERCENTILE_INC, 'compatibility'),
  withTraits(defineSortedStatistic('PERCENTILE.EXC', percentileExclusive), { singles: [1] }),
  QUARTILE_INC,
  defineAlias('QUARTILE', QUARTILE_INC, 'compatibility'),
  withTraits(
    defineSortedStatistic('QUARTILE.EXC', (values, quart) => percentileExclusive(values, Math.trunc(quart) / 4)),
    { singles: [1, 2] },
  ),
  PERCENTRANK_INC,
  defineAlias('PERCENTRANK', PERCENTRANK_INC, 'compatibility'),
  withTraits(
    definePercentRank('PERCENTRANK.EXC', (place, count) => (place + 1) / (count + 1)),
    { singles: [1, 2] },
  ),
  RANK_EQ,
  defineAlias('RANK', RANK_EQ, 'compatibility'),
  withTraits(
    defineRank('RANK.AVG', (before, equal) => before + (equal + 1) / 2),
    { singles: [0, 2] },
  ),
  define(
    'statistical',
    'FREQUENCY',
    ['value', 'value'],
    (context, data, bins) => {
      const values = orderNumbers(context, [data]);
      const bounds = gatherNumbers(context, [bins]);
      if (isError(values)) return values;
      if (isError(bounds)) return bounds;
      context.spendElements(bounds.length + 1);
      return countFrequencies(context, values, bounds);
    },
    { manyCells: true, calculatesArrays: true, distinct: 'countedByBins' },
  ),
];
