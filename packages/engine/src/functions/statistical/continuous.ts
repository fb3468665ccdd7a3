import { NUM } from '../../value/errors.ts';
import { define, defineAlias } from '../define.ts';
import { computeBetaKernel, incompleteBeta } from '../numeric/beta.ts';
import { betaQuantile, gammaQuantile } from '../numeric/distributions.ts';
import { gamma, incompleteGamma, lnGamma, poissonDensity } from '../numeric/gamma.ts';
import { normalDensity, normalFromCentre, normalLower, normalQuantile } from '../numeric/normal.ts';
import type { FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

function computeNormal(x: number, mean: number, deviation: number, cumulative: boolean): Value {
  if (deviation <= 0) return NUM;
  const z = (x - mean) / deviation;
  return cumulative ? normalLower(z) : normalDensity(z) / deviation;
}

function computeNormalInverse(p: number, mean: number, deviation: number): Value {
  if (p <= 0 || p >= 1 || deviation <= 0) return NUM;
  return mean + deviation * normalQuantile(p);
}

function computeLogNormal(x: number, mean: number, deviation: number, cumulative: boolean): Value {
  if (x <= 0 || deviation <= 0) return NUM;
  const z = (Math.log(x) - mean) / deviation;
  return cumulative ? normalLower(z) : normalDensity(z) / (deviation * x);
}

function computeExponential(x: number, rate: number, cumulative: boolean): Value {
  if (x < 0 || rate <= 0) return NUM;
  return cumulative ? -Math.expm1(-rate * x) : rate * Math.exp(-rate * x);
}

function computeWeibull(x: number, shape: number, scale: number, cumulative: boolean): Value {
  if (x < 0 || shape <= 0 || scale <= 0) return NUM;
  // With a shape of 1 the density has the limit 1 / scale, but Excel returns 0.
  if (x === 0 && shape >= 1) return 0;
  const power = (x / scale) ** shape;
  return cumulative ? -Math.expm1(-power) : (shape / scale) * (x / scale) ** (shape - 1) * Math.exp(-power);
}

function computeGamma(x: number, shape: number, scale: number, cumulative: boolean): Value {
  if (x < 0 || shape <= 0 || scale <= 0) return NUM;
  const z = x / scale;
  if (cumulative) return incompleteGamma(shape, z).lower;
  if (z === 0) return shape === 1 ? 1 / scale : shape < 1 ? NUM : 0;
  return (poissonDensity(shape, z) * shape) / x;
}

function computeGammaInverse(p: number, shape: number, scale: number): Value {
  if (p < 0 || p >= 1 || shape <= 0 || scale <= 0) return NUM;
  return p === 0 ? 0 : scale * gammaQuantile({ lower: p, upper: 1 - p }, shape);
}

/** BETA.DIST on the interval from `from` to `to`. */
function computeBeta(x: number, a: number, b: number, cumulative: boolean, from: number, to: number): Value {
  if (a <= 0 || b <= 0 || x < from || x > to || from === to) return NUM;
  const z = (x - from) / (to - from);
  const rest = (to - x) / (to - from);
  if (cumulative) return incompleteBeta(z, rest, a, b).lower;
  if (z === 0 || rest === 0) return computeBetaDensityAtEnd(z === 0 ? a : b, z === 0 ? b : a, to - from);
  return computeBetaKernel(z, rest, a, b) / (z * rest * (to - from));
}

/**
 * The density at an end of the interval: infinite if the parameter is below 1, finite if it is 1, zero if it is above
 * 1.
 */
function computeBetaDensityAtEnd(parameter: number, otherParameter: number, width: number): Value {
  if (parameter < 1) return NUM;
  return parameter === 1 ? otherParameter / width : 0;
}

function computeBetaInverse(p: number, a: number, b: number, from: number, to: number): Value {
  // Excel returns an error for a probability of 0 or above 1 (Microsoft, “BETA.INV function”).
  if (p <= 0 || p > 1 || a <= 0 || b <= 0 || from >= to) return NUM;
  return p === 1 ? to : from + (to - from) * betaQuantile(p, a, b);
}

const NORM_DIST = define('statistical', 'NORM.DIST', ['number', 'number', 'number', 'boolean'], (_, x, m, s, c) =>
  computeNormal(x, m, s, c),
);
const NORM_INV = define('statistical', 'NORM.INV', ['number', 'number', 'number'], (_, p, m, s) =>
  computeNormalInverse(p, m, s),
);
const NORM_S_INV = define('statistical', 'NORM.S.INV', ['number'], (_, p) => computeNormalInverse(p, 0, 1));
const LOGNORM_INV = define('statistical', 'LOGNORM.INV', ['number', 'number', 'number'], (_, p, m, s) =>
  p <= 0 || p >= 1 || s <= 0 ? NUM : Math.exp(m + s * normalQuantile(p)),
);
const EXPON_DIST = define('statistical', 'EXPON.DIST', ['number', 'number', 'boolean'], (_, x, rate, c) =>
  computeExponential(x, rate, c),
);
const WEIBULL_DIST = define('statistical', 'WEIBULL.DIST', ['number', 'number', 'number', 'boolean'], (_, x, a, b, c) =>
  computeWeibull(x, a, b, c),
);
const GAMMA_DIST = define('statistical', 'GAMMA.DIST', ['number', 'number', 'number', 'boolean'], (_, x, a, b, c) =>
  computeGamma(x, a, b, c),
);
const GAMMA_INV = define('statistical', 'GAMMA.INV', ['number', 'number', 'number'], (_, p, a, b) =>
  computeGammaInverse(p, a, b),
);
const GAMMALN = define('statistical', 'GAMMALN', ['number'], (_, x) => (x <= 0 ? NUM : lnGamma(x)));

export const CONTINUOUS: readonly FunctionSpec[] = [
  NORM_DIST,
  defineAlias('NORMDIST', NORM_DIST, 'compatibility'),
  NORM_INV,
  defineAlias('NORMINV', NORM_INV, 'compatibility'),
  NORM_S_INV,
  defineAlias('NORMSINV', NORM_S_INV, 'compatibility'),
  define('statistical', 'NORM.S.DIST', ['number', 'boolean'], (_, z, cumulative) => computeNormal(z, 0, 1, cumulative)),
  define('compatibility', 'NORMSDIST', ['number'], (_, z) => computeNormal(z, 0, 1, true)),
  define('statistical', 'PHI', ['number'], (_, z) => normalDensity(z)),
  define('statistical', 'GAUSS', ['number'], (_, z) => normalFromCentre(z)),
  define('statistical', 'STANDARDIZE', ['number', 'number', 'number'], (_, x, mean, deviation) =>
    deviation <= 0 ? NUM : (x - mean) / deviation,
  ),
  define('statistical', 'LOGNORM.DIST', ['number', 'number', 'number', 'boolean'], (_, x, m, s, c) =>
    computeLogNormal(x, m, s, c),
  ),
  define('compatibility', 'LOGNORMDIST', ['number', 'number??', 'number??', 'boolean??'], (_, x, m, s, cumulative) =>
    computeLogNormal(x, m ?? 0, s ?? 1, cumulative ?? true),
  ),
  LOGNORM_INV,
  defineAlias('LOGINV', LOGNORM_INV, 'compatibility'),
  EXPON_DIST,
  defineAlias('EXPONDIST', EXPON_DIST, 'compatibility'),
  WEIBULL_DIST,
  defineAlias('WEIBULL', WEIBULL_DIST, 'compatibility'),
  GAMMA_DIST,
  defineAlias('GAMMADIST', GAMMA_DIST, 'compatibility'),
  GAMMA_INV,
  defineAlias('GAMMAINV', GAMMA_INV, 'compatibility'),
  define('statistical', 'GAMMA', ['number'], (_, x) => gamma(x)),
  GAMMALN,
  defineAlias('GAMMALN.PRECISE', GAMMALN),
  define(
    'statistical',
    'BETA.DIST',
    ['number', 'number', 'number', 'boolean', 'number??', 'number??'],
    (_, x, a, b, cumulative, from, to) => computeBeta(x, a, b, cumulative, from ?? 0, to ?? 1),
  ),
  define('compatibility', 'BETADIST', ['number', 'number', 'number', 'number??', 'number??'], (_, x, a, b, from, to) =>
    computeBeta(x, a, b, true, from ?? 0, to ?? 1),
  ),
  define('statistical', 'BETA.INV', ['number', 'number', 'number', 'number??', 'number??'], (_, p, a, b, from, to) =>
    computeBetaInverse(p, a, b, from ?? 0, to ?? 1),
  ),
  define('compatibility', 'BETAINV', ['number', 'number', 'number', 'number??', 'number??'], (_, p, a, b, from, to) =>
    computeBetaInverse(p, a, b, from ?? 0, to ?? 1),
  ),
  define('statistical', 'FISHER', ['number'], (_, x) => (x <= -1 || x >= 1 ? NUM : Math.atanh(x))),
  define('statistical', 'FISHERINV', ['number'], (_, y) => Math.tanh(y)),
];
