import { type CellError, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { Allocating } from '../context.ts';
import { defineVariadic } from '../define.ts';
import { reserveList } from '../growth.ts';
import {
  kthLargest,
  kthSmallest,
  largest,
  mean,
  median,
  mode,
  percentileExclusive,
  percentileInclusive,
  populationDeviation,
  populationVariance,
  product,
  sampleDeviation,
  sampleVariance,
  smallest,
  sum,
} from '../numeric/summary.ts';
import { eachValue } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, Reference, type Value } from '../value.ts';

type Numbers = readonly number[];

/** Aggregates of SUBTOTAL and AGGREGATE by number; 2 and 3 only count and are handled separately. */
const FIGURES: Readonly<Record<number, (values: Numbers, context: Allocating) => number | CellError>> = {
  1: mean,
  4: largest,
  5: smallest,
  6: (values) => (values.length === 0 ? 0 : product(values)),
  7: sampleDeviation,
  8: populationDeviation,
  9: sum,
  10: sampleVariance,
  11: populationVariance,
  12: median,
  13: mode,
};

/** AGGREGATE 14 to 19: aggregates with a parameter k. */
const RANKED: Readonly<Record<number, (values: Numbers, k: number, context: Allocating) => number | CellError>> = {
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
/** SUBTOTAL numbers above this omit hidden rows. */
const HIDDEN_OFFSET = 100;

/** The cells that an aggregate omits. */
interface SkippedCells {
  readonly hidden: boolean;
  readonly nested: boolean;
  readonly errors: boolean;
}

/** AGGREGATE's second argument. */
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

interface GatheredNumbers {
  readonly numbers: number[];
  filled: number;
  error: CellError | null;
}

function gather(context: FunctionContext, args: readonly Value[], skip: SkippedCells): GatheredNumbers {
  const found: GatheredNumbers = { numbers: [], filled: 0, error: null };
  const add = (value: Scalar) => {
    if (value === null) return;
    if (isError(value) && skip.errors) return;
    found.filled++;
    if (typeof value === 'number') {
      reserveList(context, found.numbers.length);
      found.numbers.push(value);
    } else if (isError(value)) found.error ??= value;
  };
  const { workbook } = context;
  for (const arg of args) {
    if (arg instanceof Matrix) eachValue(context, arg, add);
    if (!(arg instanceof Reference)) continue;
    context.scan(arg, (value, row, column, sheet) => {
      if (skip.nested && workbook.isSubtotal(sheet, row, column)) return;
      if (skip.hidden ? workbook.rowHidden(sheet, row) : workbook.rowFiltered(sheet, row)) return;
      add(value);
    });
  }
  return found;
}

function figure(context: FunctionContext, index: number, args: readonly Value[], skip: SkippedCells): Value {
  const { numbers, filled, error } = gather(context, args, skip);
  if (index === COUNT) return numbers.length;
  if (index === COUNT_FILLED) return filled;
  if (error) return error;
  return FIGURES[index]!(numbers, context);
}

function aggregate(context: FunctionContext, index: number, option: number, args: readonly Value[]): Value {
  const skip = OPTIONS[option];
  if (!skip || index < 1) return VALUE;
  if (index <= LAST_PLAIN_AGGREGATE) {
    return args.every((arg) => arg instanceof Reference) ? figure(context, index, args, skip) : VALUE;
  }
  const ranked = RANKED[index];
  const [source, parameter] = args;
  if (!ranked || args.length !== 2 || source === undefined || parameter === undefined) return VALUE;
  if (isError(source)) return source;
  const k = parameterOf(context, parameter);
  if (isError(k)) return k;
  const found = gather(context, [source instanceof Object ? source : new Matrix(1, 1, [source])], skip);
  if (found.error) return found.error;
  return found.numbers.length === 0 ? NUM : ranked(found.numbers, k, context);
}

function parameterOf(context: FunctionContext, value: Value): number | CellError {
  if (value instanceof Reference) {
    const [area] = value.areas;
    return toNumber(context.cell(area.sheet, area.top, area.left), context);
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
      return figure(context, index, [first, ...rest], { hidden, nested: true, errors: false });
    },
    { carries: 1, referenceArrays: 'taken', subtotal: true },
  ),
  defineVariadic(
    'math',
    'AGGREGATE',
    ['integer', 'integer', 'value'],
    ['value'],
    (context, index, option, first, rest) => aggregate(context, index, option, [first, ...rest]),
    { carries: -1, subtotal: true, calculatesArrays: true },
  ),
];
