import type { Node } from '../../formula/ast.ts';
import { type CellError, DIV0, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { AllocationMeter } from '../context.ts';
import { defineVariadic } from '../define.ts';
import { orderNumbers } from '../gather-numbers.ts';
import {
  computeMedian,
  mode,
  type NumberList,
  populationDeviation,
  populationVariance,
  sampleDeviation,
  sampleVariance,
} from '../numeric/summary.ts';
import {
  type ComputeFigure,
  computeFromChunks,
  POPULATION_VARIANCE,
  rootOf,
  SAMPLE_VARIANCE,
} from '../range-statistics.ts';
import type { OrderedNumbers } from '../selection/ordered-numbers.ts';
import { getElementAt, percentileExclusive, percentileInclusive } from '../selection/quantiles.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, Reference, type Value } from '../value.ts';
import { areAllCounted, type CountedCells, readCountedCells, type SkippedCells } from './counted-cells.ts';

/** Aggregates of SUBTOTAL and AGGREGATE that need a list of all numbers, by function number. */
const FIGURES: Readonly<Record<number, (values: NumberList, context: AllocationMeter) => number | CellError>> = {
  7: sampleDeviation,
  8: populationDeviation,
  10: sampleVariance,
  11: populationVariance,
  13: mode,
};

/** Aggregates that are combined from statistics of chunks, for long ranges without omitted cells. */
const COMBINED: Readonly<Record<number, ComputeFigure>> = {
  6: ({ count, product }) => (count === 0 ? 0 : product),
  7: rootOf(SAMPLE_VARIANCE),
  8: rootOf(POPULATION_VARIANCE),
  10: SAMPLE_VARIANCE,
  11: POPULATION_VARIANCE,
};

/** AGGREGATE 14 to 19: aggregates with a parameter k. */
const RANKED: Readonly<Record<number, (ascending: OrderedNumbers, k: number) => number | CellError>> = {
  14: (ascending, k) => getElementAt(ascending, ascending.length - Math.ceil(k)),
  15: (ascending, k) => getElementAt(ascending, Math.ceil(k) - 1),
  16: percentileInclusive,
  17: (ascending, k) => percentileInclusive(ascending, Math.trunc(k) / 4),
  18: percentileExclusive,
  19: (ascending, k) => percentileExclusive(ascending, Math.trunc(k) / 4),
};

const AVERAGE = 1;
const COUNT = 2;
const COUNT_FILLED = 3;
const MAXIMUM = 4;
const MINIMUM = 5;
const PRODUCT = 6;
const SUM = 9;
const LAST_SUBTOTAL = 11;
const MEDIAN = 12;
const LAST_PLAIN_AGGREGATE = 13;
/** SUBTOTAL function numbers above this one omit rows that the user hid. */
const HIDDEN_OFFSET = 100;

/** The cells that AGGREGATE omits, by the number of its second argument. */
const OPTIONS: readonly SkippedCells[] = [
  { hidden: false, nested: true, errors: false },
  { hidden: true, nested: true, errors: false },
  { hidden: false, nested: true, errors: true },
  { hidden: true, nested: true, errors: true },
  { hidden: false, nested: false, errors: false },
  { hidden: true, nested: false, errors: false },
  { hidden: false, nested: false, errors: true },
  { hidden: true, nested: false, errors: true },
];

/** Sums, counts and extremes of counted cells. */
type RunningFigures = Pick<CountedCells, 'filled' | 'count' | 'sum' | 'least' | 'greatest' | 'error'>;

/** Aggregates that need only sums, counts and extremes, by function number. */
const RUNNING: Readonly<Record<number, (figures: RunningFigures) => number | CellError>> = {
  [AVERAGE]: ({ sum, count }) => (count === 0 ? DIV0 : sum / count),
  [MAXIMUM]: ({ greatest, count }) => (count === 0 ? 0 : greatest),
  [MINIMUM]: ({ least, count }) => (count === 0 ? 0 : least),
  [SUM]: ({ sum }) => sum,
};

/** Calculates the aggregate with a function number from 1 to 13. */
function calculateFigure(
  context: FunctionContext,
  index: number,
  references: readonly Reference[],
  skipped: SkippedCells,
): Value {
  const whole = areAllCounted(context, references, skipped) ? calculateWhole(context, index, references) : null;
  if (whole !== null) return whole;
  const isRunning = index === COUNT || index === COUNT_FILLED || index === PRODUCT || index in RUNNING;
  const counted = readCountedCells(context, references, skipped, !isRunning);
  if (isRunning) return calculateRunning(index, counted) ?? (counted.count === 0 ? 0 : counted.product);
  if (counted.error) return counted.error;
  if (index === MEDIAN) return computeMedian(counted.orderNumbers(context));
  return FIGURES[index]!(counted.numbers ?? [], context);
}

/**
 * Calculates the aggregate of references without omitted cells from indexes and figures that are cached by chunk. Null
 * if there are none for this aggregate.
 */
function calculateWhole(context: FunctionContext, index: number, references: readonly Reference[]): Value | null {
  if (index === MEDIAN) {
    const ascending = orderNumbers(context, references);
    return isError(ascending) ? ascending : computeMedian(ascending);
  }
  const combined = COMBINED[index];
  if (combined !== undefined) return computeFromChunks(context, references, combined);
  const total = { filled: 0, count: 0, sum: 0, least: Infinity, greatest: -Infinity, error: null as CellError | null };
  for (const reference of references) {
    const { filled, count, sum, error } = context.computeTotals(reference);
    total.filled += filled;
    total.count += count;
    total.sum += sum;
    if (isError(error)) total.error ??= error;
    if (index !== MAXIMUM && index !== MINIMUM) continue;
    const { least, greatest } = context.computeExtremes(reference);
    total.least = Math.min(total.least, least);
    total.greatest = Math.max(total.greatest, greatest);
  }
  return calculateRunning(index, total);
}

/** Calculates an aggregate from sums, counts and extremes; null for other aggregates. */
function calculateRunning(index: number, figures: RunningFigures): number | CellError | null {
  if (index === COUNT) return figures.count;
  if (index === COUNT_FILLED) return figures.filled;
  return figures.error ?? RUNNING[index]?.(figures) ?? null;
}

/** AGGREGATE: the aggregate with a function number. `option`: kinds of cells that it omits. */
function computeAggregate(context: FunctionContext, index: number, option: number, args: readonly Value[]): Value {
  const skipped = OPTIONS[option];
  if (!skipped || index < 1) return VALUE;
  if (index <= LAST_PLAIN_AGGREGATE) {
    return args.every((arg) => arg instanceof Reference) ? calculateFigure(context, index, args, skipped) : VALUE;
  }
  const ranked = RANKED[index];
  const [source, parameter] = args;
  if (!ranked || args.length !== 2 || source === undefined || parameter === undefined) return VALUE;
  if (isError(source)) return source;
  const k = readParameter(context, parameter);
  if (isError(k)) return k;
  const ascending = orderCountedNumbers(context, source, skipped);
  return isError(ascending) ? ascending : ranked(ascending, k);
}

/** Returns the counted numbers of a range, an array or a value in ascending order, or the first error. */
function orderCountedNumbers(
  context: FunctionContext,
  source: Value,
  skipped: SkippedCells,
): OrderedNumbers | CellError {
  if (source instanceof Reference && areAllCounted(context, [source], skipped)) return orderNumbers(context, [source]);
  if (source instanceof Matrix) return orderMatrix(context, source, skipped);
  const cells = source instanceof Object ? source : new Matrix(1, 1, [source]);
  const counted = readCountedCells(context, [cells], skipped, true);
  return counted.error ?? counted.orderNumbers(context);
}

/** Minimum size of a matrix whose counted numbers are kept. */
const MIN_KEPT_ELEMENTS = 64;
/** The ordered numbers of matrices without their errors. Formulas of a column may share a matrix. */
const orderedWithoutErrors = new WeakMap<Matrix, OrderedNumbers>();

/** Returns the numbers of an array in ascending order, or the first error. */
function orderMatrix(context: FunctionContext, matrix: Matrix, skipped: SkippedCells): OrderedNumbers | CellError {
  if (!skipped.errors) return orderNumbers(context, [matrix]);
  const known = orderedWithoutErrors.get(matrix);
  if (known !== undefined) return known;
  const ordered = readCountedCells(context, [matrix], skipped, true).orderNumbers(context);
  if (matrix.length >= MIN_KEPT_ELEMENTS) orderedWithoutErrors.set(matrix, ordered);
  return ordered;
}

/** True if a call omits the errors of an array: AGGREGATE with a constant option, for aggregates with a parameter. */
function omitsArrayErrors([index, option]: readonly Node[], argument: number): boolean {
  if (argument !== 2 || index?.k !== 'number' || option?.k !== 'number') return false;
  return Math.trunc(index.value) in RANKED && OPTIONS[Math.trunc(option.value)]?.errors === true;
}

/** The parameter k of an aggregate, as a number. */
function readParameter(context: FunctionContext, value: Value): number | CellError {
  if (value instanceof Reference) {
    const [area] = value.areas;
    return toNumber(context.readCell(area.sheet, area.top, area.left), context);
  }
  if (value instanceof Matrix) return toNumber(value.get(0, 0), context);
  return value instanceof Object && !isError(value) ? VALUE : toNumber(value, context);
}

export const SUBTOTALS: readonly FunctionSpec[] = [
  defineVariadic(
    'math',
    'SUBTOTAL',
    ['integer', 'reference'],
    ['reference'],
    (context, code, first, rest) => {
      const hidden = code > HIDDEN_OFFSET;
      const index = hidden ? code - HIDDEN_OFFSET : code;
      if (index < 1 || index > LAST_SUBTOTAL) return VALUE;
      return calculateFigure(context, index, [first, ...rest], { hidden, nested: true, errors: false });
    },
    { carries: 1, referenceArrays: 'taken', subtotal: true },
  ),
  defineVariadic(
    'math',
    'AGGREGATE',
    ['integer', 'integer', 'value'],
    ['value'],
    (context, index, option, first, rest) => computeAggregate(context, index, option, [first, ...rest]),
    { carries: -1, subtotal: true, calculatesArrays: true, omitsErrors: omitsArrayErrors },
  ),
];
