/** Euler's constant γ. */
export const EULER = 0.5772156649015329;
const LN_SQRT_TWO_PI = 0.9189385332046728;
/** The smallest argument for which Stirling's series is exact to double precision. */
const STIRLING_FROM = 10;
/** The largest argument whose gamma is a finite double. */
const MAX_GAMMA = 171.6243769563027;
/** Maximum number of terms of a continued fraction or series. */
const MAX_TERMS = 200_000;
const EPSILON = 2 ** -53;
const TINY = 1e-300;

/** B(2k) / (2k (2k − 1)), the coefficients of Stirling's series (Abramowitz & Stegun 6.1.41). */
const STIRLING: readonly number[] = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
  43867 / 244188,
];

/** Number of terms of the series about 2; enough for |z| ≤ 1/2. */
const ZETA_TERMS = 28;
/** Number of terms of ζ(k) that are summed directly. The Euler–Maclaurin formula gives the sum of the others. */
const ZETA_DIRECT = 40;

/** ζ(k) − 1. */
function computeZetaMinusOne(k: number): number {
  let sum = 0;
  for (let n = ZETA_DIRECT - 1; n >= 2; n--) sum += n ** -k;
  const n = ZETA_DIRECT;
  const tail = n ** (1 - k) / (k - 1) + n ** -k / 2;
  const first = (k * n ** (-k - 1)) / 12;
  const second = (k * (k + 1) * (k + 2) * n ** (-k - 3)) / 720;
  const third = (k * (k + 1) * (k + 2) * (k + 3) * (k + 4) * n ** (-k - 5)) / 30240;
  const fourth = (k * (k + 1) * (k + 2) * (k + 3) * (k + 4) * (k + 5) * (k + 6) * n ** (-k - 7)) / 1209600;
  return sum + (tail + first - second + third - fourth);
}

/** (−1)^k (ζ(k) − 1) / k from k = 2: the series of ln Γ(2 + z) (Abramowitz & Stegun 6.1.33). */
const ABOUT_TWO: readonly number[] = Array.from({ length: ZETA_TERMS }, (_, i) => {
  const k = i + 2;
  return ((k % 2 === 0 ? 1 : -1) * computeZetaMinusOne(k)) / k;
});

/** ln Γ(2 + z), |z| ≤ 1/2. */
function lnGammaAboutTwo(z: number): number {
  let sum = 0;
  for (let i = ABOUT_TWO.length - 1; i >= 0; i--) sum = sum * z + ABOUT_TWO[i]!;
  return z * (1 - EULER + z * sum);
}

/** The remainder of Stirling's formula: ln Γ(x) − ((x − ½) ln x − x + ln √2π), x ≥ 10. */
function computeStirlingTail(x: number): number {
  const square = 1 / (x * x);
  let sum = 0;
  for (let i = STIRLING.length - 1; i >= 0; i--) sum = sum * square + STIRLING[i]!;
  return sum / x;
}

/** ln Γ(x) for x > 0, exact to a few units in the last place, also near its zeros at 1 and 2. */
export function lnGamma(x: number): number {
  if (x >= STIRLING_FROM) return (x - 0.5) * Math.log(x) - x + LN_SQRT_TWO_PI + computeStirlingTail(x);
  if (x < 0.5) return lnGammaAboutTwo(x) - Math.log1p(x) - Math.log(x);
  if (x < 1.5) return lnGammaAboutTwo(x - 1) - Math.log1p(x - 1);
  let product = 1;
  let rest = x;
  while (rest > 2.5) {
    rest -= 1;
    product *= rest;
  }
  return lnGammaAboutTwo(rest - 2) + Math.log(product);
}

/** Γ(x); NaN at its poles 0, −1, −2, … */
export function gamma(x: number): number {
  if (Number.isInteger(x) && x <= 0) return Number.NaN;
  if (x > MAX_GAMMA) return Number.POSITIVE_INFINITY;
  if (x < 0.5) {
    const below = Math.floor(x);
    const sine = Math.sin(Math.PI * (x - below)) * (below % 2 === 0 ? 1 : -1);
    return Math.PI / (sine * gamma(1 - x));
  }
  let product = 1;
  let rest = x;
  if (x < STIRLING_FROM * 3) {
    while (rest > 2.5) {
      rest -= 1;
      product *= rest;
    }
    if (rest === 1 || rest === 2) return product;
    return product * Math.exp(lnGamma(rest));
  }
  // x^(x − ½) is multiplied in two halves, because it may overflow although its product with e^−x does not.
  const half = x ** ((x - 0.5) / 2);
  return half * Math.exp(-x) * half * Math.exp(LN_SQRT_TWO_PI + computeStirlingTail(x));
}

/**
 * The difference of ln n! and the logarithm of Stirling's √(2πn) (n/e)^n, for n ≥ 0: the error term of Loader's
 * densities (“Fast and accurate computation of binomial probabilities”, 2000).
 */
export function computeStirlingError(n: number): number {
  if (n >= STIRLING_FROM) return computeStirlingTail(n);
  if (n === 0) return 0;
  return lnGamma(n + 1) - (n + 0.5) * Math.log(n) + n - LN_SQRT_TWO_PI;
}

/** x ln(x / m) + m − x without cancellation near x = m: Loader's deviance. */
export function computeDeviance(x: number, m: number): number {
  if (x === 0) return m;
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
  const v = (x - m) / (x + m);
  let sum = (x - m) * v;
  let term = 2 * x * v;
  const square = v * v;
  for (let k = 3; k < MAX_TERMS; k += 2) {
    term *= square;
    const next = sum + term / k;
    if (next === sum) return next;
    sum = next;
  }
  return sum;
}

/** λ^x e^−λ / Γ(x + 1) for x ≥ 0, λ ≥ 0; x need not be an integer. */
export function poissonDensity(x: number, lambda: number): number {
  if (lambda === 0) return x === 0 ? 1 : 0;
  if (x === 0) return Math.exp(-lambda);
  if (x < TINY) return Math.exp(-lambda + x * Math.log(lambda) - lnGamma(x + 1));
  return Math.exp(-computeStirlingError(x) - computeDeviance(x, lambda)) / Math.sqrt(2 * Math.PI * x);
}

/** Lower and upper tail of a distribution. Their sum is 1; the smaller one is exact to its last digits. */
export interface Tails {
  readonly lower: number;
  readonly upper: number;
}

/** The regularised incomplete gamma functions P(a, x) and Q(a, x), a > 0, x ≥ 0 (NIST DLMF 8.2). */
export function incompleteGamma(a: number, x: number): Tails {
  if (x <= 0) return { lower: 0, upper: 1 };
  if (x === Number.POSITIVE_INFINITY) return { lower: 1, upper: 0 };
  const density = poissonDensity(a, x);
  if (x < a + 1) {
    const lower = density * sumLowerSeries(a, x);
    return { lower, upper: 1 - lower };
  }
  const upper = density * a * evaluateUpperFraction(a, x);
  return { lower: 1 - upper, upper };
}

/** Σ x^k / ((a + 1) … (a + k)) (DLMF 8.7.1). */
function sumLowerSeries(a: number, x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; k < MAX_TERMS; k++) {
    term *= x / (a + k);
    sum += term;
    if (term < sum * EPSILON) break;
  }
  return sum;
}

/** Γ(a, x) e^x x^−a by Lentz's method (DLMF 8.9.2). */
function evaluateUpperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let h = d;
  for (let i = 1; i < MAX_TERMS; i++) {
    const an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (Math.abs(d) < TINY) d = TINY;
    c = b + an / c;
    if (Math.abs(c) < TINY) c = TINY;
    d = 1 / d;
    const delta = d * c;
    h *= delta;
    if (Math.abs(delta - 1) < 2 * EPSILON) break;
  }
  return h;
}
