import { type CellError, DIV0, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define, withTraits } from '../define.ts';
import { eachNumber } from '../gather.ts';
import { build } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Matrix, Value } from '../value.ts';
import {
  type Aggregate,
  aggregateOf,
  axisOf,
  columnFormat,
  type Line,
  lambdaOf,
  ordersOf,
  type Source,
  sourceOf,
} from './groups.ts';
import { allColumns } from './keys.ts';

/** A row of the result with the formats of its cells. */
interface Row {
  readonly cells: readonly Scalar[];
  readonly formats: readonly number[];
}

function spill(context: FunctionContext, rows: readonly Row[]): Matrix | CellError {
  return build(context, rows.length, rows[0]?.cells.length ?? 0, (r, c) => {
    if (context.formats !== null) context.formats.last = rows[r]?.formats[c] ?? 0;
    return rows[r]?.cells[c] ?? '';
  });
}

/** Labels of an axis, and answers for what stands under them. */
function bodyRow(
  context: FunctionContext,
  fields: Matrix,
  line: Line,
  count: number,
  answer: (index: number) => Scalar,
): Row {
  const cells = [...line.labels];
  const formats = allColumns(fields).map((c) => columnFormat(fields, c));
  for (let i = 0; i < count; i++) {
    if (context.formats !== null) context.formats.last = 0;
    cells.push(answer(i));
    formats.push(context.formats?.last ?? 0);
  }
  return { cells, formats };
}

function allRows(matrix: Matrix): number[] {
  return Array.from({ length: matrix.rows }, (_, row) => row);
}

const GROUPBY = define(
  'array',
  'GROUPBY',
  ['value', 'value', 'value', 'integer??', 'integer??', 'value??', 'value??', 'integer??'],
  (context, fields, values, aggregator, headers, depth = 1, order, filter, relationship = 0) => {
    const lambda = lambdaOf(aggregator);
    if (isError(lambda)) return lambda;
    const source = sourceOf(context, [[fields, 'Row Field']], values, headers, filter);
    if (isError(source)) return source;
    const [keys] = source.fields as [Matrix];
    const orders = ordersOf(context, order, keys.columns + source.values.columns);
    if (isError(orders)) return orders;
    // Subtotals need groups inside groups.
    if (relationship !== 0 && (relationship !== 1 || Math.abs(depth) > 1)) return VALUE;
    const aggregate = aggregateOf(context, lambda, source.values);
    const lines = axisOf(context, keys, { orders, depth, hierarchy: relationship === 0 }, aggregate);
    if (isError(lines)) return lines;
    const all = allRows(source.values);
    const { columns } = source.values;
    const body = lines.map((line) => bodyRow(context, keys, line, columns, (c) => aggregate(c, line.rows, all)));
    return spill(context, source.headers ? [{ cells: source.headers.flat(), formats: [] }, ...body] : body);
  },
);

/** The source rows that two lines share. */
function crossing(line: Line, member: Uint8Array): number[] {
  return line.rows.filter((row) => member[row] === 1);
}

/** `relative_to`: the values a related function compares with, by column, row, all, parent column, parent row. */
function relatedRows(mode: number, row: Line, column: Line, all: readonly number[]): readonly number[] {
  return [column.rows, row.rows, all, column.parent, row.parent][mode] as readonly number[];
}

interface Axes {
  readonly rows: readonly Line[];
  readonly columns: readonly Line[];
}

function pivotBody(context: FunctionContext, axes: Axes, source: Source, aggregate: Aggregate, relativeTo: number) {
  const all = allRows(source.values);
  const members = axes.columns.map((line) => {
    const member = new Uint8Array(all.length);
    for (const row of line.rows) member[row] = 1;
    return member;
  });
  return axes.rows.map((row) => {
    context.spend(row.rows.length * axes.columns.length);
    const { columns } = source.values;
    const crossings = axes.columns.map((column, i) => ({
      shared: crossing(row, members[i] as Uint8Array),
      within: relatedRows(relativeTo, row, column, all),
    }));
    return bodyRow(context, source.fields[0] as Matrix, row, columns * crossings.length, (at) => {
      const { shared, within } = crossings[Math.floor(at / columns)] as (typeof crossings)[number];
      return shared.length === 0 ? '' : aggregate(at % columns, shared, within);
    });
  });
}

/** The rows above the body: one for each column field, one for the names of several value columns. */
function pivotHead(axes: Axes, source: Source): Row[] {
  const [rowFields, columnFields] = source.fields as [Matrix, Matrix];
  const width = source.values.columns;
  const corner = allColumns(rowFields).map(() => '');
  const head = allColumns(columnFields).map((field): Row => {
    const labels = axes.columns.flatMap((line) => Array.from({ length: width }, () => line.labels[field] as Scalar));
    const format = columnFormat(columnFields, field);
    return { cells: [...corner, ...labels], formats: [...corner.map(() => 0), ...labels.map(() => format)] };
  });
  if (source.headers) {
    const [rowNames, , valueNames] = source.headers as [readonly Scalar[], readonly Scalar[], readonly Scalar[]];
    head.push({ cells: [...rowNames, ...axes.columns.flatMap(() => valueNames)], formats: [] });
  }
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
    const lambda = lambdaOf(aggregator);
    if (isError(lambda)) return lambda;
    if (relativeTo < 0 || relativeTo > 4) return VALUE;
    const fields: [Value, string][] = [
      [rowFields, 'Row Field'],
      [columnFields, 'Column Field'],
    ];
    const source = sourceOf(context, fields, values, headers, filter);
    if (isError(source)) return source;
    const aggregate = aggregateOf(context, lambda, source.values);
    const axes = axesOf(context, source, aggregate, [rowOrder, rowDepth], [columnOrder, columnDepth]);
    if (isError(axes)) return axes;
    return spill(context, [...pivotHead(axes, source), ...pivotBody(context, axes, source, aggregate, relativeTo)]);
  },
);

type AxisArguments = readonly [order: Value | undefined, depth: number];

function axesOf(
  context: FunctionContext,
  source: Source,
  aggregate: Aggregate,
  ...axes: readonly [AxisArguments, AxisArguments]
): Axes | CellError {
  const lines: (readonly Line[])[] = [];
  for (const [i, [order, depth]] of axes.entries()) {
    const fields = source.fields[i] as Matrix;
    const orders = ordersOf(context, order, fields.columns + source.values.columns);
    if (isError(orders)) return orders;
    const axis = axisOf(context, fields, { orders, depth, hierarchy: true }, aggregate);
    if (isError(axis)) return axis;
    lines.push(axis);
  }
  return { rows: lines[0] as readonly Line[], columns: lines[1] as readonly Line[] };
}

/** The sum of a value's numbers, or the first error. */
function sumOf(context: FunctionContext, value: Value): number | CellError {
  let sum = 0;
  const problem = eachNumber(context, [value], (number) => {
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
      const subset = sumOf(context, part);
      if (isError(subset)) return subset;
      const total = sumOf(context, all);
      if (isError(total)) return total;
      return total === 0 ? DIV0 : subset / total;
    },
    { format: 'percent' },
  ),
];
