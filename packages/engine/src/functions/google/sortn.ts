import { type CellError, VALUE } from '../../value/errors.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { type ArraySortKey, createRowKey, listColumnNumbers, sortIndexes } from '../array/keys.ts';
import { toBoolean, toNumber } from '../coerce.ts';
import { defineVariadic, withTraits } from '../define.ts';
import { readAsMatrix } from '../invoke.ts';
import { pickRows, readFullMatrix } from '../shape.ts';
import type { FunctionContext } from '../spec.ts';
import type { Matrix, Value } from '../value.ts';

/** Reads pairs of a column (its number, or a range of the same height) and its direction. */
function readSortKeys(context: FunctionContext, matrix: Matrix, pairs: readonly Value[]): ArraySortKey[] | null {
  const keys: ArraySortKey[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const by = readAsMatrix(context, pairs[i] as Value);
    const ascending = i + 1 < pairs.length ? toBoolean(readAsMatrix(context, pairs[i + 1] as Value).get(0, 0)) : true;
    if (isError(ascending)) return null;
    const values = by.length === 1 ? readColumnValues(context, matrix, by.get(0, 0)) : by.data;
    if (values === null || values.length !== matrix.rows) return null;
    keys.push({ order: ascending ? 1 : -1, values });
  }
  return keys;
}

/** Returns the values of a column, counted from 1; null if there is no such column. */
function readColumnValues(context: FunctionContext, matrix: Matrix, index: Scalar): readonly Scalar[] | null {
  const number = toNumber(index, context);
  if (isError(number) || number < 1 || number >= matrix.columns + 1) return null;
  const column = Math.trunc(number) - 1;
  return Array.from({ length: matrix.rows }, (_, r) => matrix.get(r, column));
}

/**
 * Creates the function that returns the key of a row. Rows are ties if their keys are equal: the values of the sort
 * columns, or of the whole row if there are none.
 */
function createTieKey(matrix: Matrix, keys: readonly ArraySortKey[]): (row: number) => unknown {
  if (keys.length === 0) return (row) => createRowKey(matrix, row, listColumnNumbers(matrix));
  return (row) => JSON.stringify(keys.map(({ values }) => createScalarKey(values[row] ?? null)));
}

function createScalarKey(value: Scalar): readonly unknown[] {
  if (typeof value === 'string') return ['s', foldCase(value)];
  return isError(value) ? ['e', value.code] : ['v', value];
}

/**
 * Selects the rows of SORTN by its argument for ties. 0: the first n rows. 1: also rows that tie with the nth. 2: the
 * first n distinct rows. 3: the first n distinct rows and all their ties.
 */
function selectShown(
  sortedRows: readonly number[],
  createTieKey: (row: number) => unknown,
  n: number,
  mode: number,
): number[] {
  if (mode === 0) return sortedRows.slice(0, n);
  if (mode === 1) {
    const last = sortedRows[Math.min(n, sortedRows.length) - 1]!;
    return sortedRows.filter((place, i) => i < n || createTieKey(place) === createTieKey(last));
  }
  const ties = new Set<unknown>();
  return sortedRows.filter((place) => {
    const key = createTieKey(place);
    const isTie = ties.has(key);
    if (!isTie && ties.size < n) ties.add(key);
    return mode === 2 ? !isTie && ties.has(key) : ties.has(key);
  });
}

/** Reads an optional argument as an integer; `otherwise` if it is omitted or blank. */
function readCount(context: FunctionContext, value: Value | undefined, otherwise: number): number | CellError {
  if (value === undefined || value === null) return otherwise;
  const number = toNumber(readAsMatrix(context, value).get(0, 0), context);
  return isError(number) ? number : Math.trunc(number);
}

/** The first rows of a sorted range: `SORTN(range, n, ties, column, ascending, …)`. */
const SORTED_ROWS = defineVariadic('google', 'SORTN', ['value'], ['value'], (context, range, rest) => {
  const matrix = readFullMatrix(context, range);
  if (isError(matrix)) return matrix;
  const n = readCount(context, rest[0], 1);
  if (isError(n)) return n;
  const mode = readCount(context, rest[1], 0);
  if (isError(mode)) return mode;
  if (n < 1 || mode < 0 || mode > 3) return VALUE;
  const keys = readSortKeys(context, matrix, rest.slice(2));
  if (keys === null) return VALUE;
  const order = keys.length > 0 ? keys : listColumnNumbers(matrix).map((c): ArraySortKey => createColumnKey(matrix, c));
  const places = sortIndexes(context, order, matrix.rows);
  return pickRows(context, matrix, selectShown(places, createTieKey(matrix, keys), n, mode));
});

export const SORTN = withTraits(SORTED_ROWS, { picks: 'element' });

/** The ascending sort key of a column. */
function createColumnKey(matrix: Matrix, column: number): ArraySortKey {
  return { order: 1, values: Array.from({ length: matrix.rows }, (_, r) => matrix.get(r, column)) };
}
