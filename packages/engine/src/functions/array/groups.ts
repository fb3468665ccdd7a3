import { CALC, type CellError, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { WorkMeter } from '../context.ts';
import { readAsMatrix, readAsScalar } from '../invoke.ts';
import { pickRows, readFullMatrix } from '../shape.ts';
import type { FunctionContext } from '../spec.ts';
import { Lambda, LambdaList, Matrix, type Value } from '../value.ts';
import { type ArraySortKey, createRowKey, KeyMap, listColumnNumbers, type SortContext, sortIndexes } from './keys.ts';
import { findTrueIndexes } from './select.ts';

const TOTAL = 'Total';
const GRAND_TOTAL = 'Grand Total';

/** The input of GROUPBY or PIVOTBY: blocks of fields, and values, without headers. All have the same number of rows. */
export interface GroupSource {
  readonly fields: readonly Matrix[];
  readonly values: Matrix;
  /** Names of the columns: one list for each field block and a last one for the values. Null if they are not shown. */
  readonly headers: readonly (readonly Scalar[])[] | null;
}

/** One line of a grouped axis: a group, a subtotal or the grand total. */
export interface AxisLine {
  /** The values in the field columns of this line. */
  readonly labels: readonly Scalar[];
  /** Source rows that the line summarises, and rows of the group that contains it. */
  readonly rows: readonly number[];
  readonly parent: readonly number[];
}

/**
 * Applies the aggregating function to some rows of one value column. `comparedRows`: the rows to compare with, if the
 * function needs them. Sets `FormatTrace.previousCode` to the format of the result.
 */
export type AggregateRows = (column: number, rows: readonly number[], comparedRows: readonly number[]) => Scalar;

/** The format of a column: the format of the first row that has one. */
export function findColumnFormat(matrix: Matrix, column: number): number {
  if (typeof matrix.formats === 'number') return matrix.formats;
  for (let row = 0; row < matrix.rows; row++) {
    const format = matrix.formatAt(row * matrix.columns + column);
    if (format !== 0) return format;
  }
  return 0;
}

/** The aggregating functions, and how their results are arranged. */
export interface Aggregators {
  readonly items: readonly Lambda[];
  readonly layout: 'across' | 'down';
  /** Headings for the results of the functions; null for a single function, whose results have no heading. */
  readonly names: readonly string[] | null;
}

/** Excel's heading for the results of a LAMBDA. */
const CUSTOM = 'CUSTOM';

/** Reads a function argument: one LAMBDA or several; an error if it is invalid. */
export function readAggregators(value: Value): Aggregators | CellError {
  if (value instanceof LambdaList) {
    const { items, layout } = value;
    return { items, layout, names: items.map(({ name }) => name ?? CUSTOM) };
  }
  if (value instanceof Lambda) return { items: [value], layout: 'across', names: null };
  return isError(value) ? value : VALUE;
}

/** The results of several functions side by side, grouped by value column. */
export function aggregateAcross(context: FunctionContext, items: readonly Lambda[], values: Matrix): AggregateRows {
  const each = items.map((lambda) => createAggregate(context, lambda, values));
  return (column, rows, within) => each[column % each.length]!(Math.floor(column / each.length), rows, within);
}

/**
 * Creates the aggregating function. A function with two parameters (PERCENTOF) also gets the values to compare with.
 */
function createAggregate(context: FunctionContext, lambda: Lambda, values: Matrix): AggregateRows {
  const related = lambda.parameters - lambda.optional > 1;
  const cells = (column: number, rows: readonly number[]) => {
    context.spendElements(rows.length);
    return new Matrix(
      rows.length,
      1,
      rows.map((row) => values.get(row, column)),
      findColumnFormat(values, column),
    );
  };
  return (column, rows, within) => {
    const args = related ? [cells(column, rows), cells(column, within)] : [cells(column, rows)];
    const scalar = readAsScalar(context, context.callLambda(lambda, args));
    return scalar === undefined ? CALC : scalar;
  };
}

/**
 * Parses the argument `field_headers`: 0 no headers, 1 headers that are not shown, 2 no headers but generated ones, 3
 * headers that are shown. If it is omitted, guesses whether there are headers; as in Excel they are then not shown.
 */
function parseHeaderMode(mode: number | undefined, values: Matrix): { has: boolean; show: boolean } | CellError {
  if (mode !== undefined) return mode < 0 || mode > 3 ? VALUE : { has: (mode & 1) === 1, show: mode >= 2 };
  const guessed = values.rows > 1 && typeof values.get(0, 0) === 'string' && typeof values.get(1, 0) === 'number';
  return { has: guessed, show: false };
}

/** The names of a block's columns: its first row if it has headers, else `prefix` with numbers from 1. */
function createHeaderNames(block: Matrix, has: boolean, prefix: string): readonly Scalar[] {
  return listColumnNumbers(block).map((c) => (has ? block.get(0, c) : `${prefix} ${c + 1}`));
}

/**
 * The numbers of the rows from `from` on that a filter argument selects; all rows without a filter. `#CALC!` for
 * no row, `#VALUE!` for a filter of another length. `rows`: number of rows.
 */
function readFilteredRows(context: FunctionContext, filter: Value | undefined, rows: number, from: number) {
  if (filter === undefined) {
    return rows === from ? CALC : Array.from({ length: rows - from }, (_, i) => i + from);
  }
  const line = readAsMatrix(context, filter);
  if (line.columns !== 1 || (line.rows !== rows && line.rows !== rows - from)) return VALUE;
  // A filter with one row more than the data has a header, which may be any value.
  const places = findTrueIndexes(line.rows === rows ? new Matrix(rows - from, 1, line.data.slice(from)) : line);
  if (isError(places)) return places;
  return places.length === 0 ? CALC : places.map((place) => place + from);
}

/** Reads fields (each block with the word for its generated headers) and values. */
export function readGroupSource(
  context: FunctionContext,
  fields: readonly (readonly [Value, string])[],
  values: Value,
  mode: number | undefined,
  filter: Value | undefined,
): GroupSource | CellError {
  const blocks: Matrix[] = [];
  for (const value of [...fields.map(([field]) => field), values]) {
    const matrix = readFullMatrix(context, value);
    if (isError(matrix)) return matrix;
    blocks.push(matrix);
  }
  const all = blocks.at(-1)!;
  if (blocks.some((block) => block.rows !== all.rows)) return VALUE;
  const header = parseHeaderMode(mode, all);
  if (isError(header)) return header;
  const places = readFilteredRows(context, filter, all.rows, header.has ? 1 : 0);
  if (isError(places)) return places;
  const kept: Matrix[] = [];
  for (const block of blocks) {
    const part = pickRows(context, block, places);
    if (isError(part)) return part;
    kept.push(part);
  }
  const words = [...fields.map(([, word]) => word), 'Value'];
  const headers = blocks.map((block, i) => createHeaderNames(block, header.has, words[i]!));
  return { fields: kept.slice(0, -1), values: kept.at(-1)!, headers: header.show ? headers : null };
}

/** The order and the totals of an axis. */
interface AxisOptions {
  /** Signed 1-based column numbers, fields before values; a negative number sorts in descending order. */
  readonly orders: readonly number[];
  /**
   * 0: no totals, 1: a grand total, 2 and more: also subtotals of the outer fields. Negative numbers put totals first.
   */
  readonly depth: number;
  /** True if sorting keeps groups of inner fields within their outer group. */
  readonly hierarchy: boolean;
}

/** The sort orders of an argument, checked against the number of columns; empty if omitted. */
export function readSortOrders(
  context: FunctionContext,
  value: Value | undefined,
  columns: number,
): number[] | CellError {
  if (value === undefined) return [];
  const orders: number[] = [];
  for (const element of readAsMatrix(context, value).data) {
    const number = toNumber(element, context);
    if (isError(number)) return number;
    const order = Math.trunc(number);
    if (order === 0 || Math.abs(order) > columns) return VALUE;
    orders.push(order);
  }
  return orders;
}

interface ArrayGroup {
  readonly key: readonly Scalar[];
  readonly rows: number[];
}

/** The groups by the first `level` fields, and the group number of each source row. */
interface GroupLevel {
  readonly groups: readonly ArrayGroup[];
  readonly groupByRow: readonly number[];
}

/** Groups the source rows by their first `level` fields. */
function createLevel(context: WorkMeter, fields: Matrix, level: number): GroupLevel {
  const columns = listColumnNumbers(fields).slice(0, level);
  const numbers = new KeyMap<number>();
  const groups: ArrayGroup[] = [];
  const groupOf: number[] = [];
  for (let row = 0; row < fields.rows; row++) {
    context.reportWork(1 + level);
    const id = level === 0 ? null : createRowKey(fields, row, columns);
    let number = numbers.get(id);
    if (number === undefined) {
      number = groups.length;
      numbers.set(id, number);
      groups.push({ key: columns.map((c) => fields.get(row, c)), rows: [] });
    }
    groups[number]!.rows.push(row);
    groupOf.push(number);
  }
  return { groups, groupByRow: groupOf };
}

/**
 * Creates the sort keys of one level for the groups of the deepest level: by values if requested, by the field of the
 * level, or by both.
 */
function createLevelKeys(
  leaves: readonly ArrayGroup[],
  level: GroupLevel,
  depth: number,
  options: AxisOptions,
  aggregate: AggregateRows,
) {
  const fields = leaves[0]?.key.length ?? 0;
  const ancestor = (leaf: ArrayGroup) => level.groupByRow[leaf.rows[0]!] as number;
  const all = leaves.flatMap((leaf) => leaf.rows);
  const keys: ArraySortKey[] = [];
  let byField: 1 | -1 = 1;
  for (const order of options.orders) {
    const column = Math.abs(order) - 1;
    const sign = order < 0 ? -1 : 1;
    if (column === depth - 1) byField = sign;
    if (column < fields) continue;
    const answers = level.groups.map((group) => aggregate(column - fields, group.rows, all));
    keys.push({ order: sign, values: leaves.map((leaf) => answers[ancestor(leaf)] ?? null) });
  }
  keys.push({ order: byField, values: leaves.map((leaf) => leaf.key[depth - 1] ?? null) });
  return keys;
}

/** Creates sort keys for fields without hierarchy: first the requested orders, then every field. */
function createFlatKeys(leaves: readonly ArrayGroup[], options: AxisOptions, aggregate: AggregateRows): ArraySortKey[] {
  const fields = leaves[0]?.key.length ?? 0;
  const all = leaves.flatMap((leaf) => leaf.rows);
  const every = Array.from({ length: fields }, (_, field) => field + 1);
  return [...options.orders, ...every].map((order) => {
    const column = Math.abs(order) - 1;
    const cell = (leaf: ArrayGroup): Scalar =>
      column < fields ? (leaf.key[column] ?? null) : aggregate(column - fields, leaf.rows, all);
    return { order: order < 0 ? -1 : 1, values: leaves.map(cell) };
  });
}

/** The groups of the deepest level in the order of the result. */
function sortLeaves(
  context: SortContext,
  levels: readonly GroupLevel[],
  options: AxisOptions,
  aggregate: AggregateRows,
): ArrayGroup[] {
  const leaves = levels.at(-1)!.groups;
  const keys = options.hierarchy
    ? levels.slice(1).flatMap((level, i) => createLevelKeys(leaves, level, i + 1, options, aggregate))
    : createFlatKeys(leaves, options, aggregate);
  return sortIndexes(context, keys, leaves.length).map((place) => leaves[place]!);
}

/** All lines of an axis in order, including totals. */
export function createAxis(
  context: SortContext,
  fields: Matrix,
  options: AxisOptions,
  aggregate: AggregateRows,
): readonly AxisLine[] | CellError {
  const depth = Math.abs(options.depth);
  if (depth > fields.columns) return VALUE;
  const levels = Array.from({ length: fields.columns + 1 }, (_, level) => createLevel(context, fields, level));
  const lines: AxisLine[] = [];
  const total = (level: number, row: number): AxisLine => {
    const { groups, groupByRow } = levels[level]!;
    const group = groups[groupByRow[row]!] as ArrayGroup;
    const labels = listColumnNumbers(fields).map((c): Scalar => group.key[c] ?? '');
    if (level === 0) labels[0] = depth > 1 ? GRAND_TOTAL : TOTAL;
    return { labels, rows: group.rows, parent: findParent(levels, level, row) };
  };
  const first = options.depth < 0;
  let previous: ArrayGroup | null = null;
  const leaves = sortLeaves(context, levels, options, aggregate);
  for (const leaf of leaves) {
    const from = previous === null ? 0 : countSharedLevels(levels, previous, leaf) + 1;
    const closing = previous;
    if (!first && closing) for (let l = depth - 1; l >= from; l--) lines.push(total(l, closing.rows[0]!));
    if (first) for (let l = from; l < depth; l++) lines.push(total(l, leaf.rows[0]!));
    const row = leaf.rows[0]!;
    lines.push({ labels: leaf.key, rows: leaf.rows, parent: findParent(levels, fields.columns, row) });
    previous = leaf;
  }
  const last = leaves.at(-1);
  if (!first && last) for (let l = depth - 1; l >= 0; l--) lines.push(total(l, last.rows[0]!));
  return lines;
}

/** The source rows of the group one level above that contains a row. */
function findParent(levels: readonly GroupLevel[], level: number, row: number): readonly number[] {
  const { groups, groupByRow } = levels[Math.max(level - 1, 0)]!;
  return (groups[groupByRow[row]!] as ArrayGroup).rows;
}

/** The deepest level at which two groups of the lowest level are in the same group. */
function countSharedLevels(levels: readonly GroupLevel[], a: ArrayGroup, b: ArrayGroup): number {
  let level = levels.length - 1;
  const same = ({ groupByRow }: GroupLevel) => groupByRow[a.rows[0]!] === groupByRow[b.rows[0]!];
  while (level > 0 && !same(levels[level]!)) level--;
  return level;
}
