import { type CellError, DIV0, NA } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { define, defineAlias, withTraits } from '../define.ts';
import { gatherPairs, type NumberPairs } from '../gather-numbers.ts';
import { sum } from '../numeric/summary.ts';
import { PAIR_MOMENTS } from '../row-figures/moments.ts';
import { measureLongColumns } from '../row-figures/row-tree.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

/** Means of two samples and the sums of products of their deviations. */
interface SampleMoments {
  readonly n: number;
  readonly meanX: number;
  readonly meanY: number;
  readonly xx: number;
  readonly yy: number;
  readonly xy: number;
}

function computeMoments({ xs, ys }: NumberPairs): SampleMoments {
  const n = xs.length;
  const meanX = sum(xs) / n;
  const meanY = sum(ys) / n;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < n; i++) {
    const dx = xs[i]! - meanX;
    const dy = ys[i]! - meanY;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return { n, meanX, meanY, xx, yy, xy };
}

/**
 * Computes the moments of known x and y. Returns `#N/A` for ranges of different sizes, `#DIV/0!` if there are fewer
 * than `minPairs` pairs.
 */
function computePairMoments(
  context: FunctionContext,
  xs: Value,
  ys: Value,
  minPairs: number,
): SampleMoments | CellError {
  const moments = measureLongColumns(context, PAIR_MOMENTS, [xs, ys]);
  if (moments !== null) return isError(moments) || moments.n >= minPairs ? moments : DIV0;
  const pairs = gatherPairs(context, xs, ys, NA);
  if (isError(pairs)) return pairs;
  return pairs.xs.length < minPairs ? DIV0 : computeMoments(pairs);
}

/** Defines a statistic of two samples whose order does not matter. */
function defineSymmetric(name: string, minPairs: number, run: (moments: SampleMoments) => Value): FunctionSpec {
  return define('statistical', name, ['value', 'value'], (context, first, second) => {
    const moments = computePairMoments(context, first, second, minPairs);
    return isError(moments) ? moments : run(moments);
  });
}

/** Defines a statistic of the regression line of known y (first argument) on known x (second argument). */
function defineLineStatistic(name: string, minPairs: number, run: (moments: SampleMoments) => Value): FunctionSpec {
  return define('statistical', name, ['value', 'value'], (context, ys, xs) => {
    const moments = computePairMoments(context, xs, ys, minPairs);
    if (isError(moments)) return moments;
    return moments.xx === 0 ? DIV0 : run(moments);
  });
}

function computeCorrelation({ xx, yy, xy }: SampleMoments): Value {
  if (xx === 0 || yy === 0) return DIV0;
  return Math.max(-1, Math.min(1, xy / (Math.sqrt(xx) * Math.sqrt(yy))));
}

const CORREL = withTraits(defineSymmetric('CORREL', 2, computeCorrelation), { calculatesArrays: true });
const COVARIANCE_P = withTraits(
  defineSymmetric('COVARIANCE.P', 1, ({ xy, n }) => xy / n),
  { calculatesArrays: true },
);
const FORECAST_LINEAR = define(
  'statistical',
  'FORECAST.LINEAR',
  ['number', 'value', 'value'],
  (context, x, ys, xs) => {
    const moments = computePairMoments(context, xs, ys, 1);
    if (isError(moments)) return moments;
    const { xx, xy, meanX, meanY } = moments;
    return xx === 0 ? DIV0 : meanY + (xy / xx) * (x - meanX);
  },
  { calculatesArrays: true },
);

export const CORRELATION: readonly FunctionSpec[] = [
  CORREL,
  defineAlias('PEARSON', CORREL),
  withTraits(
    defineSymmetric('RSQ', 2, ({ xx, yy, xy }) => (xx === 0 || yy === 0 ? DIV0 : (xy * xy) / (xx * yy))),
    { calculatesArrays: true },
  ),
  COVARIANCE_P,
  defineAlias('COVAR', COVARIANCE_P, 'compatibility'),
  defineSymmetric('COVARIANCE.S', 2, ({ xy, n }) => xy / (n - 1)),
  withTraits(
    defineLineStatistic('SLOPE', 2, ({ xx, xy }) => xy / xx),
    { calculatesArrays: true },
  ),
  withTraits(
    defineLineStatistic('INTERCEPT', 2, ({ xx, xy, meanX, meanY }) => meanY - (xy / xx) * meanX),
    { calculatesArrays: true },
  ),
  withTraits(
    defineLineStatistic('STEYX', 3, ({ n, xx, yy, xy }) => Math.sqrt(Math.max(yy - (xy * xy) / xx, 0) / (n - 2))),
    { calculatesArrays: true },
  ),
  FORECAST_LINEAR,
  defineAlias('FORECAST', FORECAST_LINEAR, 'compatibility'),
];
