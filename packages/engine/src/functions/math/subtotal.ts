import { type CellError, DIV0, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { AllocationMeter } from '../context.ts';
import { defineVariadic } from '../define.ts';
import {
  kthLargest,
  kthSmallest,
  median,
  mode,
  type NumberList,
  percentileExclusive,
  percentileInclusive,
  populationDeviation,
  populationVariance,
  sampleDeviation,
  sampleVariance,
} from '../numeric/summary.ts';
import { reserveList } from '../reserve-memory.ts';
import { findSameShapeAreas, sliceRowsFrom } from '../selection/selection-states.ts';
import { forEachValue } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, Reference, type Value } from '../value.ts';

/** Aggregates of SUBTOTAL and AGGREGATE that need a list of all numbers, by function number. */
const FIGURES: Readonly<Record<number, (values: NumberList, context: AllocationMeter) => number | CellError>> = {
  7: sampleDeviation,
  8: populationDeviation,
  10: sampleVariance,
  11: populationVariance,
  12: median,
  13: mode,
};

/** AGGREGATE 14 to 19: aggregates with a parameter k. */
const RANKED: Readonly<
  Record<number, (values: NumberList, k: number, context: AllocationMeter) => number | CellError>
> = {
  14: (values, k, context) => kthLargest(values, Math.ceil(k), context),
  15: (values, k, context) => kthSmallest(values, Math.ceil(k), context),
  16: percentileInclusive,
  17: (values, k, context) => percentileInclusive(values, Math.trunc(k) / 4, context),
  18: percentileExclusive,
  19: (values, k, context) => percentileExclusive(values, Math.trunc(k) / 4, context),
};

const COUNT = 2;
const COUNT_FILLED = 3;
const LAST_SUBTOTAL = 11;
const LAST_PLAIN_AGGREGATE = 13;
/** SUBTOTAL function numbers above this one omit rows that the user hid. */
const HIDDEN_OFFSET = 100;

/** Kinds of cells that an aggregate omits. */
interface SkippedCells {
  readonly hidden: boolean;
  readonly nested: boolean;
  readonly errors: boolean;
}

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

/**
 * The counted cells of ranges: their numbers in the order of reading, and the sums and extremes that most aggregates
 * need.
 */
class GatheredNumbers {
  /** All numbers in order; null if the aggregate does not need them. */
  readonly numbers: number[] | null;
  filled = 0;
  count = 0;
  sum = 0;
  product = 1;
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;
  error: CellError | null = null;
  /** Number of rows read so far. A longer range continues after them. */
  rows = 0;

  constructor(keepsNumbers: boolean) {
    this.numbers = keepsNumbers ? [] : null;
  }

  /** Adds a cell, unless it is blank or a skipped error. */
  add(context: FunctionContext, value: Scalar, skipped: SkippedCells): void {
    if (value === null) return;
    if (isError(value) && skipped.errors) return;
    this.filled++;
    if (isError(value)) this.error ??= value;
    if (typeof value !== 'number') return;
    this.count++;
    this.sum += value;
    this.product *= value;
    if (value < this.least) this.least = value;
    if (value > this.greatest) this.greatest = value;
    if (this.numbers === null) return;
    reserveList(context, this.numbers.length);
    this.numbers.push(value);
  }
}

/** Aggregates that need only sums, counts and extremes collected while the cells are read, by function number. */
const RUNNING: Readonly<Record<number, (gathered: GatheredNumbers) => number | CellError>> = {
  1: ({ sum, count }) => (count === 0 ? DIV0 : sum / count),
  4: ({ greatest, count }) => (count === 0 ? 0 : greatest),
  5: ({ least, count }) => (count === 0 ? 0 : least),
  6: ({ product, count }) => (count === 0 ? 0 : product),
  9: ({ sum }) => sum,
};

/** Adds the counted cells of all arguments to `gathered`. */
function gatherCells(
  context: FunctionContext,
  args: readonly Value[],
  skipped: SkippedCells,
  gathered: GatheredNumbers,
): GatheredNumbers {
  const { workbook } = context;
  for (const arg of args) {
    if (arg instanceof Matrix) forEachValue(context, arg, (value) => gathered.add(context, value, skipped));
    if (!(arg instanceof Reference)) continue;
    context.scanReference(arg, (value, row, column, sheet) => {
      if (skipped.nested && workbook.isSubtotal(sheet, row, column)) return;
      if (skipped.hidden ? workbook.isRowHidden(sheet, row) : workbook.isRowFiltered(sheet, row)) return;
      gathered.add(context, value, skipped);
    });
  }
  return gathered;
}

/** The numbers of a shorter range that an earlier formula read. A longer range continues from them. */
class SubtotalState {
  private readonly gatheredByOptions: (GatheredNumbers | undefined)[] = [];

  /** The numbers gathered so far, or none if they cover more than `rows` rows. `skipped`: cells that do not count. */
  gatherNumbersUpTo(rows: number, skipped: SkippedCells): GatheredNumbers {
    const key = Number(skipped.hidden) + 2 * Number(skipped.nested) + 4 * Number(skipped.errors);
    const earlier = this.gatheredByOptions[key];
    const gathered = earlier !== undefined && earlier.rows <= rows ? earlier : new GatheredNumbers(false);
    this.gatheredByOptions[key] = gathered;
    return gathered;
  }
}

const SUBTOTAL_STATES = {};

/**
 * Reads the cells of one column for an aggregate that does not need a list of all numbers. Null for other arguments.
 */
function gatherIncrementally(
  context: FunctionContext,
  args: readonly Value[],
  skipped: SkippedCells,
): GatheredNumbers | null {
  const areas = args.length === 1 ? findSameShapeAreas(args) : null;
  const [area] = areas ?? [];
  if (areas === null || area === undefined || area.left !== area.right) return null;
  const state = context.getRangeState(SUBTOTAL_STATES, areas, () => new SubtotalState());
  if (state === null) return null;
  const rows = area.bottom - area.top + 1;
  const gathered = state.gatherNumbersUpTo(rows, skipped);
  if (gathered.rows < rows) gatherCells(context, [sliceRowsFrom(area, gathered.rows)], skipped, gathered);
  gathered.rows = rows;
  return gathered;
}

/** Calculates the aggregate with a function number. */
function calculateFigure(
  context: FunctionContext,
  index: number,
  args: readonly Value[],
  skipped: SkippedCells,
): Value {
  const running = index === COUNT || index === COUNT_FILLED || index in RUNNING;
  const fromColumn = running ? gatherIncrementally(context, args, skipped) : null;
  const gathered = fromColumn ?? gatherCells(context, args, skipped, new GatheredNumbers(!running));
  if (index === COUNT) return gathered.count;
  if (index === COUNT_FILLED) return gathered.filled;
  if (gathered.error) return gathered.error;
  return RUNNING[index]?.(gathered) ?? FIGURES[index]!(gathered.numbers ?? [], context);
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
  const cells = source instanceof Object ? source : new Matrix(1, 1, [source]);
  const { error, numbers } = gatherCells(context, [cells], skipped, new GatheredNumbers(true));
  if (error) return error;
  return numbers === null || numbers.length === 0 ? NUM : ranked(numbers, k, context);
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
    { carries: -1, subtotal: true, calculatesArrays: true },
  ),
];
