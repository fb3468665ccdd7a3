import type { WorkMeter } from '../context.ts';

/** Values of the factors for level, trend and season that are tried first. The best combination is then refined. */
const COARSE: readonly number[] = [0.05, 0.25, 0.5, 0.75, 0.95];
/** First and last step size of the search for the best smoothing factors. */
const FIRST_STEP = 0.1;
const LAST_STEP = 1e-4;
/**
 * The cost of one step through a series, in cells; and the number of products that count as one cell, as a power of
 * two.
 */
const STEP_WORK = 1;
const PRODUCT_WORK_LOG2 = 2;
/** The minimum autocorrelation of a season. */
const MIN_CORRELATION = 0.3;

/** Weights of the newest value for level, trend and season, each 0 … 1. */
interface SmoothingFactors {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
}

/** The state of a smoothed series at its end, from which later values are forecast. */
export interface SmoothedSeries {
  readonly parameters: SmoothingFactors;
  readonly level: number;
  readonly trend: number;
  /** The seasonal components; the first one applies to the value after the last. Empty without a season. */
  readonly season: readonly number[];
  /** The one-step forecast of each value. */
  readonly fitted: readonly number[];
  /** The mean of the squared errors of `fitted`. */
  readonly squaredError: number;
}

interface SmoothingStart {
  readonly level: number;
  readonly trend: number;
  readonly season: readonly number[];
}

/**
 * Returns the initial state: linear growth between the first and last value, or between the first two seasons with
 * their mean shape.
 */
function createStart(values: readonly number[], period: number): SmoothingStart {
  const n = values.length;
  if (period < 2) {
    const first = values[0]!;
    return { level: first, trend: n > 1 ? (values[n - 1]! - first) / (n - 1) : 0, season: [] };
  }
  const seasons = Math.max(Math.floor(n / period), 1);
  const means = Array.from({ length: seasons }, (_, s) => mean(values.slice(s * period, (s + 1) * period)));
  const trend = seasons > 1 ? (means[seasons - 1]! - means[0]!) / ((seasons - 1) * period) : 0;
  const centre = (period - 1) / 2;
  const season = Array.from({ length: period }, (_, k) =>
    mean(means.map((average, s) => values[s * period + k]! - average - trend * (k - centre))),
  );
  return { level: means[0]! - trend * (centre + 1), trend, season };
}

function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Runs additive exponential smoothing (Holt–Winters; “AAA”) over a series. */
function runSmoothing(
  values: readonly number[],
  start: SmoothingStart,
  parameters: SmoothingFactors,
  context: WorkMeter,
): SmoothedSeries {
  const { alpha, beta, gamma } = parameters;
  const period = start.season.length;
  const season = start.season.slice();
  const fitted = new Array<number>(values.length);
  let { level, trend } = start;
  let squares = 0;
  // Without a season, the first value is the initial level, so there is no forecast for it.
  const from = period === 0 ? 1 : 0;
  if (from === 1) fitted[0] = values[0]!;
  for (let i = from; i < values.length; i++) {
    context.reportWork(STEP_WORK);
    const value = values[i]!;
    const at = period === 0 ? 0 : i % period;
    const shape = period === 0 ? 0 : season[at]!;
    const forecast = level + trend + shape;
    const error = value - forecast;
    fitted[i] = forecast;
    squares += error * error;
    const before = level + trend;
    const next = alpha * (value - shape) + (1 - alpha) * before;
    trend = beta * (next - level) + (1 - beta) * trend;
    if (period > 0) season[at] = gamma * (value - before) + (1 - gamma) * shape;
    level = next;
  }
  const turn = period === 0 ? 0 : values.length % period;
  return {
    parameters,
    level,
    trend,
    season: [...season.slice(turn), ...season.slice(0, turn)],
    fitted,
    squaredError: squares / Math.max(values.length - from, 1),
  };
}

/**
 * Smooths a series with the parameters whose one-step forecasts are best. `period`: length of the season; below 2 there
 * is none.
 */
export function smoothSeries(values: readonly number[], period: number, context: WorkMeter): SmoothedSeries {
  const start = createStart(values, period);
  const gammas = period < 2 ? [0] : COARSE;
  let best: SmoothedSeries | null = null;
  for (const alpha of COARSE) {
    for (const beta of COARSE) {
      for (const gamma of gammas)
        best = chooseBetter(best, runSmoothing(values, start, { alpha, beta, gamma }, context));
    }
  }
  return refineFactors(values, start, best as SmoothedSeries, context);
}

/** The series with the smaller error of its one-step forecasts. */
function chooseBetter(best: SmoothedSeries | null, next: SmoothedSeries): SmoothedSeries {
  return best && best.squaredError <= next.squaredError ? best : next;
}

/**
 * Refines the factors by compass search: changes one factor at a time while the result improves, with decreasing step
 * size.
 */
function refineFactors(
  values: readonly number[],
  start: SmoothingStart,
  from: SmoothedSeries,
  context: WorkMeter,
): SmoothedSeries {
  let best = from;
  const keys: readonly (keyof SmoothingFactors)[] =
    start.season.length === 0 ? ['alpha', 'beta'] : ['alpha', 'beta', 'gamma'];
  for (let step = FIRST_STEP; step >= LAST_STEP; step /= 2) {
    for (const key of keys) {
      for (const move of [step, -step]) {
        const value = Math.min(1, Math.max(0, best.parameters[key] + move));
        best = chooseBetter(best, runSmoothing(values, start, { ...best.parameters, [key]: value }, context));
      }
    }
  }
  return best;
}

/** Forecasts the value that is a whole number of steps after the last one. */
export function forecastValue(model: SmoothedSeries, steps: number): number {
  const shape = model.season.length === 0 ? 0 : model.season[(steps - 1) % model.season.length]!;
  return model.level + steps * model.trend + shape;
}

/**
 * The variance of a forecast's error some steps ahead, in units of the one-step variance (Hyndman et al., “Forecasting
 * with Exponential Smoothing”, 2008, table 6.1).
 */
export function computeErrorGrowth(model: SmoothedSeries, steps: number, context: WorkMeter): number {
  const { alpha, beta, gamma } = model.parameters;
  const period = model.season.length;
  let sum = 1;
  for (let j = 1; j < steps; j++) {
    context.reportWork(STEP_WORK);
    const seasonal = period > 0 && j % period === 0 ? gamma * (1 - alpha) : 0;
    sum += (alpha * (1 + j * beta) + seasonal) ** 2;
  }
  return sum;
}

/** The length of the most significant season of a series after removing its linear trend; 1 if there is none. */
export function findSeasonLength(values: readonly number[], longest: number, context: WorkMeter): number {
  const n = values.length;
  const centre = (n - 1) / 2;
  const average = mean(values);
  let slope = 0;
  let spread = 0;
  for (let i = 0; i < n; i++) {
    slope += (i - centre) * (values[i]! - average);
    spread += (i - centre) ** 2;
  }
  const rest = values.map((value, i) => value - average - (slope / spread) * (i - centre));
  const correlation = (lag: number) => {
    context.reportWork((n - lag) >> PRODUCT_WORK_LOG2);
    let product = 0;
    let left = 0;
    let right = 0;
    for (let i = lag; i < n; i++) {
      const a = rest[i]!;
      const b = rest[i - lag]!;
      product += a * b;
      left += a * a;
      right += b * b;
    }
    const scale = Math.sqrt(left * right);
    return scale > n * (Math.abs(average) * 1e-12) ** 2 ? product / scale : 0;
  };
  return findFirstPeak(correlation, Math.min(longest, Math.floor(n / 2)));
}

/**
 * The first lag whose correlation is nearly as great as the greatest, so that a season is preferred to its multiples.
 */
function findFirstPeak(correlation: (lag: number) => number, longest: number): number {
  const values: number[] = [];
  let greatest = MIN_CORRELATION;
  for (let lag = 2; lag <= longest; lag++) {
    const value = correlation(lag);
    values.push(value);
    greatest = Math.max(greatest, value);
  }
  const peakIndex = values.findIndex((value) => value > MIN_CORRELATION && value >= greatest * 0.95);
  return peakIndex < 0 ? 1 : peakIndex + 2;
}
