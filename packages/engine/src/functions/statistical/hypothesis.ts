import { type CellError, DIV0, NA, NUM } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define, defineAlias } from '../define.ts';
import { gatherNumbers, gatherPairs, readBlock, readBlockCell } from '../gather-numbers.ts';
import { chiSquareTails, fisherTails, studentUpper } from '../numeric/distributions.ts';
import { normalLower } from '../numeric/normal.ts';
import { squaredDeviations, sum } from '../numeric/summary.ts';
import { rootOf, SAMPLE_VARIANCE } from '../range-statistics.ts';
import { type CentralMoments, DIFFERENCES, MOMENTS } from '../row-figures/moments.ts';
import { measureLongColumns } from '../row-figures/row-tree.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

const PAIRED = 1;
const EQUAL_VARIANCE = 2;
const UNEQUAL_VARIANCE = 3;

const SAMPLE_DEVIATION = rootOf(SAMPLE_VARIANCE);

/** The figures of a sample that its tests need. */
type Sample = Pick<CentralMoments, 'count' | 'mean' | 'squaredDeviations'>;

function computePairedTTest({ count, mean, squaredDeviations }: Sample, tails: number): Value {
  if (count < 2 || squaredDeviations === 0) return DIV0;
  const t = mean / Math.sqrt(squaredDeviations / (count - 1) / count);
  return tails * studentUpper(Math.abs(t), count - 1);
}

/** Measures the differences of pairs. Long columns share their figures. */
function measureDifferences(context: FunctionContext, first: Value, second: Value): Sample | CellError {
  const moments = measureLongColumns(context, DIFFERENCES, [first, second]);
  if (moments !== null) return moments;
  const pairs = gatherPairs(context, first, second, NA);
  return isError(pairs) ? pairs : summarize(pairs.xs.map((x, i) => x - pairs.ys[i]!));
}

/** Measures the numbers of an argument. Long columns share their figures. */
function measureSample(context: FunctionContext, value: Value): Sample | CellError {
  const moments = measureLongColumns(context, MOMENTS.numbers, [value]);
  if (moments !== null) return moments;
  const numbers = gatherNumbers(context, [value]);
  return isError(numbers) ? numbers : summarize(numbers);
}

function summarize(numbers: readonly number[]): Sample {
  const count = numbers.length;
  return { count, mean: sum(numbers) / count, squaredDeviations: squaredDeviations(numbers) };
}

/**
 * The t-test of two independent samples. `pooled`: assumes equal variances; otherwise uses Welch's degrees of freedom.
 */
function computeIndependentTTest(xs: Sample, ys: Sample, tails: number, pooled: boolean): Value {
  const n = xs.count;
  const m = ys.count;
  if (n < 2 || m < 2) return DIV0;
  const sx = xs.squaredDeviations;
  const sy = ys.squaredDeviations;
  const distance = xs.mean - ys.mean;
  const vx = sx / (n - 1) / n;
  const vy = sy / (m - 1) / m;
  const variance = pooled ? ((sx + sy) / (n + m - 2)) * (1 / n + 1 / m) : vx + vy;
  if (variance === 0) return DIV0;
  const df = pooled ? n + m - 2 : (vx + vy) ** 2 / (vx ** 2 / (n - 1) + vy ** 2 / (m - 1));
  return tails * studentUpper(Math.abs(distance) / Math.sqrt(variance), df);
}

/** T.TEST: the probability of Student's t-test. `type`: 1 paired, 2 equal variances, 3 unequal variances. */
function computeTTest(context: FunctionContext, first: Value, second: Value, tails: number, type: number): Value {
  if ((tails !== 1 && tails !== 2) || type < PAIRED || type > UNEQUAL_VARIANCE) return NUM;
  if (type === PAIRED) {
    const differences = measureDifferences(context, first, second);
    return isError(differences) ? differences : computePairedTTest(differences, tails);
  }
  const xs = measureSample(context, first);
  const ys = measureSample(context, second);
  if (isError(xs)) return xs;
  return isError(ys) ? ys : computeIndependentTTest(xs, ys, tails, type === EQUAL_VARIANCE);
}

function computeFTest(context: FunctionContext, first: Value, second: Value): Value {
  const xs = measureSample(context, first);
  const ys = measureSample(context, second);
  if (isError(xs)) return xs;
  if (isError(ys)) return ys;
  const vx = SAMPLE_VARIANCE(xs);
  const vy = SAMPLE_VARIANCE(ys);
  if (isError(vx) || isError(vy) || vx === 0 || vy === 0) return DIV0;
  const { lower, upper } = fisherTails(vx / vy, xs.count - 1, ys.count - 1);
  return 2 * Math.min(lower, upper);
}

/** CHISQ.TEST: the probability that counts differ from the expected ones at least as much as the observed counts do. */
function computeChiSquareTest(context: FunctionContext, observed: Value, expected: Value): Value {
  const a = readBlock(context, observed);
  const e = readBlock(context, expected);
  if (isError(a)) return a;
  if (isError(e)) return e;
  if (a.rows !== e.rows || a.columns !== e.columns || a.rows * a.columns === 1) return NA;
  let statistic = 0;
  let counted = 0;
  const rows = Math.max(a.matrix.rows, e.matrix.rows);
  const columns = Math.max(a.matrix.columns, e.matrix.columns);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const term = computeChiSquareTerm(readBlockCell(a, r, c), readBlockCell(e, r, c));
      if (term === null) continue;
      if (isError(term)) return term;
      statistic += term;
      counted++;
    }
  }
  if (counted === 0) return DIV0;
  const df = a.rows > 1 && a.columns > 1 ? (a.rows - 1) * (a.columns - 1) : a.rows * a.columns - 1;
  return chiSquareTails(statistic, df).upper;
}

/** Returns the term of one pair; null if one of the values is not a number. */
function computeChiSquareTerm(observed: Scalar, expected: Scalar): number | CellError | null {
  if (isError(observed)) return observed;
  if (isError(expected)) return expected;
  if (typeof observed !== 'number' || typeof expected !== 'number') return null;
  if (expected === 0) return DIV0;
  return expected < 0 ? NUM : (observed - expected) ** 2 / expected;
}

function computeZTest(context: FunctionContext, array: Value, x: number, sigma: number | undefined): Value {
  const values = measureSample(context, array);
  if (isError(values)) return values;
  if (values.count === 0) return NA;
  const deviation = sigma ?? SAMPLE_DEVIATION(values);
  if (isError(deviation)) return deviation;
  if (deviation === 0) return sigma === undefined ? DIV0 : NUM;
  if (deviation < 0) return NUM;
  const z = (values.mean - x) / (deviation / Math.sqrt(values.count));
  return normalLower(-z);
}

const T_TEST = define(
  'statistical',
  'T.TEST',
  ['value', 'value', 'integer', 'integer'],
  (context, a, b, tails, type) => computeTTest(context, a, b, tails, type),
  { calculatesArrays: true },
);
const F_TEST = define('statistical', 'F.TEST', ['value', 'value'], (context, a, b) => computeFTest(context, a, b), {
  calculatesArrays: true,
});
const CHISQ_TEST = define(
  'statistical',
  'CHISQ.TEST',
  ['value', 'value'],
  (context, observed, expected) => computeChiSquareTest(context, observed, expected),
  { calculatesArrays: true },
);
const Z_TEST = define('statistical', 'Z.TEST', ['value', 'number', 'number??'], (context, array, x, sigma) =>
  computeZTest(context, array, x, sigma),
);

export const HYPOTHESIS: readonly FunctionSpec[] = [
  T_TEST,
  defineAlias('TTEST', T_TEST, 'compatibility'),
  F_TEST,
  defineAlias('FTEST', F_TEST, 'compatibility'),
  CHISQ_TEST,
  defineAlias('CHITEST', CHISQ_TEST, 'compatibility'),
  Z_TEST,
  defineAlias('ZTEST', Z_TEST, 'compatibility'),
];
