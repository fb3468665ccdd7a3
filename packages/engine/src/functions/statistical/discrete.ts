import { DIV0, NA, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { define, defineAlias } from '../define.ts';
import { gatherPairs } from '../gather-numbers.ts';
import { binomialDensity, incompleteBeta } from '../numeric/beta.ts';
import {
  binomialQuantile,
  binomialTails,
  hypergeometricDensity,
  hypergeometricLower,
} from '../numeric/distributions.ts';
import { permutations } from '../numeric/factorial.ts';
import { incompleteGamma, poissonDensity } from '../numeric/gamma.ts';
import type { FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

/** Tolerance for the sum of probabilities in PROB. */
const PROBABILITY_SLACK = 1e-9;

function isProbability(p: number): boolean {
  return p >= 0 && p <= 1;
}

/** Drops the decimals of a count. Excel refuses all counts below 0, including -0.5, so these become -1. */
function truncateCount(count: number): number {
  return count < 0 ? -1 : Math.trunc(count);
}

function computeBinomial(k: number, n: number, p: number, cumulative: boolean): Value {
  if (k < 0 || k > n || !isProbability(p)) return NUM;
  return cumulative ? binomialTails(k, n, p).lower : binomialDensity(k, n, p, 1 - p);
}

/** P(from ≤ X ≤ to). Uses the smaller tails, so that ranges far from the mean are exact. */
function computeBinomialRange(n: number, p: number, from: number, to: number): Value {
  if (n < 0 || !isProbability(p) || from < 0 || from > n || to < from || to > n) return NUM;
  if (from === to) return binomialDensity(from, n, p, 1 - p);
  const before = from === 0 ? { lower: 0, upper: 1 } : binomialTails(from - 1, n, p);
  const through = binomialTails(to, n, p);
  return before.lower > 0.5 ? before.upper - through.upper : through.lower - before.lower;
}

function computeNegativeBinomial(failures: number, successes: number, p: number, cumulative: boolean): Value {
  if (failures < 0 || successes < 1 || p <= 0 || p >= 1) return NUM;
  if (cumulative) return incompleteBeta(p, 1 - p, successes, failures + 1).lower;
  const total = failures + successes;
  return (successes / total) * binomialDensity(successes, total, p, 1 - p);
}

function computeHypergeometric(
  x: number,
  sample: number,
  successes: number,
  population: number,
  cumulative: boolean,
): Value {
  if (x < 0 || population <= 0 || sample <= 0 || successes <= 0) return NUM;
  if (sample > population || successes > population || x > Math.min(sample, successes)) return NUM;
  if (x < sample - population + successes) return NUM;
  return cumulative
    ? hypergeometricLower(x, sample, successes, population)
    : hypergeometricDensity(x, sample, successes, population);
}

const BINOM_DIST = define('statistical', 'BINOM.DIST', ['number', 'integer', 'number', 'boolean'], (_, k, n, p, c) =>
  computeBinomial(truncateCount(k), n, p, c),
);
const POISSON_DIST = define('statistical', 'POISSON.DIST', ['number', 'number', 'boolean'], (_, x, mean, c) => {
  if (x < 0 || mean < 0) return NUM;
  const k = Math.trunc(x);
  return c ? incompleteGamma(k + 1, mean).upper : poissonDensity(k, mean);
});

export const DISCRETE: readonly FunctionSpec[] = [
  BINOM_DIST,
  defineAlias('BINOMDIST', BINOM_DIST, 'compatibility'),
  define('statistical', 'BINOM.INV', ['number', 'number', 'number'], (_, n, p, alpha) =>
    n < 0 || !(p > 0 && p < 1) || !(alpha > 0 && alpha < 1) ? NUM : binomialQuantile(Math.trunc(n), p, alpha),
  ),
  define('compatibility', 'CRITBINOM', ['integer', 'number', 'number'], (_, n, p, alpha) => {
    if (n < 0 || !isProbability(p) || !isProbability(alpha)) return NUM;
    // Because of rounding, the probabilities add up to 1 before the last number of successes.
    return alpha === 1 && p > 0 ? n : binomialQuantile(n, p, alpha);
  }),
  define('statistical', 'BINOM.DIST.RANGE', ['integer', 'number', 'integer', 'integer?'], (_, n, p, from, to) =>
    computeBinomialRange(n, p, from, to ?? from),
  ),
  define('statistical', 'NEGBINOM.DIST', ['number', 'integer', 'number', 'boolean'], (_, f, s, p, c) =>
    computeNegativeBinomial(truncateCount(f), s, p, c),
  ),
  define('compatibility', 'NEGBINOMDIST', ['number', 'integer', 'number'], (_, f, s, p) =>
    computeNegativeBinomial(truncateCount(f), s, p, false),
  ),
  define(
    'statistical',
    'HYPGEOM.DIST',
    ['integer', 'integer', 'integer', 'integer', 'boolean'],
    (_, x, sample, successes, population, c) => computeHypergeometric(x, sample, successes, population, c),
  ),
  define(
    'compatibility',
    'HYPGEOMDIST',
    ['integer', 'integer', 'integer', 'integer', 'boolean?'],
    (_, x, sample, successes, population, c) => computeHypergeometric(x, sample, successes, population, c ?? false),
  ),
  POISSON_DIST,
  defineAlias('POISSON', POISSON_DIST, 'compatibility'),
  define('statistical', 'PERMUT', ['integer', 'integer'], (_, n, k) =>
    n <= 0 || k < 0 || n < k ? NUM : permutations(n, k),
  ),
  define('statistical', 'PERMUTATIONA', ['integer', 'integer'], (_, n, k) => (n < 0 || k < 0 ? NUM : n ** k)),
  define(
    'statistical',
    'PROB',
    ['value', 'value', 'number', 'number??'],
    (context, values, odds, from, to) => {
      const pairs = gatherPairs(context, values, odds, NA);
      if (isError(pairs)) return pairs;
      if (pairs.xs.length === 0) return DIV0;
      const last = to ?? from;
      let total = 0;
      let inside = 0;
      for (let i = 0; i < pairs.xs.length; i++) {
        const x = pairs.xs[i]!;
        const p = pairs.ys[i]!;
        if (!(p >= 0 && p <= 1)) return NUM;
        total += p;
        if (x >= from && x <= last) inside += p;
      }
      return Math.abs(total - 1) > PROBABILITY_SLACK ? NUM : inside;
    },
    { calculatesArrays: true },
  ),
];
