import { type CellError, DIV0, NA, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { AllocationMeter } from '../context.ts';
import { type DefineOptions, define, defineAlias, defineVariadic, withTraits } from '../define.ts';
import {
  type CountedKinds,
  forEachNumber,
  gatherNumbers,
  gatherNumbersByRow,
  orderNumbers,
} from '../gather-numbers.ts';
import { gatherGrowingNumbers, readGrowingRange } from '../growing-range.ts';
import {
  computeMedian,
  mean,
  mode,
  modes,
  populationDeviation,
  populationVariance,
  sampleDeviation,
  sampleVariance,
  sortNumbers,
  squaredDeviations,
  sum,
} from '../numeric/summary.ts';
import {
  type ComputeFigure,
  computeFromChunks,
  computeOncePerRange,
  POPULATION_VARIANCE,
  rootOf,
  SAMPLE_VARIANCE,
} from '../range-statistics.ts';
import { forEachValue } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, Reference, type Value } from '../value.ts';

type ComputeStatistic = (values: readonly number[], context: AllocationMeter) => number | CellError;

/** Defines a function that aggregates any number of values. */
function defineAggregate(
  name: string,
  run: (context: FunctionContext, args: readonly Value[]) => Value,
  options?: DefineOptions,
): FunctionSpec {
  return defineVariadic(
    'statistical',
    name,
    ['value'],
    ['value'],
    (context, first, rest) => run(context, [first, ...rest]),
    options,
  );
}

const OMITS_NON_NUMBERS: DefineOptions = { omits: 'nonNumbers' };

/** Defines a statistic of all numbers among its arguments. */
function defineStatistic(name: string, run: ComputeStatistic, counted: CountedKinds = 'numbers'): FunctionSpec {
  const owner = {};
  const compute = (context: FunctionContext, args: readonly Value[]) =>
    computeOncePerRange(context, owner, args, () => {
      const numbers = gatherGrowingNumbers(context, args, counted);
      return isError(numbers) ? numbers : run(numbers, context);
    });
  return defineAggregate(name, compute, counted === 'numbers' ? OMITS_NON_NUMBERS : {});
}

/** Defines a statistic that is calculated from statistics of chunks if its argument is a long range. */
function defineCombined(name: string, run: ComputeStatistic, compute: ComputeFigure): FunctionSpec {
  const calculate = (context: FunctionContext, args: readonly Value[]) => {
    const combined = computeFromChunks(context, args, compute);
    if (combined !== null) return combined;
    const numbers = gatherNumbers(context, args);
    return isError(numbers) ? numbers : run(numbers, context);
  };
  return defineAggregate(name, calculate, OMITS_NON_NUMBERS);
}

/** Defines a statistic as `defineStatistic` does, but refuses text arguments, even numeric ones (MODE). */
function defineNumericStatistic(
  name: string,
  run: (values: readonly number[], context: AllocationMeter) => Value,
): FunctionSpec {
  return defineAggregate(name, (context, args) => {
    const numbers = gatherNumbersByRow(
      context,
      args.filter((arg) => typeof arg !== 'string'),
    );
    if (!isError(numbers) && args.some((arg) => typeof arg === 'string')) return VALUE;
    return isError(numbers) ? numbers : run(numbers, context);
  });
}

/** Defines AVERAGE and similar functions, which process numbers one by one without storing them. */
function defineFolded(name: string, counted: CountedKinds, make: () => { add(value: number): void; result(): Value }) {
  const owner = {};
  const compute = (context: FunctionContext, args: readonly Value[]): Value => {
    const addNumbers = (state: ReturnType<typeof make>, values: readonly Value[]) =>
      forEachNumber(context, values, (value) => state.add(value), counted);
    const growing = readGrowingRange(context, owner, args, make, (state, rows) => addNumbers(state, [rows]));
    if (growing !== null) return isError(growing) ? growing : growing.result();
    const state = make();
    return addNumbers(state, args) ?? state.result();
  };
  return defineAggregate(name, compute, counted === 'numbers' ? OMITS_NON_NUMBERS : {});
}

/** Defines MAX or MIN. References use the cached extremes of the calculation. */
function defineExtreme(name: string, counted: CountedKinds, isGreatest: boolean): FunctionSpec {
  const worst = isGreatest ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return defineAggregate(name, (context, args) => {
    let best = worst;
    const visit = (value: number) => {
      if (isGreatest ? value > best : value < best) best = value;
    };
    for (const arg of args) {
      if (arg instanceof Reference && counted === 'numbers') {
        const { least, greatest, error } = context.computeExtremes(arg);
        if (isError(error)) return error;
        visit(isGreatest ? greatest : least);
        continue;
      }
      const error = forEachNumber(context, [arg], visit, counted);
      if (error !== null) return error;
    }
    return best === worst ? 0 : best;
  });
}

/** Creates the running computation of an average. */
function createAverage() {
  let total = 0;
  let count = 0;
  return {
    add(value: number) {
      total += value;
      count++;
    },
    result: () => (count === 0 ? DIV0 : total / count),
  };
}

/** AVERAGE. If all arguments are references, it uses the cached totals of the calculation. */
function computeAverage(context: FunctionContext, args: readonly Value[]): Value {
  let total = 0;
  let count = 0;
  const others: Value[] = [];
  for (const arg of args) {
    if (!(arg instanceof Reference)) {
      others.push(arg);
      continue;
    }
    const part = context.computeTotals(arg);
    if (isError(part.error)) return part.error;
    total += part.sum;
    count += part.count;
  }
  const error = forEachNumber(context, others, (value) => {
    total += value;
    count++;
  });
  return error ?? (count === 0 ? DIV0 : total / count);
}

/** COUNT: counts numbers, and direct arguments that can be read as numbers. Ignores errors. */
function countNumbers(context: FunctionContext, args: readonly Value[]): number {
  let count = 0;
  const cell = (value: Scalar) => {
    if (typeof value === 'number') count++;
  };
  for (const arg of args) {
    if (arg instanceof Reference) count += context.computeTotals(arg).count;
    else if (arg instanceof Matrix) forEachValue(context, arg, cell);
    else if (isScalar(arg) && typeof toNumber(arg, context) === 'number') count++;
  }
  return count;
}

function isScalar(value: Value): value is Scalar {
  return !(value instanceof Object) || isError(value);
}

function countFilled(context: FunctionContext, args: readonly Value[]): number {
  let count = 0;
  const cell = (value: Scalar) => {
    if (value !== null) count++;
  };
  for (const arg of args) {
    if (arg instanceof Reference) count += context.computeTotals(arg).filled;
    else if (arg instanceof Matrix) forEachValue(context, arg, cell);
    else count++;
  }
  return count;
}

/** COUNTBLANK. As in Google Sheets, it also accepts arrays and several arguments. An error argument is the result. */
function countBlank(context: FunctionContext, args: readonly Value[]): Value {
  let cells = 0;
  for (const arg of args) {
    if (isError(arg)) return arg;
    if (arg instanceof Reference) cells += countBlankCells(context, arg);
    else if (arg instanceof Matrix) cells += arg.data.filter(isBlank).length;
    else return VALUE;
  }
  return cells;
}

function countBlankCells(context: FunctionContext, reference: Reference): number {
  let cells = 0;
  for (const area of reference.areas) cells += (area.bottom - area.top + 1) * (area.right - area.left + 1);
  const { filled, emptyTexts } = context.computeTotals(reference);
  return cells - filled + emptyTexts;
}

function isBlank(value: Scalar): boolean {
  return value === null || value === '';
}

/** Creates the running computation of a mean of positive numbers; `#NUM!` for others. */
function createPositiveMean(transform: (value: number) => number, finish: (sum: number, count: number) => number) {
  let total = 0;
  let count = 0;
  let isPositive = true;
  return {
    add(value: number) {
      isPositive &&= value > 0;
      total += transform(value);
      count++;
    },
    result: () => (isPositive && count > 0 ? finish(total, count) : NUM),
  };
}

const createGeometricMean = () => createPositiveMean(Math.log, (sum, count) => Math.exp(sum / count));
const createHarmonicMean = () =>
  createPositiveMean(
    (value) => 1 / value,
    (sum, count) => count / sum,
  );

function computeAverageDeviation(values: readonly number[]): number | CellError {
  if (values.length === 0) return NUM;
  const centre = sum(values) / values.length;
  return values.reduce((total, value) => total + Math.abs(value - centre), 0) / values.length;
}

/** The sum of the powers of standardised values. */
function sumStandardisedPowers(values: readonly number[], deviation: number, power: number): number {
  const centre = sum(values) / values.length;
  return values.reduce((total, value) => total + ((value - centre) / deviation) ** power, 0);
}

function computeSkewness(values: readonly number[]): number | CellError {
  const n = values.length;
  const deviation = sampleDeviation(values);
  if (n < 3 || isError(deviation) || deviation === 0) return DIV0;
  return (n / ((n - 1) * (n - 2))) * sumStandardisedPowers(values, deviation, 3);
}

function computePopulationSkewness(values: readonly number[]): number | CellError {
  const deviation = populationDeviation(values);
  if (values.length < 3 || isError(deviation) || deviation === 0) return DIV0;
  return sumStandardisedPowers(values, deviation, 3) / values.length;
}

function computeKurtosis(values: readonly number[]): number | CellError {
  const n = values.length;
  const deviation = sampleDeviation(values);
  if (n < 4 || isError(deviation) || deviation === 0) return DIV0;
  const scaled = ((n * (n + 1)) / ((n - 1) * (n - 2) * (n - 3))) * sumStandardisedPowers(values, deviation, 4);
  return scaled - (3 * (n - 1) ** 2) / ((n - 2) * (n - 3));
}

/** TRIMMEAN: omits a share of the values, the same number at both ends. */
function computeTrimmedMean(values: readonly number[], share: number, context: AllocationMeter): number | CellError {
  if (share < 0 || share >= 1) return NUM;
  const cut = Math.floor((values.length * share) / 2);
  if (values.length === 0) return NUM;
  context.checkMemory(values.length);
  return mean(Array.from(sortNumbers(values, context).subarray(cut, values.length - cut)));
}

function listModes(values: readonly number[], context: AllocationMeter): Value {
  const modeValues = modes(values, context);
  return modeValues.length === 0 ? NA : new Matrix(modeValues.length, 1, modeValues);
}

/** Owner of the states of TRIMMEAN; see `FunctionContext.getRangeState`. */
const TRIMMED_MEANS = {};

/** MEDIAN. For a single range it may use the sorted numbers of an index. */
const MEDIAN = defineAggregate(
  'MEDIAN',
  (context, args) => {
    const numbers = orderNumbers(context, args);
    return isError(numbers) ? numbers : computeMedian(numbers);
  },
  { carries: 0, omits: 'nonNumbers' },
);

const STDEV_S = withTraits(defineCombined('STDEV.S', sampleDeviation, rootOf(SAMPLE_VARIANCE)), { carries: 0 });
const STDEV_P = withTraits(defineCombined('STDEV.P', populationDeviation, rootOf(POPULATION_VARIANCE)), { carries: 0 });
const VAR_S = defineCombined('VAR.S', sampleVariance, SAMPLE_VARIANCE);
const VAR_P = defineCombined('VAR.P', populationVariance, POPULATION_VARIANCE);
const MODE_SNGL = withTraits(defineNumericStatistic('MODE.SNGL', mode), {
  picks: 'equal',
  calculatesArrays: true,
  omits: 'nonNumbers',
});

export const DESCRIPTIVE: readonly FunctionSpec[] = [
  defineAggregate('AVERAGE', computeAverage, { carries: 0, total: 'average', omits: 'nonNumbers' }),
  defineFolded('AVERAGEA', 'all', createAverage),
  defineAggregate('COUNT', countNumbers, { total: 'count', omits: 'nonNumbers' }),
  defineAggregate('COUNTA', countFilled),
  defineAggregate('COUNTBLANK', countBlank, { referenceArrays: 'taken' }),
  withTraits(defineExtreme('MAX', 'numbers', true), { picks: 'equal', omits: 'nonNumbers' }),
  withTraits(defineExtreme('MAXA', 'all', true), { picks: 'equal' }),
  withTraits(defineExtreme('MIN', 'numbers', false), { picks: 'equal', omits: 'nonNumbers' }),
  withTraits(defineExtreme('MINA', 'all', false), { picks: 'equal' }),
  MEDIAN,
  MODE_SNGL,
  defineAlias('MODE', MODE_SNGL, 'compatibility'),
  withTraits(defineNumericStatistic('MODE.MULT', listModes), { manyCells: true, calculatesArrays: true }),
  STDEV_S,
  defineAlias('STDEV', STDEV_S, 'compatibility'),
  defineStatistic('STDEVA', sampleDeviation, 'all'),
  STDEV_P,
  defineAlias('STDEVP', STDEV_P, 'compatibility'),
  defineStatistic('STDEVPA', populationDeviation, 'all'),
  VAR_S,
  defineAlias('VAR', VAR_S, 'compatibility'),
  defineStatistic('VARA', sampleVariance, 'all'),
  VAR_P,
  defineAlias('VARP', VAR_P, 'compatibility'),
  defineStatistic('VARPA', populationVariance, 'all'),
  defineCombined(
    'DEVSQ',
    (values) => (values.length === 0 ? NUM : squaredDeviations(values)),
    (statistics) => (statistics.count === 0 ? NUM : statistics.squaredDeviations),
  ),
  defineStatistic('AVEDEV', computeAverageDeviation),
  defineFolded('GEOMEAN', 'numbers', createGeometricMean),
  defineFolded('HARMEAN', 'numbers', createHarmonicMean),
  defineStatistic('SKEW', computeSkewness),
  defineStatistic('SKEW.P', computePopulationSkewness),
  defineStatistic('KURT', computeKurtosis),
  define(
    'statistical',
    'TRIMMEAN',
    ['value', 'number'],
    (context, array, share) => {
      const compute = () => {
        const numbers = gatherNumbers(context, [array]);
        return isError(numbers) ? numbers : computeTrimmedMean(numbers, share, context);
      };
      return computeOncePerRange(context, TRIMMED_MEANS, [array], compute, share);
    },
    { singles: [1, 2], omits: 'firstNonNumbers' },
  ),
];
