import { binomialDensity, incompleteBeta } from './beta.ts';
import { incompleteGamma, type Tails } from './gamma.ts';
import { normalQuantile } from './normal.ts';
import { solvePositiveQuantile } from './solve.ts';

/** A term smaller than this share of the sum does not change it. */
const NEGLIGIBLE = 2 ** -60;

/** Student's t distribution: the probability of a value above |t|. */
export function studentUpper(t: number, df: number): number {
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return 0;
  const { lower } = incompleteBeta(df / (df + square), square / (df + square), df / 2, 0.5);
  return lower / 2;
}

/** The value t above which the probability is p, 0 < p ≤ ½. */
export function studentQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  const guess = Math.max(-normalQuantile(p), Number.MIN_VALUE);
  return solvePositiveQuantile((t) => Math.log(p) - Math.log(studentUpper(t, df)), guess);
}

/** Both tails of the F distribution at x ≥ 0. */
export function fisherTails(x: number, df1: number, df2: number): Tails {
  const product = df1 * x;
  const sum = product + df2;
  if (sum === Number.POSITIVE_INFINITY) return { lower: 1, upper: 0 };
  return incompleteBeta(product / sum, df2 / sum, df1 / 2, df2 / 2);
}

/** Both tails of the χ² distribution at x ≥ 0. */
export function chiSquareTails(x: number, df: number): Tails {
  return incompleteGamma(df / 2, x / 2);
}

/** The x > 0 at which a distribution has the given tail probabilities. Solves for the logarithm of the smaller tail. */
export function solveQuantile(tailsAt: (x: number) => Tails, tails: Tails, guess: number): number {
  if (tails.lower <= tails.upper) {
    const target = Math.log(tails.lower);
    return solvePositiveQuantile((x) => Math.log(tailsAt(x).lower) - target, guess);
  }
  const target = Math.log(tails.upper);
  return solvePositiveQuantile((x) => target - Math.log(tailsAt(x).upper), guess);
}

/**
 * The quantile of the beta distribution on 0 … 1. It solves for the odds x / (1 − x), so that values near both ends are
 * exact.
 */
export function betaQuantile(p: number, a: number, b: number): number {
  const tailsAt = (odds: number) => incompleteBeta(odds / (1 + odds), 1 / (1 + odds), a, b);
  const odds = solveQuantile(tailsAt, { lower: p, upper: 1 - p }, a / b);
  return odds === Number.POSITIVE_INFINITY ? 1 : odds / (1 + odds);
}

/** The quantile of the gamma distribution of shape `a` and scale 1. */
export function gammaQuantile(tails: Tails, a: number): number {
  return solveQuantile((x) => incompleteGamma(a, x), tails, a);
}

/** Both tails of the binomial distribution: P(X ≤ k) and P(X > k), 0 ≤ k ≤ n. */
export function binomialTails(k: number, n: number, p: number): Tails {
  if (k >= n) return { lower: 1, upper: 0 };
  const { lower, upper } = incompleteBeta(p, 1 - p, k + 1, n - k);
  return { lower: upper, upper: lower };
}

/** The least k with P(X ≤ k) ≥ alpha. */
export function binomialQuantile(n: number, p: number, alpha: number): number {
  // For larger n, the bisection below would not end, because doubles do not represent all integers.
  if (n > Number.MAX_SAFE_INTEGER) return Number.NaN;
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (binomialTails(middle, n, p).lower >= alpha) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * P(X = x): the probability of x successes in a sample of `sample` items from a population of `population` items, of
 * which `successes` are successes.
 */
export function hypergeometricDensity(x: number, sample: number, successes: number, population: number): number {
  const p = sample / population;
  const q = (population - sample) / population;
  const failures = population - successes;
  const drawn = binomialDensity(x, successes, p, q) * binomialDensity(sample - x, failures, p, q);
  return drawn / binomialDensity(sample, population, p, q);
}

/** P(X ≤ x). Sums the tail that does not contain the mean, where terms decrease immediately. */
export function hypergeometricLower(x: number, sample: number, successes: number, population: number): number {
  const failures = population - successes;
  const least = Math.max(0, sample - failures);
  const most = Math.min(sample, successes);
  if (x >= most) return 1;
  const down = x <= (sample * successes) / population;
  let term = hypergeometricDensity(down ? x : x + 1, sample, successes, population);
  let sum = term;
  for (let i = down ? x : x + 1; down ? i > least : i < most; i += down ? -1 : 1) {
    term *= down
      ? (i * (failures - sample + i)) / ((successes - i + 1) * (sample - i + 1))
      : ((successes - i) * (sample - i)) / ((i + 1) * (failures - sample + i + 1));
    sum += term;
    // The condition is negated because terms of huge numbers are NaN: with `<=` the loop would not end.
    if (!(term > sum * NEGLIGIBLE)) break;
  }
  return down ? Math.min(sum, 1) : Math.max(1 - sum, 0);
}
