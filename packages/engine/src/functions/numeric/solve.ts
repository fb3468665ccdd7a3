const MAX_STEPS = 300;
const EPSILON = 2 ** -53;

/**
 * Finds a root of `f` between two points where its signs differ, by Brent's method, exact to the last digit; null if
 * there is none.
 */
export function findRoot(f: (x: number) => number, from: number, to: number): number | null {
  let a = from;
  let b = to;
  let fa = f(a);
  let fb = f(b);
  if (fa === 0) return a;
  if (fb === 0) return b;
  if (!(fa < 0 !== fb < 0)) return null;
  let c = a;
  let fc = fa;
  let step = b - a;
  let before = step;
  for (let i = 0; i < MAX_STEPS; i++) {
    if (Math.abs(fc) < Math.abs(fb)) {
      [a, b, c] = [b, c, b];
      [fa, fb, fc] = [fb, fc, fb];
    }
    const tolerance = 2 * EPSILON * Math.abs(b);
    const middle = (c - b) / 2;
    if (Math.abs(middle) <= tolerance || fb === 0) return b;
    const next = interpolateStep(a, b, c, fa, fb, fc, middle);
    if (
      Math.abs(before) >= tolerance &&
      Math.abs(fa) > Math.abs(fb) &&
      isStepAcceptable(next, middle, tolerance, before)
    ) {
      before = step;
      step = next;
    } else {
      step = middle;
      before = middle;
    }
    a = b;
    fa = fb;
    b += Math.abs(step) > tolerance ? step : Math.sign(middle) * (tolerance || Number.MIN_VALUE);
    fb = f(b);
    if (fb > 0 === fc > 0) {
      c = a;
      fc = fa;
      step = b - a;
      before = step;
    }
  }
  return b;
}

/** The step of inverse quadratic interpolation, or of the secant if two points coincide. */
function interpolateStep(a: number, b: number, c: number, fa: number, fb: number, fc: number, middle: number): number {
  const s = fb / fa;
  if (a === c) return (2 * middle * s) / (s - 1);
  const q = fa / fc;
  const r = fb / fc;
  return (s * (2 * middle * q * (q - r) - (b - a) * (r - 1))) / -((q - 1) * (r - 1) * (s - 1));
}

/** True if Brent's method may take an interpolated step instead of halving the interval. */
function isStepAcceptable(step: number, middle: number, tolerance: number, before: number): boolean {
  if (!Number.isFinite(step) || step < 0 !== middle < 0) return false;
  const size = Math.abs(step);
  return 2 * size < Math.min(3 * Math.abs(middle) - tolerance, Math.abs(before));
}

/**
 * Finds the x > 0 at which an increasing distribution function has a probability. `excess(x)`: the value of the
 * function minus that probability. Extends an interval from `guess` by factors until it contains x, then solves in it.
 */
export function solvePositiveQuantile(excess: (x: number) => number, guess: number): number {
  let low = guess > 0 && Number.isFinite(guess) ? guess : 1;
  let high = low;
  let factor = 2;
  if (excess(low) > 0) {
    while (excess(low) > 0) {
      high = low;
      low /= factor;
      factor *= factor;
      if (low < Number.MIN_VALUE) return 0;
    }
  } else {
    while (excess(high) < 0) {
      low = high;
      high *= factor;
      factor *= factor;
      if (high === Number.POSITIVE_INFINITY) return high;
    }
  }
  return findRoot(excess, low, high) ?? Number.NaN;
}
