import { DIV0, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { define, defineAlias } from '../define.ts';
import { gatherNumbersByRow } from '../gather-numbers.ts';
import { computeBetaKernel } from '../numeric/beta.ts';
import {
  chiSquareTails,
  fisherTails,
  gammaQuantile,
  solveQuantile,
  studentQuantile,
  studentUpper,
} from '../numeric/distributions.ts';
import { poissonDensity, type Tails } from '../numeric/gamma.ts';
import { normalQuantile } from '../numeric/normal.ts';
import { sampleDeviation } from '../numeric/summary.ts';
import type { FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

/** Maximum degrees of freedom. Larger numbers give `#NUM!`. */
const MAX_DEGREES = 1e10;

function areDegreesInvalid(df: number): boolean {
  return df < 1 || df > MAX_DEGREES;
}

function computeChiSquare(x: number, df: number, cumulative: boolean): Value {
  if (x < 0 || areDegreesInvalid(df)) return NUM;
  if (cumulative) return chiSquareTails(x, df).lower;
  if (x === 0) return df === 1 ? NUM : df === 2 ? 0.5 : 0;
  return (poissonDensity(df / 2, x / 2) * df) / (2 * x);
}

function computeChiSquareInverse(tails: Tails, df: number): Value {
  if (!(tails.lower >= 0 && tails.upper > 0) || areDegreesInvalid(df)) return NUM;
  return tails.lower === 0 ? 0 : 2 * gammaQuantile(tails, df / 2);
}

function computeStudentT(t: number, df: number, cumulative: boolean): Value {
  // Excel divides by the degrees of freedom of a density before it checks them.
  if (!cumulative && df < 1) return DIV0;
  if (areDegreesInvalid(df)) return NUM;
  if (cumulative) return t > 0 ? 1 - studentUpper(t, df) : studentUpper(t, df);
  const square = t * t;
  const sum = df + square;
  if (square === 0) return (computeBetaKernel(0.5, 0.5, 0.5, df / 2) * 0.5 ** (-(df + 1) / 2)) / Math.sqrt(df);
  // f(t) = x^½ y^(df/2) / (B(½, df/2) |t|) at x = t² / (df + t²), y = 1 − x
  return computeBetaKernel(square / sum, df / sum, 0.5, df / 2) / Math.abs(t);
}

function computeStudentTInverse(p: number, df: number): Value {
  if (p === 0 && df >= 1) return DIV0;
  if (p <= 0 || p >= 1 || areDegreesInvalid(df)) return NUM;
  return p < 0.5 ? -studentQuantile(p, df) : studentQuantile(1 - p, df);
}

function computeFDistribution(x: number, df1: number, df2: number, cumulative: boolean): Value {
  if (x < 0 || areDegreesInvalid(df1) || areDegreesInvalid(df2)) return NUM;
  if (cumulative) return fisherTails(x, df1, df2).lower;
  if (x === 0) return df1 === 1 ? NUM : df1 === 2 ? 1 : 0;
  const sum = df1 * x + df2;
  return computeBetaKernel((df1 * x) / sum, df2 / sum, df1 / 2, df2 / 2) / x;
}

function computeFDistributionInverse(tails: Tails, df1: number, df2: number): Value {
  if (!(tails.lower >= 0 && tails.upper > 0) || areDegreesInvalid(df1) || areDegreesInvalid(df2)) return NUM;
  return tails.lower === 0 ? 0 : solveQuantile((x) => fisherTails(x, df1, df2), tails, 1);
}

const CHISQ_DIST_RT = define('statistical', 'CHISQ.DIST.RT', ['number', 'integer'], (_, x, df) =>
  x < 0 || areDegreesInvalid(df) ? NUM : chiSquareTails(x, df).upper,
);
const CHISQ_INV_RT = define('statistical', 'CHISQ.INV.RT', ['number', 'integer'], (_, p, df) =>
  computeChiSquareInverse({ lower: 1 - p, upper: p }, df),
);
const T_INV_2T = define('statistical', 'T.INV.2T', ['number', 'integer'], (_, p, df) => {
  if (p === 0 && df >= 1) return DIV0;
  return p < 0 || p > 1 || areDegreesInvalid(df) ? NUM : studentQuantile(p / 2, df);
});
const F_DIST_RT = define('statistical', 'F.DIST.RT', ['number', 'integer', 'integer'], (_, x, df1, df2) =>
  x < 0 || areDegreesInvalid(df1) || areDegreesInvalid(df2) ? NUM : fisherTails(x, df1, df2).upper,
);
const F_INV_RT = define('statistical', 'F.INV.RT', ['number', 'integer', 'integer'], (_, p, df1, df2) =>
  computeFDistributionInverse({ lower: 1 - p, upper: p }, df1, df2),
);
const CONFIDENCE_NORM = define('statistical', 'CONFIDENCE.NORM', ['number', 'number', 'integer'], (_, a, s, n) =>
  a <= 0 || a >= 1 || s <= 0 || n < 1 ? NUM : (-normalQuantile(a / 2) * s) / Math.sqrt(n),
);

/** Half the width of the confidence interval of a mean, by Student's t distribution. */
function computeStudentMargin(significance: number, deviation: number, size: number): Value {
  if (significance <= 0 || significance >= 1 || deviation <= 0 || size < 1) return NUM;
  return size === 1 ? DIV0 : (studentQuantile(significance / 2, size - 1) * deviation) / Math.sqrt(size);
}

/** Google's MARGINOFERROR: the margin of error of the mean of a range at a level of confidence. */
export const MARGIN_OF_ERROR: FunctionSpec = define(
  'google',
  'MARGINOFERROR',
  ['value', 'number'],
  (context, range, confidence) => {
    const numbers = gatherNumbersByRow(context, [range]);
    if (isError(numbers)) return numbers;
    const deviation = sampleDeviation(numbers);
    return isError(deviation) ? deviation : computeStudentMargin(1 - confidence, deviation, numbers.length);
  },
);

/** Distributions of test statistics: χ², t and F. */
export const SAMPLING: readonly FunctionSpec[] = [
  define('statistical', 'CHISQ.DIST', ['number', 'integer', 'boolean'], (_, x, df, c) => computeChiSquare(x, df, c)),
  CHISQ_DIST_RT,
  defineAlias('CHIDIST', CHISQ_DIST_RT, 'compatibility'),
  define('statistical', 'CHISQ.INV', ['number', 'integer'], (_, p, df) =>
    computeChiSquareInverse({ lower: p, upper: 1 - p }, df),
  ),
  CHISQ_INV_RT,
  defineAlias('CHIINV', CHISQ_INV_RT, 'compatibility'),
  define('statistical', 'T.DIST', ['number', 'integer', 'boolean'], (_, t, df, c) => computeStudentT(t, df, c)),
  define('statistical', 'T.DIST.2T', ['number', 'integer'], (_, t, df) =>
    t < 0 || areDegreesInvalid(df) ? NUM : 2 * studentUpper(t, df),
  ),
  define('statistical', 'T.DIST.RT', ['number', 'integer'], (_, t, df) => computeStudentT(-t, df, true)),
  define('compatibility', 'TDIST', ['number', 'integer', 'integer'], (_, t, df, tails) =>
    t < 0 || areDegreesInvalid(df) || (tails !== 1 && tails !== 2) ? NUM : tails * studentUpper(t, df),
  ),
  define('statistical', 'T.INV', ['number', 'integer'], (_, p, df) => computeStudentTInverse(p, df)),
  T_INV_2T,
  defineAlias('TINV', T_INV_2T, 'compatibility'),
  define('statistical', 'F.DIST', ['number', 'integer', 'integer', 'boolean'], (_, x, df1, df2, c) =>
    computeFDistribution(x, df1, df2, c),
  ),
  F_DIST_RT,
  defineAlias('FDIST', F_DIST_RT, 'compatibility'),
  define('statistical', 'F.INV', ['number', 'integer', 'integer'], (_, p, df1, df2) =>
    computeFDistributionInverse({ lower: p, upper: 1 - p }, df1, df2),
  ),
  F_INV_RT,
  defineAlias('FINV', F_INV_RT, 'compatibility'),
  CONFIDENCE_NORM,
  defineAlias('CONFIDENCE', CONFIDENCE_NORM, 'compatibility'),
  define('statistical', 'CONFIDENCE.T', ['number', 'number', 'integer'], (_, a, s, n) => computeStudentMargin(a, s, n)),
];
