import { findRoot } from './solve.ts';

const MAX_NEWTON_STEPS = 150;
/** If a step is smaller than this, relative to 1 + rate, the search ends: the next step would be about its square. */
const RATE_TOLERANCE = 1e-10;
/** Growth factors per period (1 + rate). If Newton's method fails, a sign change between two of them is searched. */
const FACTORS: readonly number[] = [
  1e-6, 1e-4, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.005, 1.01, 1.02, 1.05, 1.1,
  1.15, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 2.5, 3, 4, 6, 10, 20, 50, 100, 1000, 1e4, 1e6,
];

/** The value and the derivative of a function at one point. */
export interface ValueAndSlope {
  readonly value: number;
  readonly slope: number;
}

/**
 * Finds a rate above −1 at which `f` is 0: by Newton's method from the guess, else at the sign change nearest to the
 * guess. Returns null if there is no root.
 */
export function findRateRoot(f: (rate: number) => ValueAndSlope, guess: number): number | null {
  return findRateByNewton(f, guess) ?? findNearestSignChange((rate) => f(rate).value, guess);
}

/**
 * Finds a rate by Newton's method only, as Excel's RATE does. Returns null if a step leads to −1 or below, or if the
 * steps do not converge.
 */
export function findRateByNewton(f: (rate: number) => ValueAndSlope, guess: number): number | null {
  let rate = guess;
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const { value, slope } = f(rate);
    if (value === 0) return rate;
    if (!Number.isFinite(value) || !Number.isFinite(slope) || slope === 0) return null;
    const change = value / slope;
    const next = rate - change;
    if (!(next > -1) || !Number.isFinite(next)) return null;
    if (Math.abs(change) <= RATE_TOLERANCE * (1 + Math.abs(rate))) return next;
    rate = next;
  }
  return null;
}

/** The rate next to a sign change of `value` that is nearest to the guess; null if there is none. */
function findNearestSignChange(value: (rate: number) => number, guess: number): number | null {
  const rates = FACTORS.map((factor) => factor - 1);
  const values = rates.map(value);
  let best: { readonly low: number; readonly high: number; readonly distance: number } | null = null;
  for (let i = 1; i < rates.length; i++) {
    const a = values[i - 1]!;
    const b = values[i]!;
    // One of the rates may be an exact root: for -100 and 50 the root is -50 %.
    if (!Number.isFinite(a) || !Number.isFinite(b) || (a !== 0 && b !== 0 && a < 0 === b < 0)) continue;
    const low = rates[i - 1]!;
    const high = rates[i]!;
    const distance = guess < low ? low - guess : guess > high ? guess - high : 0;
    if (!best || distance < best.distance) best = { low, high, distance };
  }
  return best ? findRoot(value, best.low, best.high) : null;
}
