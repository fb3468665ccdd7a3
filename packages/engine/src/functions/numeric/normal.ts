import { incompleteGamma } from './gamma.ts';

const SQRT_TWO_PI = Math.sqrt(2 * Math.PI);

/** The error function. */
export function erf(x: number): number {
  if (x === 0) return 0;
  const { lower } = incompleteGamma(0.5, x * x);
  return x < 0 ? -lower : lower;
}

/** The complementary error function, exact also for large x. */
export function erfc(x: number): number {
  const tails = incompleteGamma(0.5, x * x);
  return x < 0 ? 1 + tails.lower : tails.upper;
}

/** The standard normal density. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / SQRT_TWO_PI;
}

/** The standard normal distribution function. */
export function normalLower(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

/** Coefficients of P. J. Acklam's rational approximation to the normal quantile (2003), relative error 1.15e-9. */
const CENTRE_TOP = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
];
const CENTRE_BOTTOM = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
];
const TAIL_TOP = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_BOTTOM = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
const TAIL_BELOW = 0.02425;
/** Above this probability, the distance from one half is represented more exactly than the probability. */
const CENTRAL_ABOVE = 0.25;

function evaluatePolynomial(coefficients: readonly number[], x: number): number {
  let sum = 0;
  for (const coefficient of coefficients) sum = sum * x + coefficient;
  return sum;
}

/** Acklam's approximation of the standard normal quantile for 0 < p < 0.5, with nine exact digits. */
function approximateQuantile(p: number): number {
  if (p < TAIL_BELOW) {
    const q = Math.sqrt(-2 * Math.log(p));
    return evaluatePolynomial(TAIL_TOP, q) / evaluatePolynomial(TAIL_BOTTOM, q);
  }
  const q = p - 0.5;
  const r = q * q;
  return (evaluatePolynomial(CENTRE_TOP, r) * q) / evaluatePolynomial(CENTRE_BOTTOM, r);
}

/** Φ(z) − ½, exact also near 0. */
export function normalFromCentre(z: number): number {
  return erf(z / Math.SQRT2) / 2;
}

/**
 * The quantile of the standard normal distribution, 0 < p < 1: Acklam's value, improved to full precision by Halley's
 * method.
 */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p === 0.5) return 0;
  let z = approximateQuantile(p);
  for (let step = 0; step < 2; step++) {
    const excess = p > CENTRAL_ABOVE ? normalFromCentre(z) - (p - 0.5) : normalLower(z) - p;
    const error = excess / normalDensity(z);
    z -= error / (1 + (z * error) / 2);
  }
  return z;
}
