import { type CellError, DIV0, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define, withTraits } from '../define.ts';
import { forEachNumber } from '../gather-numbers.ts';
import { buildMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Matrix, Value } from '../value.ts';
import {
  type AggregateRows,
  type Aggregators,
  type AxisLine,
  aggregateAcross,
  createAxis,
  findColumnFormat,
  type GroupSource,
  readAggregators,
  readGroupSource,
  readSortOrders,
} from './groups.ts';
import { listColumnNumbers } from './keys.ts';

/** A row of the result with the formats of its cells. */
interface PivotRow {
  readonly cells: readonly Scalar[];
  readonly formats: readonly number[];
}

/** Converts the rows of the result to a matrix with formats. */
function toResultMatrix(context: FunctionContext, rows: readonly PivotRow[]): Matrix | CellError {
  return buildMatrix(context, rows.length, rows[0]?.cells.length ?? 0, (r, c) => {
    if (context.formats !== null) context.formats.last = rows[r]?.formats[c] ?? 0;
    return rows[r]?.cells[c] ?? '';
  });
}

/** Creates a row of the body: the labels of a line, and its results. */
function buildBodyRow(
  context: FunctionContext,
  fields: Matrix,
  line: AxisLine,
  { name, width }: Pick<AggregateTable, 'name' | 'width'>,
  answer: (index: number) => Scalar,
): PivotRow {
  const cells = name === null ? [...line.labels] : [...line.labels, name];
  const formats = listColumnNumbers(fields).map((c) => findColumnFormat(fields, c));
  if (name !== null) formats.push(0);
  for (let i = 0; i < width; i++) {
    if (context.formats !== null) context.formats.last = 0;
    cells.push(answer(i));
    formats.push(context.formats?.last ?? 0);
  }
  return { cells, formats };
}

/** The results for each line, with the function's name if it is shown. */
interface AggregateTable {
  readonly name: string | null;
  /** Number of result columns. */
  readonly width: number;
  readonly aggregate: AggregateRows;
}

/**
 * Creates one table if the functions are side by side, or one table for each function if they are below one another.
 */
function createTables(
  context: FunctionContext,
  { items, layout, names }: Aggregators,
  { values }: GroupSource,
): readonly [AggregateTable, ...AggregateTable[]] {
  const table = (functions: Aggregators['items'], name: string | null): AggregateTable => {
    return { name, width: values.columns * functions.length, aggregate: aggregateAcross(context, functions, values) };
  };
  if (layout === 'across') return [table(items, null)];
  const [first, ...others] = items.map((item, i) => table([item], names?.[i] ?? null));
  return [first!, ...others];
}

/** Repeats each label for every function that is side by side below it. */
function repeatLabels<T>(labels: readonly T[], { items, layout }: Aggregators): readonly T[] {
  return layout === 'across' ? labels.flatMap((label) => items.map(() => label)) : labels;
}

/** The names of functions side by side, for `columns` value columns; null if they are not shown. */
function repeatFunctionNames({ names, layout }: Aggregators, columns: number): readonly string[] | null {
  if (names === null || layout === 'down') return null;
  return Array.from({ length: columns }, () => names).flat();
}

/** The empty cells above labels and function names. */
function createCornerTexts(fields: Matrix, { names, layout }: Aggregators): readonly string[] {
  return Array.from({ length: fields.columns + (names !== null && layout === 'down' ? 1 : 0) }, () => '');
}

/** The rows above the groups: shown names of fields and values, and names of functions side by side. */
function buildGroupHead(aggregators: Aggregators, source: GroupSource): readonly PivotRow[] {
  const { fields, values, headers } = source;
  const head: PivotRow[] = [];
  const corner = createCornerTexts(fields[0]!, aggregators);
  if (headers) {
    const [names, valueNames] = headers as [readonly Scalar[], readonly Scalar[]];
    const beside = corner.slice(names.length);
    head.push({ cells: [...names, ...beside, ...repeatLabels(valueNames, aggregators)], formats: [] });
  }
  const across = repeatFunctionNames(aggregators, values.columns);
  if (across) head.push({ cells: [...corner, ...across], formats: [] });
  return head;
}

/** Every row number of a matrix. */
function listRowNumbers(matrix: Matrix): number[] {
  return Array.from({ length: matrix.rows }, (_, row) => row);
}

const GROUPBY = define(
  'array',
  'GROUPBY',
  ['value', 'value', 'value', 'integer??', 'integer??', 'value??', 'value??', 'integer??'],
  (context, fields, values, aggregator, headers, depth = 1, order, filter, relationship = 0) => {
    const aggregators = readAggregators(aggregator);
    if (isError(aggregators)) return aggregators;
    const source = readGroupSource(context, [[fields, 'Row Field']], values, headers, filter);
    if (isError(source)) return source;
    const [keys] = source.fields as [Matrix];
    const tables = createTables(context, aggregators, source);
    const [{ aggregate, width }] = tables;
    const orders = readSortOrders(context, order, keys.columns + width);
    if (isError(orders)) return orders;
    // Subtotals need nested groups.
    if (relationship !== 0 && (relationship !== 1 || Math.abs(depth) > 1)) return VALUE;
    const lines = createAxis(context, keys, { orders, depth, hierarchy: relationship === 0 }, aggregate);
    if (isError(lines)) return lines;
    const all = listRowNumbers(source.values);
    const body = lines.flatMap((line) =>
      tables.map((table) => buildBodyRow(context, keys, line, table, (c) => table.aggregate(c, line.rows, all))),
    );
    return toResultMatrix(context, [...buildGroupHead(aggregators, source), ...body]);
  },
);

/** The source rows that two lines share. */
function findCommonRows(line: AxisLine, member: Uint8Array): number[] {
  return line.rows.filter((row) => member[row] === 1);
}

/**
 * Returns the rows to compare with. `mode` is the argument `relative_to`: column, row, all, parent column, parent row.
 */
function selectRelatedRows(mode: number, row: AxisLine, column: AxisLine, all: readonly number[]): readonly number[] {
  return [column.rows, row.rows, all, column.parent, row.parent][mode]!;
}

interface PivotAxes {
  readonly rows: readonly AxisLine[];
  readonly columns: readonly AxisLine[];
}

/** The rows of the result below the column headings. `relativeTo`: see `selectRelatedRows`. */
function buildPivotBody(
  context: FunctionContext,
  axes: PivotAxes,
  source: GroupSource,
  tables: readonly AggregateTable[],
  relativeTo: number,
): readonly PivotRow[] {
  const all = listRowNumbers(source.values);
  const members = axes.columns.map((line) => {
    const member = new Uint8Array(all.length);
    for (const row of line.rows) member[row] = 1;
    return member;
  });
  return axes.rows.flatMap((row) => {
    context.spendCells(row.rows.length * axes.columns.length);
    const crossings = axes.columns.map((column, i) => ({
      shared: findCommonRows(row, members[i]!),
      within: selectRelatedRows(relativeTo, row, column, all),
    }));
    return tables.map(({ name, width, aggregate }) =>
      buildBodyRow(context, source.fields[0]!, row, { name, width: width * crossings.length }, (at) => {
        const { shared, within } = crossings[Math.floor(at / width)]!;
        return shared.length === 0 ? '' : aggregate(at % width, shared, within);
      }),
    );
  });
}

/** The rows above the body: one per column field, one for names of several value columns, one for function names. */
function buildPivotHead(axes: PivotAxes, source: GroupSource, aggregators: Aggregators, width: number): PivotRow[] {
  const [rowFields, columnFields] = source.fields as [Matrix, Matrix];
  const corner = createCornerTexts(rowFields, aggregators);
  const head = listColumnNumbers(columnFields).map((field): PivotRow => {
    const labels = axes.columns.flatMap((line) => Array.from({ length: width }, () => line.labels[field] ?? null));
    const format = findColumnFormat(columnFields, field);
    return { cells: [...corner, ...labels], formats: [...corner.map(() => 0), ...labels.map(() => format)] };
  });
  if (source.headers) {
    const [rowNames, , valueNames] = source.headers as [readonly Scalar[], readonly Scalar[], readonly Scalar[]];
    const beside = corner.slice(rowNames.length);
    const names = axes.columns.flatMap(() => repeatLabels(valueNames, aggregators));
    head.push({ cells: [...rowNames, ...beside, ...names], formats: [] });
  }
  const across = repeatFunctionNames(aggregators, source.values.columns * axes.columns.length);
  if (across) head.push({ cells: [...corner, ...across], formats: [] });
  return head;
}

const PIVOTBY = define(
  'array',
  'PIVOTBY',
  [
    'value',
    'value',
    'value',
    'value',
    'integer??',
    'integer??',
    'value??',
    'integer??',
    'value??',
    'value??',
    'integer??',
  ],
  (
    context,
    rowFields,
    columnFields,
    values,
    aggregator,
    headers,
    rowDepth = 1,
    rowOrder,
    columnDepth = 1,
    columnOrder,
    filter,
    relativeTo = 0,
  ) => {
    const aggregators = readAggregators(aggregator);
    if (isError(aggregators)) return aggregators;
    if (relativeTo < 0 || relativeTo > 4) return VALUE;
    const fields: [Value, string][] = [
      [rowFields, 'Row Field'],
      [columnFields, 'Column Field'],
    ];
    const source = readGroupSource(context, fields, values, headers, filter);
    if (isError(source)) return source;
    const tables = createTables(context, aggregators, source);
    const axes = createAxes(context, source, tables[0], [rowOrder, rowDepth], [columnOrder, columnDepth]);
    if (isError(axes)) return axes;
    const head = buildPivotHead(axes, source, aggregators, tables[0].width);
    return toResultMatrix(context, [...head, ...buildPivotBody(context, axes, source, tables, relativeTo)]);
  },
);

type AxisArguments = readonly [order: Value | undefined, depth: number];

/** The rows and columns of a pivot table in order. `axes`: the sort order and depth of totals of each. */
function createAxes(
  context: FunctionContext,
  source: GroupSource,
  { aggregate, width }: AggregateTable,
  ...axes: readonly [AxisArguments, AxisArguments]
): PivotAxes | CellError {
  const lines: (readonly AxisLine[])[] = [];
  for (const [i, [order, depth]] of axes.entries()) {
    const fields = source.fields[i]!;
    const orders = readSortOrders(context, order, fields.columns + width);
    if (isError(orders)) return orders;
    const axis = createAxis(context, fields, { orders, depth, hierarchy: true }, aggregate);
    if (isError(axis)) return axis;
    lines.push(axis);
  }
  return { rows: lines[0]!, columns: lines[1]! };
}

/** The sum of a value's numbers, or the first error. */
function sumNumbers(context: FunctionContext, value: Value): number | CellError {
  let sum = 0;
  const problem = forEachNumber(context, [value], (number) => {
    sum += number;
  });
  return problem ?? sum;
}

export const PIVOT: readonly FunctionSpec[] = [
  withTraits(GROUPBY, { picks: 'element' }),
  withTraits(PIVOTBY, { picks: 'element' }),
  define(
    'array',
    'PERCENTOF',
    ['value', 'value'],
    (context, part, all) => {
      const subset = sumNumbers(context, part);
      if (isError(subset)) return subset;
      const total = sumNumbers(context, all);
      if (isError(total)) return total;
      return total === 0 ? DIV0 : subset / total;
    },
    { format: 'percent' },
  ),
];
