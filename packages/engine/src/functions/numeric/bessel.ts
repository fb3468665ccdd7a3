import { EULER } from './gamma.ts';

const EPSILON = 2 ** -53;
const MAX_TERMS = 20_000;
/** Maximum value in a backward recurrence. Larger values are scaled down. */
const LARGE = 1e250;
/**
 * The smallest x for which orders 0 and 1 are computed by Hankel's asymptotic series. There, the smallest term of the
 * series is below double precision.
 */
const ASYMPTOTIC_FROM = 20;

/** The start order of a backward recurrence that gives order n at x to double precision. */
function chooseStartOrder(n: number, x: number): number {
  const from = Math.max(n, Math.ceil(x));
  return 2 * Math.ceil((from + 20 + Math.ceil(Math.sqrt(60 * (from + 1)))) / 2);
}

/** J(k, x) for k = 0 … n at x > 0, and the sums that Neumann's series for Y need. Miller's algorithm. */
interface BesselFirstKind {
  readonly j: readonly number[];
  /** Σ (−1)^k J(2k) / k, from k = 1. */
  readonly even: number;
  /** Σ (−1)^k (2k + 1) / (k (k + 1)) J(2k + 1), from k = 1. */
  readonly odd: number;
}

function computeFirstKind(n: number, x: number): BesselFirstKind {
  const j = new Array<number>(n + 1).fill(0);
  let above = 0;
  let current = 1e-280;
  let norm = 0;
  let even = 0;
  let odd = 0;
  for (let k = chooseStartOrder(n, x); k >= 0; k--) {
    if (k <= n) j[k] = current;
    const half = k >> 1;
    const signed = half % 2 === 0 ? current : -current;
    if (k % 2 === 0) {
      norm += k === 0 ? current : 2 * current;
      if (k > 0) even += signed / half;
    } else if (k > 1) odd += (signed * k) / (half * (half + 1));
    const below = ((2 * k) / x) * current - above;
    above = current;
    current = below;
    if (Math.abs(current) > LARGE) {
      for (let i = k; i <= n; i++) j[i]! /= LARGE;
      above /= LARGE;
      current /= LARGE;
      norm /= LARGE;
      even /= LARGE;
      odd /= LARGE;
    }
  }
  return { j: j.map((value) => value / norm), even: even / norm, odd: odd / norm };
}

/** Hankel's asymptotic J and Y of order 0 or 1 (Abramowitz & Stegun 9.2.5). */
function computeAsymptoticSeries(n: 0 | 1, x: number): { readonly j: number; readonly y: number } {
  const mu = 4 * n * n;
  let p = 1;
  let q = 0;
  let term = 1;
  for (let k = 1; k < MAX_TERMS; k++) {
    const next = (term * (mu - (2 * k - 1) ** 2)) / (k * 8 * x);
    if (Math.abs(next) >= Math.abs(term) || Math.abs(next) < EPSILON / 8) break;
    term = next;
    const signed = k % 4 === 0 || k % 4 === 1 ? term : -term;
    if (k % 2 === 0) p += signed;
    else q += signed;
  }
  const scale = Math.sqrt(2 / (Math.PI * x));
  // cos and sin of x − (n/2 + 1/4) π. The addition theorem preserves all digits of x.
  const c = Math.cos(x);
  const s = Math.sin(x);
  const cosine = (n === 0 ? c + s : s - c) * Math.SQRT1_2;
  const sine = (n === 0 ? s - c : -s - c) * Math.SQRT1_2;
  return { j: scale * (p * cosine - q * sine), y: scale * (p * sine + q * cosine) };
}

/** The Bessel function of the first kind, J(n, x), integer n ≥ 0. */
export function besselJ(x: number, n: number): number {
  if (x === 0) return n === 0 ? 1 : 0;
  if (x < 0) return (n % 2 === 0 ? 1 : -1) * besselJ(-x, n);
  if (n <= x && x >= ASYMPTOTIC_FROM)
    return recurForward(computeAsymptoticSeries(0, x).j, computeAsymptoticSeries(1, x).j, x, n);
  if (x * x < 4 * (n + 1) * 0.25) return sumPowerSeries(x, n, -1);
  return computeFirstKind(n, x).j[n]!;
}

/** The Bessel function of the second kind, Y(n, x), x > 0, integer n ≥ 0. */
export function besselY(x: number, n: number): number {
  if (x >= ASYMPTOTIC_FROM) return recurForward(computeAsymptoticSeries(0, x).y, computeAsymptoticSeries(1, x).y, x, n);
  // Neumann's series, Abramowitz & Stegun 9.1.88.
  const { j, even, odd } = computeFirstKind(1, x);
  const [j0, j1] = j as readonly [number, number];
  const logarithm = Math.log(x / 2) + EULER;
  const y0 = (2 / Math.PI) * (logarithm * j0 - 2 * even);
  const y1 = (2 / Math.PI) * ((logarithm - 1) * j1 - odd - j0 / x);
  return recurForward(y0, y1, x, n);
}

/** Order n from orders 0 and 1 by the forward recurrence f(k + 1) = (2k / x) f(k) − f(k − 1). */
function recurForward(zeroth: number, first: number, x: number, n: number): number {
  if (n === 0) return zeroth;
  let before = zeroth;
  let current = first;
  for (let k = 1; k < n; k++) {
    const next = ((2 * k) / x) * current - before;
    before = current;
    current = next;
    if (!Number.isFinite(current)) break;
  }
  return current;
}

/** (x/2)^n / n! Σ (± x²/4)^k / (k! (n + 1)…(n + k)): J with sign −1, I with sign 1. */
function sumPowerSeries(x: number, n: number, sign: 1 | -1): number {
  let lead = 1;
  for (let k = 1; k <= n && lead !== 0; k++) lead *= x / 2 / k;
  const quarter = (x * x) / 4;
  let term = 1;
  let sum = 1;
  for (let k = 1; k < MAX_TERMS; k++) {
    term *= (sign * quarter) / (k * (n + k));
    sum += term;
    if (Math.abs(term) < EPSILON * Math.abs(sum)) break;
  }
  return lead * sum;
}

/** The modified Bessel function of the first kind, I(n, x): its series has only positive terms. */
export function besselI(x: number, n: number): number {
  if (x === 0) return n === 0 ? 1 : 0;
  const value = sumPowerSeries(Math.abs(x), n, 1);
  return x < 0 && n % 2 === 1 ? -value : value;
}

/** The modified Bessel function of the second kind, K(n, x), x > 0. */
export function besselK(x: number, n: number): number {
  const [zeroth, first] = x <= 2 ? computeSmallK(x) : computeLargeK(x);
  if (n === 0) return zeroth;
  let before = zeroth;
  let current = first;
  for (let k = 1; k < n; k++) {
    const next = ((2 * k) / x) * current + before;
    before = current;
    current = next;
    if (!Number.isFinite(current)) break;
  }
  return current;
}

/** K(0) and K(1) by the series of K(0) and the Wronskian I(0) K(1) + I(1) K(0) = 1 / x. */
function computeSmallK(x: number): readonly [number, number] {
  const quarter = (x * x) / 4;
  let harmonic = 0;
  let term = 1;
  let sum = 0;
  for (let k = 1; k < MAX_TERMS; k++) {
    term *= quarter / (k * k);
    harmonic += 1 / k;
    sum += term * harmonic;
    if (term * harmonic < EPSILON * sum) break;
  }
  const i0 = besselI(x, 0);
  const zeroth = -(Math.log(x / 2) + EULER) * i0 + sum;
  return [zeroth, (1 / x - besselI(x, 1) * zeroth) / i0];
}

/** K(0) and K(1) by Steed's evaluation of Temme's continued fraction (1975), x ≥ 2. */
function computeLargeK(x: number): readonly [number, number] {
  let b = 2 * (1 + x);
  let d = 1 / b;
  let h = d;
  let delta = d;
  let q1 = 0;
  let q2 = 1;
  const a1 = 0.25;
  let q = a1;
  let c = a1;
  let a = -a1;
  let s = 1 + q * delta;
  for (let i = 2; i < MAX_TERMS; i++) {
    a -= 2 * (i - 1);
    c = (-a * c) / i;
    const next = (q1 - b * q2) / a;
    q1 = q2;
    q2 = next;
    q += c * next;
    b += 2;
    d = 1 / (b + a * d);
    delta = (b * d - 1) * delta;
    h += delta;
    const change = q * delta;
    s += change;
    if (Math.abs(change / s) < EPSILON) break;
  }
  const zeroth = (Math.sqrt(Math.PI / (2 * x)) * Math.exp(-x)) / s;
  return [zeroth, (zeroth * (x + 0.5 - a1 * h)) / x];
}
