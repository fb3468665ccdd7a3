import { height, width } from '../../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../grid/limits.ts';
import { CALC, type CellError, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toBoolean, toNumber } from '../coerce.ts';
import { define, defineVariadic, withTraits } from '../define.ts';
import { NUMERIC } from '../elements/typed-elements.ts';
import { passArgument } from '../formats.ts';
import { readAsMatrix } from '../invoke.ts';
import { measureValue, padMatrix, pickColumns, pickRows, readFullMatrix, transposeMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { type Matrix, Reference, type Value } from '../value.ts';
import { type ArraySortKey, createRowKey, KeyMap, listColumnNumbers, sortIndexes } from './keys.ts';

/** The cost of computing a row's key, in cells per element. */
const KEY_WORK = 4;

/** Indexes of the elements of a row or column that are true; the first error if one is an error. */
export function findTrueIndexes(line: Matrix): number[] | CellError {
  const places: number[] = [];
  if (line.elements?.consistsOf(NUMERIC)) {
    const { numbers } = line.elements;
    for (let i = 0; i < numbers.length; i++) if (numbers[i] !== 0) places.push(i);
    return places;
  }
  const { data } = line;
  for (let i = 0; i < data.length; i++) {
    const element = data[i] ?? null;
    // Most elements are results of comparisons, so booleans are tested first.
    const truth = typeof element === 'boolean' ? element : toBoolean(element);
    if (isError(truth)) return truth;
    if (truth) places.push(i);
  }
  return places;
}

/** Index of the argument of FILTER for an empty result. */
const IF_EMPTY = 2;

const FILTER = define('array', 'FILTER', ['value', 'value', 'value??'], (context, array, include, ifEmpty) => {
  const matrix = readFullMatrix(context, array);
  if (isError(matrix)) return matrix;
  const line = readFullMatrix(context, include);
  if (isError(line)) return line;
  // A condition that is computed over a whole range may be shorter: it ends at the last filled cell.
  const fits = (rows: number, columns: number) => line.rows === rows && line.columns === columns;
  const whole = fits(matrix.rows, 1) || fits(1, matrix.columns);
  const filled = whole ? matrix : readAsMatrix(context, array);
  const byRow = fits(matrix.rows, 1) || fits(filled.rows, 1);
  const byColumn = fits(1, matrix.columns) || fits(1, filled.columns);
  if (!byRow && !byColumn) return VALUE;
  const places = findTrueIndexes(line);
  if (isError(places)) return places;
  if (places.length === 0) return ifEmpty === undefined ? CALC : passArgument(context, ifEmpty, IF_EMPTY);
  return byRow ? pickRows(context, matrix, places) : pickColumns(context, matrix, places);
});

/**
 * Reads a range for UNIQUE, with at most two of the blank rows or columns after its filled part: their exact number
 * does not matter.
 */
function readWithBlankTail(context: FunctionContext, value: Value, byColumn: boolean): Matrix | CellError {
  if (isError(value)) return value;
  const read = readAsMatrix(context, value);
  if (!(value instanceof Reference)) return read;
  if (value.areas.length > 1) return VALUE;
  const [area] = value.areas;
  const tall = height(area);
  const wide = width(area);
  if (byColumn) {
    const rows = area.bottom === MAX_ROWS - 1 ? read.rows : tall;
    return padMatrix(context, read, rows, Math.min(wide, read.columns + 2), null);
  }
  const columns = area.right === MAX_COLUMNS - 1 ? read.columns : wide;
  return padMatrix(context, read, Math.min(tall, read.rows + 2), columns, null);
}

const UNIQUE = define('array', 'UNIQUE', ['value', 'boolean?', 'boolean?'], (context, array, byColumn, once) => {
  const read = readWithBlankTail(context, array, byColumn === true);
  if (isError(read)) return read;
  const matrix = byColumn === true ? transposeMatrix(context, read) : read;
  const columns = listColumnNumbers(matrix);
  const byKey = new KeyMap<{ readonly first: number; count: number }>();
  const distinct: { readonly first: number; readonly count: number }[] = [];
  for (let r = 0; r < matrix.rows; r++) {
    context.reportWork(KEY_WORK * columns.length);
    const key = createRowKey(matrix, r, columns);
    const existingRow = byKey.get(key);
    if (existingRow) {
      existingRow.count++;
      continue;
    }
    const first = { first: r, count: 1 };
    byKey.set(key, first);
    distinct.push(first);
  }
  const places = distinct.filter(({ count }) => once !== true || count === 1).map(({ first }) => first);
  const result = pickRows(context, matrix, places);
  return byColumn === true && !isError(result) ? transposeMatrix(context, result) : result;
});

/** Parses a sort order: 1 or -1. FALSE means descending, as in Google's SORT. */
function readOrder(value: Scalar, context: FunctionContext): 1 | -1 | CellError {
  if (value === false) return -1;
  const number = toNumber(value, context);
  if (isError(number)) return number;
  return number === 1 || number === -1 ? number : VALUE;
}

/**
 * Creates the keys of SORT: columns by index with their orders. If there are fewer orders than columns, the last order
 * applies to the rest.
 */
function readSortKeys(
  context: FunctionContext,
  matrix: Matrix,
  indexes: Matrix | undefined,
  orders: Matrix | undefined,
): ArraySortKey[] | CellError {
  const keys: ArraySortKey[] = [];
  const count = indexes?.length ?? 1;
  if (orders && orders.length > 1 && orders.length !== count) return VALUE;
  for (let i = 0; i < count; i++) {
    const index = indexes ? toNumber(indexes.data[i] ?? null, context) : 1;
    if (isError(index)) return index;
    const order = orders ? readOrder(orders.data[Math.min(i, orders.length - 1)] ?? null, context) : 1;
    if (isError(order)) return order;
    const column = Math.trunc(index) - 1;
    if (column < 0 || column >= matrix.columns) return VALUE;
    context.checkMemory(matrix.rows);
    keys.push({ order, values: Array.from({ length: matrix.rows }, (_, r) => matrix.get(r, column)) });
  }
  return keys;
}

const SORT = define(
  'array',
  'SORT',
  ['value', 'value??', 'value??', 'boolean?'],
  (context, array, indexes, orders, byColumn = false) => {
    const read = readFullMatrix(context, array);
    if (isError(read)) return read;
    const matrix = byColumn ? transposeMatrix(context, read) : read;
    const keys = readSortKeys(
      context,
      matrix,
      indexes === undefined ? undefined : readAsMatrix(context, indexes),
      orders === undefined ? undefined : readAsMatrix(context, orders),
    );
    if (isError(keys)) return keys;
    context.spendCells(matrix.length);
    const result = pickRows(context, matrix, sortIndexes(context, keys, matrix.rows));
    return byColumn && !isError(result) ? transposeMatrix(context, result) : result;
  },
  { picks: 'element' },
);

const SORTBY = defineVariadic('array', 'SORTBY', ['value', 'value'], ['value'], (context, array, first, rest) => {
  const matrix = readFullMatrix(context, array);
  if (isError(matrix)) return matrix;
  const keys: ArraySortKey[] = [];
  const pairs: (Value | undefined)[] = [first, ...rest];
  let byColumn = false;
  for (let i = 0; i < pairs.length; i += 2) {
    const line = readFullMatrix(context, pairs[i] as Value);
    if (isError(line)) return line;
    const across = line.rows === 1 && line.columns === matrix.columns && matrix.rows !== 1;
    const down = line.columns === 1 && line.rows === matrix.rows;
    const single = matrix.rows === 1 && line.rows === 1 && line.columns === matrix.columns;
    if (!across && !down && !single) return VALUE;
    if (i === 0) byColumn = !down;
    else if (byColumn === down) return VALUE;
    const given = pairs[i + 1];
    const order =
      given === undefined || given === null ? 1 : readOrder(readAsMatrix(context, given).get(0, 0), context);
    if (isError(order)) return order;
    keys.push({ order, values: line.data });
  }
  context.spendCells(matrix.length);
  const places = sortIndexes(context, keys, byColumn ? matrix.columns : matrix.rows);
  return byColumn ? pickColumns(context, matrix, places) : pickRows(context, matrix, places);
});

/**
 * The first and last rows and columns of a range or array that are not blank, zero-based; null if everything is blank.
 */
interface FilledSpan {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

function findFilledSpan(context: FunctionContext, value: Value): FilledSpan | null {
  const span: FilledSpan = { top: Infinity, left: Infinity, bottom: -1, right: -1 };
  const add = (row: number, column: number) => {
    span.top = Math.min(span.top, row);
    span.left = Math.min(span.left, column);
    span.bottom = Math.max(span.bottom, row);
    span.right = Math.max(span.right, column);
  };
  if (value instanceof Reference) {
    const [{ top, left }] = value.areas;
    context.scanReference(value, (_, row, column) => add(row - top, column - left));
  } else {
    const { data, columns } = readAsMatrix(context, value);
    data.forEach((element, i) => {
      if (element !== null) add(Math.floor(i / columns), i % columns);
    });
  }
  return span.bottom < 0 ? null : span;
}

/** Removes blank rows and columns at the edges. `rows`, `columns`: 1 removes leading ones, 2 trailing ones, 3 both. */
function trimBlankEdges(context: FunctionContext, value: Value, rows: number, columns: number): Value {
  if (isError(value)) return value;
  if (rows < 0 || rows > 3 || columns < 0 || columns > 3) return VALUE;
  if (value instanceof Reference && value.areas.length > 1) return VALUE;
  const span = findFilledSpan(context, value);
  if (!span) return CALC;
  const size = measureValue(value);
  const top = rows & 1 ? span.top : 0;
  const bottom = rows & 2 ? span.bottom : size.rows - 1;
  const left = columns & 1 ? span.left : 0;
  const right = columns & 2 ? span.right : size.columns - 1;
  if (value instanceof Reference) {
    const [area] = value.areas;
    return new Reference([
      {
        sheet: area.sheet,
        top: area.top + top,
        left: area.left + left,
        bottom: area.top + bottom,
        right: area.left + right,
      },
    ]);
  }
  const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const picked = pickRows(context, readAsMatrix(context, value), lines(top, bottom));
  return isError(picked) ? picked : pickColumns(context, picked, lines(left, right));
}

const TRIMRANGE = define(
  'array',
  'TRIMRANGE',
  ['value', 'integer?', 'integer?'],
  (context, value, rows = 3, columns = 3) => trimBlankEdges(context, value, rows, columns),
);

/** Functions for `A1.:A9` and similar references. Only files call them by name. */
const TRIM_REFERENCES = [
  ['_TRO_LEADING', 1],
  ['_TRO_TRAILING', 2],
  ['_TRO_ALL', 3],
] as const;

export const SELECT: readonly FunctionSpec[] = [
  withTraits(FILTER, { picks: 'element', comparisons: 'filtered' }),
  withTraits(UNIQUE, { picks: 'element', distinct: 'listed' }),
  SORT,
  withTraits(SORTBY, { picks: 'element' }),
  withTraits(TRIMRANGE, { picks: 'element' }),
  ...TRIM_REFERENCES.map(([name, edges]) =>
    define('array', name, ['value'], (context, range) => trimBlankEdges(context, range, edges, edges), {
      picks: 'element',
      manyCells: true,
      internal: true,
    }),
  ),
];
