import { type CellError, DIV0, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { AllocationMeter } from '../context.ts';
import { type DefineOptions, defineAlias, withTraits } from '../define.ts';
import { type CountedKinds, forEachNumber, gatherNumbers, orderNumbers } from '../gather-numbers.ts';
import {
  computeMedian,
  populationDeviation,
  populationVariance,
  sampleDeviation,
  sampleVariance,
  squaredDeviations,
} from '../numeric/summary.ts';
import {
  type ComputeFigure,
  computeFromChunks,
  computeOncePerRange,
  POPULATION_VARIANCE,
  rootOf,
  SAMPLE_VARIANCE,
} from '../range-statistics.ts';
import { type CentralMoments, MOMENTS } from '../row-figures/moments.ts';
import { measureLongColumns } from '../row-figures/row-tree.ts';
import { createSumMeasure, TermSum } from '../row-figures/sums.ts';
import { forEachValue } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, Reference, type Value } from '../value.ts';
import { defineAggregate } from './define-aggregate.ts';
import { MODE_MULT, MODE_SNGL } from './modes.ts';
import { AVEDEV, TRIMMEAN } from './ordered-means.ts';
import {
  computeKurtosis,
  computeMomentsKurtosis,
  computeMomentsPopulationSkewness,
  computeMomentsSkewness,
  computePopulationSkewness,
  computeSkewness,
} from './shape-statistics.ts';

type ComputeStatistic = (values: readonly number[], context: AllocationMeter) => number | CellError;

const OMITS_NON_NUMBERS: DefineOptions = { omits: 'nonNumbers' };

/**
 * Defines a statistic of the moments of numbers. `computeFromMoments`: calculates it for a long column; null if the
 * numbers are too large or too small for powers of them. `run`: calculates it from a list of numbers.
 */
function defineMomentsStatistic(
  name: string,
  counted: CountedKinds,
  run: ComputeStatistic,
  computeFromMoments: (moments: CentralMoments) => number | CellError | null,
): FunctionSpec {
  const owner = {};
  const calculate = (context: FunctionContext, args: readonly Value[]) => {
    const moments = measureLongColumns(context, MOMENTS[counted], args);
    if (isError(moments)) return moments;
    const figure = moments && computeFromMoments(moments);
    if (figure !== null) return figure;
    return computeOncePerRange(context, owner, args, () => {
      const numbers = gatherNumbers(context, args, counted);
      return isError(numbers) ? numbers : run(numbers, context);
    });
  };
  return defineAggregate(name, calculate, counted === 'numbers' ? OMITS_NON_NUMBERS : {});
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

/** Defines a mean: the sum of a term of each number, and a function of this sum. */
function defineMean(
  name: string,
  counted: CountedKinds,
  toTerm: (value: number) => number,
  finish: (sum: TermSum) => Value,
): FunctionSpec {
  const measure = createSumMeasure(counted, toTerm);
  const compute = (context: FunctionContext, args: readonly Value[]): Value => {
    const columnSum = measureLongColumns(context, measure, args);
    if (columnSum !== null) return isError(columnSum) ? columnSum : finish(columnSum);
    const sum = new TermSum();
    const error = forEachNumber(context, args, (value) => sum.addTerm(value, toTerm), counted);
    return error ?? finish(sum);
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
export const DESCRIPTIVE: readonly FunctionSpec[] = [
  defineAggregate('AVERAGE', computeAverage, {
    carries: 0,
    total: 'average',
    omits: 'nonNumbers',
    comparisons: 'averaged',
  }),
  defineMean(
    'AVERAGEA',
    'all',
    (value) => value,
    ({ total, count }) => (count === 0 ? DIV0 : total / count),
  ),
  defineAggregate('COUNT', countNumbers, { total: 'count', omits: 'nonNumbers', comparisons: 'counted' }),
  defineAggregate('COUNTA', countFilled, { distinct: 'countedFilled' }),
  defineAggregate('COUNTBLANK', countBlank, { referenceArrays: 'taken' }),
  withTraits(defineExtreme('MAX', 'numbers', true), { picks: 'equal', omits: 'nonNumbers', comparisons: 'greatest' }),
  withTraits(defineExtreme('MAXA', 'all', true), { picks: 'equal' }),
  withTraits(defineExtreme('MIN', 'numbers', false), { picks: 'equal', omits: 'nonNumbers', comparisons: 'least' }),
  withTraits(defineExtreme('MINA', 'all', false), { picks: 'equal' }),
  MEDIAN,
  MODE_SNGL,
  defineAlias('MODE', MODE_SNGL, 'compatibility'),
  MODE_MULT,
  STDEV_S,
  defineAlias('STDEV', STDEV_S, 'compatibility'),
  defineMomentsStatistic('STDEVA', 'all', sampleDeviation, rootOf(SAMPLE_VARIANCE)),
  STDEV_P,
  defineAlias('STDEVP', STDEV_P, 'compatibility'),
  defineMomentsStatistic('STDEVPA', 'all', populationDeviation, rootOf(POPULATION_VARIANCE)),
  VAR_S,
  defineAlias('VAR', VAR_S, 'compatibility'),
  defineMomentsStatistic('VARA', 'all', sampleVariance, SAMPLE_VARIANCE),
  VAR_P,
  defineAlias('VARP', VAR_P, 'compatibility'),
  defineMomentsStatistic('VARPA', 'all', populationVariance, POPULATION_VARIANCE),
  defineCombined(
    'DEVSQ',
    (values) => (values.length === 0 ? NUM : squaredDeviations(values)),
    (statistics) => (statistics.count === 0 ? NUM : statistics.squaredDeviations),
  ),
  AVEDEV,
  defineMean('GEOMEAN', 'numbers', Math.log, ({ isPositive, total, count }) =>
    isPositive && count > 0 ? Math.exp(total / count) : NUM,
  ),
  defineMean(
    'HARMEAN',
    'numbers',
    (value) => 1 / value,
    ({ isPositive, total, count }) => (isPositive && count > 0 ? count / total : NUM),
  ),
  defineMomentsStatistic('SKEW', 'numbers', computeSkewness, computeMomentsSkewness),
  defineMomentsStatistic('SKEW.P', 'numbers', computePopulationSkewness, computeMomentsPopulationSkewness),
  defineMomentsStatistic('KURT', 'numbers', computeKurtosis, computeMomentsKurtosis),
  TRIMMEAN,
];
