import { type DateSystem, toCalendarDate } from '../../locale/index.ts';
import { type CellError, NA, NUM } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { WorkMeter } from '../context.ts';
import { define } from '../define.ts';
import { OPERATIONS_PER_CELL } from '../limits.ts';
import { normalQuantile } from '../numeric/normal.ts';
import {
  computeErrorGrowth,
  findSeasonLength,
  forecastValue,
  type SmoothedSeries,
  smoothSeries,
} from '../numeric/smoothing.ts';
import { largest, median, smallest } from '../numeric/summary.ts';
import { reserveMap } from '../reserve-memory.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, type Value } from '../value.ts';

/** Maximum length of a season in steps: the number of hours in a year. */
const MAX_SEASON = 8760;
/** Maximum share of missing points in a timeline. */
const MAX_MISSING = 0.3;
/** Maximum difference of a time from a multiple of the step, in steps. */
const STEP_SLACK = 1e-6;
const DEFAULT_CONFIDENCE = 0.95;
/** Approximate number of times that a series is smoothed to find its parameters. */
const RUNS = 200;
/** The cost of reading a value and its time, in cells. */
const PAIR_WORK = 4;

/** A series with equal steps. `toSteps` converts a time to the number of steps after the first time. */
interface TimeSeries {
  readonly values: readonly number[];
  readonly step: number;
  readonly toSteps: (time: number) => number;
}

/** Functions that combine several values with the same time, numbered from 1. */
const AGGREGATIONS: readonly ((values: readonly number[], context: WorkMeter) => number)[] = [
  (values) => values.reduce((a, b) => a + b, 0) / values.length,
  (values) => values.length,
  (values) => values.length,
  largest,
  (values, context) => median(values, context) as number,
  smallest,
  (values) => values.reduce((a, b) => a + b, 0),
];

interface ForecastOptions {
  readonly seasonality: number;
  readonly completion: number;
  readonly aggregation: number;
}

/** Checks the last three arguments of the FORECAST.ETS functions. */
function readOptions(seasonality = 1, completion = 1, aggregation = 1): ForecastOptions | CellError {
  if (seasonality < 0 || seasonality > MAX_SEASON) return NUM;
  if ((completion !== 0 && completion !== 1) || aggregation < 1 || aggregation > AGGREGATIONS.length) return NUM;
  return { seasonality, completion, aggregation };
}

/** Collects the values by time, in ascending order. Values with the same time form one list. */
function collectObservations(
  context: FunctionContext,
  values: Matrix,
  times: Matrix,
): Map<number, number[]> | CellError {
  if (values.length !== times.length) return NA;
  context.checkMemory(values.length);
  const pairs: [number, number][] = [];
  for (let i = 0; i < values.length; i++) {
    context.reportWork(PAIR_WORK);
    const value = toNumber(values.data[i] ?? null, context);
    const time = toNumber(times.data[i] ?? null, context);
    if (isError(value)) return value;
    if (isError(time)) return time;
    pairs.push([time, value]);
  }
  const grouped = new Map<number, number[]>();
  for (const [time, value] of pairs.sort((a, b) => {
    context.reportWork(1);
    return a[0] - b[0];
  })) {
    const group = grouped.get(time);
    reserveMap(context, grouped.size);
    if (group) group.push(value);
    else grouped.set(time, [value]);
  }
  return grouped;
}

/**
 * Converts times to months if all are on the same day of the month; the step is then a number of months. Null for other
 * times.
 */
function toMonths(times: readonly number[], system: DateSystem): readonly number[] | null {
  if (times.some((time) => time < 1 || !Number.isInteger(time))) return null;
  const dates = times.map((time) => toCalendarDate(time, system));
  const [first] = dates;
  if (!first || first.day > 28 || dates.some((date) => date.day !== first.day)) return null;
  const months = dates.map((date) => (date.year - first.year) * 12 + date.month - first.month);
  return months.every((month, i) => i === 0 || month > months[i - 1]!) ? months : null;
}

/** Arranges values by their times in a series with equal steps; an error if there is no common step. */
function createSeries(
  context: FunctionContext,
  values: Matrix,
  times: Matrix,
  { completion, aggregation }: ForecastOptions,
): TimeSeries | CellError {
  const grouped = collectObservations(context, values, times);
  if (isError(grouped)) return grouped;
  if (grouped.size < 2) return NUM;
  const system = context.dateSystem;
  const observedTimes = [...grouped.keys()];
  const months = toMonths(observedTimes, system);
  const scale = months ?? observedTimes;
  const first = scale[0]!;
  const step = scale.slice(1).reduce((least, time, i) => Math.min(least, time - scale[i]!), Number.MAX_VALUE);
  const places = scale.map((time) => (time - first) / step);
  if (places.some((place) => Math.abs(place - Math.round(place)) > STEP_SLACK)) return NUM;
  const length = Math.round(places.at(-1)!) + 1;
  if (length - places.length > length * MAX_MISSING) return NUM;
  const aggregate = AGGREGATIONS[aggregation - 1]!;
  const observed = new Array<number | null>(length).fill(null);
  [...grouped.values()].forEach((group, i) => {
    observed[Math.round(places[i]!)] = aggregate(group, context);
  });
  const origin = observedTimes[0]!;
  return {
    values: fillGaps(observed, completion),
    step,
    toSteps: months ? (time) => countMonthSteps(origin, time, step, system) : (time) => (time - origin) / step,
  };
}

/** Converts a time to a position in steps of months, if the times are on the same day of the month. */
function countMonthSteps(origin: number, time: number, step: number, system: DateSystem): number {
  const from = toCalendarDate(origin, system);
  const day = Math.floor(time);
  const to = toCalendarDate(day, system);
  const months = (to.year - from.year) * 12 + to.month - from.month;
  return (months + (to.day - from.day + (time - day)) / 31) / step;
}

/** Fills gaps with zeros, or by linear interpolation between their neighbours. */
function fillGaps(observed: readonly (number | null)[], completion: number): number[] {
  if (completion === 0) return observed.map((value) => value ?? 0);
  const values: number[] = [];
  let lastKnown = 0;
  for (const [i, value] of observed.entries()) {
    if (value === null) continue;
    const before = values[lastKnown]!;
    for (let gap = lastKnown + 1; gap < i; gap++)
      values.push(before + ((value - before) * (gap - lastKnown)) / (i - lastKnown));
    values.push(value);
    lastKnown = i;
  }
  return values;
}

/** The length of the season: the requested one, or for 1 the detected one. */
function readSeason(context: FunctionContext, values: readonly number[], requestedLength: number): number {
  if (requestedLength !== 1) return requestedLength;
  context.spendCells((values.length * Math.min(values.length, MAX_SEASON)) / OPERATIONS_PER_CELL);
  return findSeasonLength(values, MAX_SEASON, context);
}

/** A fitted model with its series. */
interface ForecastModel {
  readonly series: TimeSeries;
  readonly smoothed: SmoothedSeries;
}

/** Fits a model to values and times, or returns an error. */
function createModel(
  context: FunctionContext,
  values: Matrix,
  times: Matrix,
  options: ForecastOptions | CellError,
): ForecastModel | CellError {
  if (isError(options)) return options;
  const series = createSeries(context, values, times, options);
  if (isError(series)) return series;
  const period = readSeason(context, series.values, options.seasonality);
  if (period > 1 && series.values.length < 2 * period) return NUM;
  context.spendCells((series.values.length * RUNS) / OPERATIONS_PER_CELL);
  return { series, smoothed: smoothSeries(series.values, period, context) };
}

/**
 * Returns the value at a position in steps: the fitted value within the series, the forecast after it, linear between
 * whole steps.
 */
function computeForecast({ series, smoothed }: ForecastModel, position: number): number {
  const whole = Math.floor(position + STEP_SLACK);
  const part = Math.max(position - whole, 0);
  const at = (index: number) =>
    index < series.values.length ? smoothed.fitted[index]! : forecastValue(smoothed, index - series.values.length + 1);
  return part <= STEP_SLACK ? at(whole) : at(whole) + part * (at(whole + 1) - at(whole));
}

/** Computes one result per target time; times before the first one give `#NUM!`. */
function evaluateAtTargets(
  context: FunctionContext,
  targets: Matrix,
  model: ForecastModel,
  run: (position: number) => number,
): Value {
  const one = (target: Scalar): Scalar => {
    context.reportWork(1);
    const time = toNumber(target, context);
    if (isError(time)) return time;
    const position = model.series.toSteps(time);
    return position < 0 ? NUM : run(position);
  };
  if (targets.length === 1) return one(targets.data[0] ?? null);
  context.spendElements(targets.length);
  return new Matrix(targets.rows, targets.columns, targets.data.map(one));
}

/** Half the width of the confidence interval of a forecast. */
function computeErrorMargin(
  context: FunctionContext,
  model: ForecastModel,
  position: number,
  confidence: number,
): number {
  const steps = Math.max(Math.ceil(position - STEP_SLACK) - model.series.values.length + 1, 1);
  context.spendCells(steps);
  const z = -normalQuantile((1 - confidence) / 2);
  return z * Math.sqrt(model.smoothed.squaredError * computeErrorGrowth(model.smoothed, steps, context));
}

/** The statistic of FORECAST.ETS.STAT with number `type`, from 1. */
function computeStatistic({ series, smoothed }: ForecastModel, type: number): Value {
  const { values } = series;
  const n = values.length;
  const errors = values.map((value, i) => Math.abs(value - smoothed.fitted[i]!));
  const meanError = errors.reduce((a, b) => a + b, 0) / n;
  switch (type) {
    case 1:
      return smoothed.parameters.alpha;
    case 2:
      return smoothed.parameters.beta;
    case 3:
      return smoothed.parameters.gamma;
    case 4: {
      const naive = values.slice(1).reduce((sum, value, i) => sum + Math.abs(value - values[i]!), 0) / (n - 1);
      return naive === 0 ? NUM : meanError / naive;
    }
    case 5:
      return (
        errors.reduce((sum, error, i) => {
          const size = Math.abs(values[i]!) + Math.abs(smoothed.fitted[i]!);
          return sum + (size === 0 ? 0 : (2 * error) / size);
        }, 0) / n
      );
    case 6:
      return meanError;
    case 7:
      return Math.sqrt(smoothed.squaredError);
    case 8:
      return series.step;
    default:
      return NUM;
  }
}

/**
 * Forecasts by additive exponential smoothing. Excel does not publish how it chooses parameters and seasons. This
 * implementation chooses the values that forecast each next element of the series best.
 */
export const FORECASTS: readonly FunctionSpec[] = [
  define(
    'statistical',
    'FORECAST.ETS',
    ['matrix', 'matrix', 'matrix', 'integer??', 'integer??', 'integer??'],
    (context, targets, values, times, seasonality, completion, aggregation) => {
      const model = createModel(context, values, times, readOptions(seasonality, completion, aggregation));
      return isError(model)
        ? model
        : evaluateAtTargets(context, targets, model, (place) => computeForecast(model, place));
    },
  ),
  define(
    'statistical',
    'FORECAST.ETS.CONFINT',
    ['matrix', 'matrix', 'matrix', 'number??', 'integer??', 'integer??', 'integer??'],
    (context, targets, values, times, confidence, seasonality, completion, aggregation) => {
      const level = confidence ?? DEFAULT_CONFIDENCE;
      if (level <= 0 || level >= 1) return NUM;
      const model = createModel(context, values, times, readOptions(seasonality, completion, aggregation));
      if (isError(model)) return model;
      return evaluateAtTargets(context, targets, model, (place) => computeErrorMargin(context, model, place, level));
    },
  ),
  define(
    'statistical',
    'FORECAST.ETS.SEASONALITY',
    ['matrix', 'matrix', 'integer??', 'integer??'],
    (context, values, times, completion, aggregation) => {
      const options = readOptions(1, completion, aggregation);
      if (isError(options)) return options;
      const series = createSeries(context, values, times, options);
      return isError(series) ? series : readSeason(context, series.values, 1);
    },
  ),
  define(
    'statistical',
    'FORECAST.ETS.STAT',
    ['matrix', 'matrix', 'integer', 'integer??', 'integer??', 'integer??'],
    (context, values, times, type, seasonality, completion, aggregation) => {
      const model = createModel(context, values, times, readOptions(seasonality, completion, aggregation));
      return isError(model) ? model : computeStatistic(model, type);
    },
  ),
];
