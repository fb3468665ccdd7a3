import { height, width } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { CALC, type CellError, NUM, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { BroadcastOperand, computeCommonSize } from './broadcast.ts';
import { pickTypedElements } from './elements/typed-arrays.ts';
import { FormatList, pickElement } from './formats.ts';
import { readAsMatrix, readAsScalar, takeTopLeftElement } from './invoke.ts';
import { runInSteps } from './run-in-steps.ts';
import type { FunctionContext } from './spec.ts';
import { type ElementFormats, Matrix, Reference, type SheetArea, type Value } from './value.ts';

/** Number of rows and columns of a value, not clipped to filled cells. */
interface MatrixSize {
  readonly rows: number;
  readonly columns: number;
}

export function measureValue(value: Value): MatrixSize {
  if (value instanceof Matrix) return value;
  if (value instanceof Reference) return { rows: height(value.areas[0]), columns: width(value.areas[0]) };
  return { rows: 1, columns: 1 };
}

/**
 * Reads a value as a Matrix of its full size, with blanks outside the used size. Sides that extend to the end of the
 * grid (`A:A`) stay clipped. Returns errors unchanged.
 */
export function readFullMatrix(context: FunctionContext, value: Value): Matrix | CellError {
  if (isError(value)) return value;
  const read = readAsMatrix(context, value);
  if (!(value instanceof Reference)) return read;
  if (value.areas.length > 1) return VALUE;
  const [area] = value.areas;
  const rows = area.bottom === MAX_ROWS - 1 ? read.rows : height(area);
  const columns = area.right === MAX_COLUMNS - 1 ? read.columns : width(area);
  return padMatrix(context, read, rows, columns, null);
}

/** Extends a matrix to a size with a filler. */
export function padMatrix(
  context: FunctionContext,
  matrix: Matrix,
  rows: number,
  columns: number,
  filler: Scalar,
): Matrix {
  if (rows === matrix.rows && columns === matrix.columns) return matrix;
  return buildMatrix(context, rows, columns, (r, c) =>
    r < matrix.rows && c < matrix.columns ? pickElement(context, matrix, r, c) : clearFormats(context, filler),
  ) as Matrix;
}

/** Returns a scalar without a format: its format is General. */
function clearFormats(context: FunctionContext, value: Scalar): Scalar {
  if (context.formats !== null) context.formats.last = 0;
  return value;
}

/**
 * The error for an array result of this size: `#CALC!` if it is empty, `#NUM!` if it is larger than the grid; null if
 * the size is valid.
 */
function findSizeError(rows: number, columns: number): CellError | null {
  if (rows < 1 || columns < 1) return CALC;
  return rows > MAX_ROWS || columns > MAX_COLUMNS ? NUM : null;
}

/** Creates a matrix cell by cell. Takes its elements from the budget before it allocates. */
export function buildMatrix(
  context: FunctionContext,
  rows: number,
  columns: number,
  cell: (row: number, column: number) => Scalar,
): Matrix | CellError {
  const problem = findSizeError(rows, columns);
  if (problem) return problem;
  context.spendElements(rows * columns);
  const data: Scalar[] = new Array(rows * columns);
  let at = 0;
  const trace = context.formats;
  if (trace === null) {
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        context.reportWork(1);
        data[at++] = cell(r, c);
      }
    }
    return new Matrix(rows, columns, data);
  }
  const formats = new FormatList(data.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++, at++) {
      context.reportWork(1);
      trace.last = 0;
      data[at] = cell(r, c);
      formats.set(at, trace.last);
    }
  }
  return new Matrix(rows, columns, data, formats.result);
}

/** Returns the rows of a matrix with the given numbers, in their order. */
export function pickRows(context: FunctionContext, matrix: Matrix, rows: readonly number[]): Matrix | CellError {
  const { columns, elements } = matrix;
  const problem = findSizeError(rows.length, columns);
  if (problem) return problem;
  if (elements !== null && columns === 1) {
    context.spendElements(rows.length, true);
    return new Matrix(rows.length, 1, pickTypedElements(context, elements, rows), pickFormats(matrix, rows));
  }
  const { data } = matrix;
  context.spendElements(rows.length * columns);
  const picked: Scalar[] = new Array(rows.length * columns);
  if (columns === 1) for (let i = 0; i < rows.length; i++) picked[i] = data[rows[i]!] ?? null;
  else {
    let at = 0;
    for (const row of rows) for (let c = 0; c < columns; c++) picked[at++] = data[row * columns + c] ?? null;
  }
  return new Matrix(rows.length, columns, picked, pickFormats(matrix, rows));
}

/** The formats of the rows with the given numbers. */
function pickFormats({ columns, formats }: Matrix, rows: readonly number[]): ElementFormats {
  if (typeof formats === 'number') return formats;
  const picked = new Uint16Array(rows.length * columns);
  let at = 0;
  for (const row of rows) for (let c = 0; c < columns; c++) picked[at++] = formats[row * columns + c]!;
  return picked;
}

/** Returns the columns of a matrix with the given numbers, in their order. */
export function pickColumns(context: FunctionContext, matrix: Matrix, columns: readonly number[]): Matrix | CellError {
  return buildMatrix(context, matrix.rows, columns.length, (r, c) => pickElement(context, matrix, r, columns[c]!));
}

export function transposeMatrix(context: FunctionContext, matrix: Matrix): Matrix {
  if (matrix.rows === 1) return new Matrix(matrix.columns, 1, matrix.data, matrix.formats);
  if (matrix.columns === 1) return new Matrix(1, matrix.rows, matrix.data, matrix.formats);
  return buildMatrix(context, matrix.columns, matrix.rows, (r, c) => pickElement(context, matrix, c, r)) as Matrix;
}

/**
 * Applies a function of scalars to the elements of scalars, arrays and ranges, including errors. For functions that
 * compute something once for all elements. If all values are scalars, returns the result of the function.
 */
export function mapElements(
  context: FunctionContext,
  values: readonly Value[],
  each: (scalars: readonly Scalar[]) => Value,
): Value {
  const scalars = values.map((value) => readAsScalar(context, value));
  if (!scalars.includes(undefined)) return each(scalars as Scalar[]);
  const parts = values.map((value) => readAsMatrix(context, value));
  const { rows, columns } = computeCommonSize(parts);
  const problem = findSizeError(rows, columns);
  if (problem) return problem;
  // Count the work before allocating memory of that size.
  context.spendCells(rows * columns);
  const spread = parts.map((part) => new BroadcastOperand(part, rows, columns));
  let at = 0;
  return buildMatrix(context, rows, columns, () => {
    const place = at++;
    context.reportWork(parts.length);
    return takeTopLeftElement(context, each(spread.map((elements) => elements.getValue(place))));
  });
}

/** Creates a reference to a rectangle inside an area; null if it is outside the grid. */
export function createSubReference(
  area: SheetArea,
  top: number,
  left: number,
  rows: number,
  columns: number,
): Reference | null {
  const bottom = top + rows - 1;
  const right = left + columns - 1;
  if (top < 0 || left < 0 || bottom >= MAX_ROWS || right >= MAX_COLUMNS) return null;
  return new Reference([{ sheet: area.sheet, top, left, bottom, right }]);
}

/**
 * Visits every value of an argument: the filled cells of a reference, the elements of an array, or the scalar.
 * `direct`: the scalar is the argument itself, so that texts and booleans count.
 */
export function forEachValue(
  context: FunctionContext,
  value: Value,
  visit: (value: Scalar, direct: boolean) => void,
): void {
  if (value instanceof Reference) context.scanReference(value, (cell) => visit(cell, false));
  else if (value instanceof Matrix) {
    runInSteps(context, value.length, (from, to) => {
      for (let at = from; at < to; at++) visit(value.at(at), false);
    });
  } else visit(takeTopLeftElement(context, value), true);
}
