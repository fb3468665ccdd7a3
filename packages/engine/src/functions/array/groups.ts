import { CALC, type CellError, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import { asMatrix, asScalar } from '../invoke.ts';
import { pickRows, wholeMatrix } from '../shape.ts';
import type { FunctionContext } from '../spec.ts';
import { Lambda, type Matrix, type Value } from '../value.ts';
import { allColumns, rowKey, type SortKey, sortedPlaces } from './keys.ts';
import { truePlaces } from './select.ts';

/** Rows that belong together: their key and their places in the source. */
export interface Group {
  readonly key: readonly Scalar[];
  readonly rows: readonly number[];
}

/** How far GROUPBY and PIVOTBY total: grand total, subtotals as well, and whether they stand before the details. */
export interface Totals {
  readonly grand: boolean;
  readonly subtotals: boolean;
  readonly first: boolean;
}

export const TOTAL = 'Total';
export const GRAND_TOTAL = 'Grand Total';

/** `total_depth`: 0 none, 1 a grand total, 2 subtotals too, negative on top. Deeper than the fields is `#VALUE!`. */
export function totalsOf(depth: number, fields: number): Totals | CellError {
  const levels = Math.abs(depth);
  if (levels > 2 || (levels > 1 && levels > fields)) return VALUE;
  return { grand: levels > 0, subtotals: levels > 1, first: depth < 0 };
}

/** The source of a grouping: fields and values of the same height, headers taken off and rows filtered. */
export interface Source {
  readonly fields: readonly Matrix[];
  readonly values: Matrix;
  /** The header row of each field block and, last, of the values; null where there is none. */
  readonly headers: readonly (readonly Scalar[])[] | null;
  readonly showHeaders: boolean;
}

function firstRow(matrix: Matrix): readonly Scalar[] {
  return matrix.data.slice(0, matrix.columns);
}

/** `field_headers`: 0 none, 1 there but not shown, 2 none but made up, 3 there and shown; left out, it is guessed. */
function headerMode(mode: number | undefined, values: Matrix): { has: boolean; show: boolean } | CellError {
  if (mode !== undefined) return mode < 0 || mode > 3 ? VALUE : { has: (mode & 1) === 1, show: mode >= 2 };
  const guessed = values.rows > 1 && typeof values.get(0, 0) === 'string' && typeof values.get(1, 0) === 'number';
  return { has: guessed, show: guessed };
}

function generated(fields: readonly Matrix[], values: Matrix, names: readonly string[]): Scalar[][] {
  const named = (matrix: Matrix, name: string) => allColumns(matrix).map((c) => `${name} ${c + 1}`);
  return [...fields.map((field, i) => named(field, names[i] as string)), named(values, 'Value')];
}

export function sourceOf(
  context: FunctionContext,
  fields: readonly Value[],
  names: readonly string[],
  values: Value,
  mode: number | undefined,
  filter: Value | undefined,
): Source | CellError {
  const blocks: Matrix[] = [];
  for (const value of [...fields, values]) {
    const matrix = wholeMatrix(context, value);
    if (isError(matrix)) return matrix;
    blocks.push(matrix);
  }
  const all = blocks.at(-1) as Matrix;
  if (blocks.some((block) => block.rows !== all.rows)) return VALUE;
  const header = headerMode(mode, all);
  if (isError(header)) return header;
  const places = keptRows(context, filter, all.rows, header.has);
  if (isError(places)) return places;
  const kept: Matrix[] = [];
  for (const block of blocks) {
    const part = pickRows(context, block, places);
    if (isError(part)) return part;
    kept.push(part);
  }
  const headers = header.has ? blocks.map(firstRow) : generated(blocks.slice(0, -1), all, names);
  return {
    fields: kept.slice(0, -1),
    values: kept.at(-1) as Matrix,
    headers: header.has || header.show ? headers : null,
    showHeaders: header.show,
  };
}

function keptRows(context: FunctionContext, filter: Value | undefined, rows: number, header: boolean) {
  const from = header ? 1 : 0;
  const all = Array.from({ length: rows - from }, (_, i) => i + from);
  if (filter === undefined) return all.length === 0 ? CALC : all;
  const line = asMatrix(context, filter);
  if (line.columns !== 1 || (line.rows !== rows && line.rows !== all.length)) return VALUE;
  const offset = line.rows === rows ? 0 : from;
  const places = truePlaces(line);
  if (isError(places)) return places;
  const kept = places.map((place) => place + offset).filter((place) => place >= from);
  return kept.length === 0 ? CALC : kept;
}

/** Groups by the given columns in order of first appearance. */
export function groupsOf(fields: Matrix, columns: readonly number[], rows: readonly number[]): Group[] {
  const found = new Map<string | number | boolean | null, { key: Scalar[]; rows: number[] }>();
  for (const row of rows) {
    const id = rowKey(fields, row, columns);
    const known = found.get(id);
    if (known) known.rows.push(row);
    else found.set(id, { key: columns.map((c) => fields.get(row, c)), rows: [row] });
  }
  return [...found.values()];
}

/** What one cell of the result is: the function's answer for some rows of one column, and for all of them if asked. */
export function aggregate(
  context: FunctionContext,
  lambda: Lambda,
  values: Matrix,
  column: number,
  rows: readonly number[],
  within: readonly number[],
): Scalar {
  const line = (places: readonly number[]): Value => {
    const picked = pickRows(context, values, places);
    if (isError(picked)) return picked;
    const cells = pickColumnOf(context, picked, column);
    return cells;
  };
  const args = lambda.parameters > 1 ? [line(rows), line(within)] : [line(rows)];
  const scalar = asScalar(context, context.call(lambda, args));
  return scalar === undefined ? CALC : scalar;
}

function pickColumnOf(context: FunctionContext, matrix: Matrix, column: number): Value {
  context.spend(matrix.rows);
  if (matrix.columns === 1) return matrix;
  const data = Array.from({ length: matrix.rows }, (_, r) => matrix.get(r, column));
  return new (matrix.constructor as typeof Matrix)(matrix.rows, 1, data);
}

/** Sort orders as signed 1-based columns; every field ascending where none are given. */
export function ordersOf(
  context: FunctionContext,
  value: Value | undefined,
  columns: number,
): readonly number[] | CellError {
  if (value === undefined) return [];
  const orders: number[] = [];
  for (const element of asMatrix(context, value).data) {
    const number = toNumber(element, context);
    if (isError(number)) return number;
    const order = Math.trunc(number);
    if (order === 0 || Math.abs(order) > columns) return VALUE;
    orders.push(order);
  }
  return orders;
}

/** Groups in their order: first by the columns asked for, then by their keys ascending. */
export function sorted<T extends Group>(
  groups: readonly T[],
  orders: readonly number[],
  cell: (group: T, column: number) => Scalar,
): T[] {
  const fields = groups[0]?.key.length ?? 0;
  const keys: SortKey[] = orders.map((order) => ({
    order: order < 0 ? -1 : 1,
    values: groups.map((group) => cell(group, Math.abs(order) - 1)),
  }));
  for (let field = 0; field < fields; field++) {
    keys.push({ order: 1, values: groups.map((group) => group.key[field] as Scalar) });
  }
  return sortedPlaces(keys, groups.length).map((place) => groups[place] as T);
}

/** A function argument: a LAMBDA, or what is wrong with it. */
export function aggregatorOf(value: Value): Lambda | CellError {
  if (value instanceof Lambda) return value;
  return isError(value) ? value : VALUE;
}
