import { computeDeviance, computeStirlingError, lnGamma, type Tails } from './gamma.ts';

const MAX_TERMS = 200_000;
const EPSILON = 2 ** -53;
const TINY = 1e-300;

/** ln B(a, b), a and b > 0. */
function lnBeta(a: number, b: number): number {
  return lnGamma(a) + lnGamma(b) - lnGamma(a + b);
}

/**
 * Γ(n + 1) / (Γ(x + 1) Γ(n − x + 1)) p^x q^(n − x), 0 ≤ x ≤ n. `q` is 1 − p; the caller passes it because computing it
 * would lose digits. x and n need not be integers (Loader 2000).
 */
export function binomialDensity(x: number, n: number, p: number, q: number): number {
  if (p === 0) return x === 0 ? 1 : 0;
  if (q === 0) return x === n ? 1 : 0;
  const rest = n - x;
  if (x === 0) return n === 0 ? 1 : Math.exp(p < 0.1 ? n * Math.log1p(-p) : n * Math.log(q));
  if (rest === 0) return Math.exp(q < 0.1 ? n * Math.log1p(-q) : n * Math.log(p));
  const exponent =
    computeStirlingError(n) -
    computeStirlingError(x) -
    computeStirlingError(rest) -
    computeDeviance(x, n * p) -
    computeDeviance(rest, n * q);
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * x * rest));
}

/** x^a y^b / B(a, b), y = 1 − x. */
export function computeBetaKernel(x: number, y: number, a: number, b: number): number {
  const sum = a + b;
  const scaled = (a / sum) * b;
  // The binomial form computes n − x, which is exact only if a is not much larger than b.
  if (Math.min(a, b) / sum < EPSILON * 8) {
    return Math.exp(a * Math.log(x) + b * (x < 0.5 ? Math.log1p(-x) : Math.log(y)) - lnBeta(a, b));
  }
  return scaled * computeKernelByDensity(x, y, a, b);
}

/** `computeBetaKernel` for large parameters, by the binomial density. */
function computeKernelByDensity(x: number, y: number, a: number, b: number): number {
  const n = a + b;
  const exponent =
    computeStirlingError(n) -
    computeStirlingError(a) -
    computeStirlingError(b) -
    computeDeviance(a, n * x) -
    computeDeviance(b, n * y);
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * a * b));
}

/**
 * The regularised incomplete beta function I_x(a, b) and its complement. `y` is 1 − x; the caller passes it because
 * computing it near x = 1 would lose digits (NIST DLMF 8.17.22).
 */
export function incompleteBeta(x: number, y: number, a: number, b: number): Tails {
  if (x <= 0) return { lower: 0, upper: 1 };
  if (y <= 0) return { lower: 1, upper: 0 };
  if (x > (a + 1) / (a + b + 2)) {
    const upper = (computeBetaKernel(y, x, b, a) * evaluateContinuedFraction(y, b, a)) / b;
    return { lower: 1 - upper, upper };
  }
  const lower = (computeBetaKernel(x, y, a, b) * evaluateContinuedFraction(x, a, b)) / a;
  return { lower, upper: 1 - lower };
}

/** The continued fraction by Lentz's method. */
function evaluateContinuedFraction(x: number, a: number, b: number): number {
  const sum = a + b;
  let c = 1;
  let d = 1 - (sum * x) / (a + 1);
  if (Math.abs(d) < TINY) d = TINY;
  d = 1 / d;
  let h = d;
  for (let m = 1; m < MAX_TERMS; m++) {
    const twice = 2 * m;
    const even = (m * (b - m) * x) / ((a + twice - 1) * (a + twice));
    d = 1 + even * d;
    if (Math.abs(d) < TINY) d = TINY;
    c = 1 + even / c;
    if (Math.abs(c) < TINY) c = TINY;
    d = 1 / d;
    h *= d * c;
    const odd = (-(a + m) * (sum + m) * x) / ((a + twice) * (a + twice + 1));
    d = 1 + odd * d;
    if (Math.abs(d) < TINY) d = TINY;
    c = 1 + odd / c;
    if (Math.abs(c) < TINY) c = TINY;
    d = 1 / d;
    const delta = d * c;
    h *= delta;
    if (Math.abs(delta - 1) < 2 * EPSILON) break;
  }
  return h;
}
