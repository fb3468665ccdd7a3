import { MAX_COLUMNS, MAX_ROWS } from '../../grid/limits.ts';
import { CALC, type CellError, NA, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { AllocationMeter, WorkMeter } from '../context.ts';
import { define, defineVariadic, withTraits } from '../define.ts';
import { FormatList, pickAt, pickElement, toFormattedMatrix } from '../formats.ts';
import { readAsMatrix } from '../invoke.ts';
import { runInSteps } from '../run-in-steps.ts';
import { buildMatrix, padMatrix, pickColumns, pickRows, readFullMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { createLambdaList, Lambda, Matrix, type Value } from '../value.ts';

/** Returns which of `size` rows or columns TAKE keeps: the first ones, or for a negative count the last ones. */
function computeTakeRange(size: number, count: number | undefined): readonly [number, number] {
  if (count === undefined) return [0, size];
  return count >= 0 ? [0, Math.min(count, size)] : [Math.max(size + count, 0), size];
}

/**
 * Returns which of `size` rows or columns DROP keeps: all but the first ones, or for a negative count all but the last
 * ones.
 */
function computeDropRange(size: number, count: number | undefined): readonly [number, number] {
  if (count === undefined) return [0, size];
  return count >= 0 ? [Math.min(count, size), size] : [0, Math.max(size + count, 0)];
}

/** Defines TAKE or DROP. `keep` returns the kept range of rows or columns. */
function defineTakeOrDrop(name: string, keep: typeof computeTakeRange): FunctionSpec {
  return define('array', name, ['value', 'integer??', 'integer??'], (context, value, rows, columns) => {
    const matrix = readFullMatrix(context, value);
    if (isError(matrix)) return matrix;
    const [top, bottom] = keep(matrix.rows, rows);
    const [left, right] = keep(matrix.columns, columns);
    return buildMatrix(context, bottom - top, right - left, (r, c) => pickElement(context, matrix, top + r, left + c));
  });
}

/** Returns zero-based row or column numbers for all index arguments. They count from 1, negative ones from the end. */
function readIndexes(context: FunctionContext, values: readonly Value[], size: number): number[] | CellError {
  const picked: number[] = [];
  for (const value of values) {
    for (const element of readAsMatrix(context, value).data) {
      const number = toNumber(element, context);
      if (isError(number)) return number;
      const index = Math.trunc(number);
      if (index === 0 || Math.abs(index) > size) return VALUE;
      picked.push(index > 0 ? index - 1 : size + index);
    }
  }
  return picked;
}

/** Defines CHOOSECOLS or CHOOSEROWS. */
function defineChooseLines(name: string, byColumn: boolean): FunctionSpec {
  return defineVariadic('array', name, ['value', 'value'], ['value'], (context, value, first, rest) => {
    const matrix = readFullMatrix(context, value);
    if (isError(matrix)) return matrix;
    const picked = readIndexes(context, [first, ...rest], byColumn ? matrix.columns : matrix.rows);
    if (isError(picked)) return picked;
    return byColumn ? pickColumns(context, matrix, picked) : pickRows(context, matrix, picked);
  });
}

/** Converts the arguments to arrays. Errors and lambdas become arrays of one error. */
function toMatrices(context: FunctionContext, values: readonly Value[]): Matrix[] {
  return values.map((value, i) => {
    if (typeof value === 'number') return toFormattedMatrix(context, value, i);
    const matrix = value instanceof Lambda ? VALUE : readFullMatrix(context, value);
    return isError(matrix) ? new Matrix(1, 1, [matrix]) : matrix;
  });
}

/** VSTACK: the rows of all values below one another. */
function stackVertically(context: FunctionContext, values: readonly Value[]): Value {
  const parts = toMatrices(context, values);
  const columns = Math.max(...parts.map((part) => part.columns));
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  if (rows > MAX_ROWS) return NUM;
  context.spendElements(rows * columns);
  const data: Scalar[] = new Array(rows * columns);
  const formats = new FormatList(data.length);
  let at = 0;
  for (const part of parts) {
    if (part.formats !== 0) setFormats(context, formats, part, columns, at, 0);
    const elements = part.columns === columns ? part.data : padRows(context, part, columns);
    const top = at;
    runInSteps(context, elements.length, (from, to) => {
      for (let i = from; i < to; i++) data[top + i] = elements[i] ?? null;
    });
    at += elements.length;
  }
  return new Matrix(rows, columns, data, formats.result);
}

/** Copies the formats of one array to the positions of its elements in a combined array. */
function setFormats(
  context: WorkMeter,
  formats: FormatList,
  part: Matrix,
  columns: number,
  from: number,
  left: number,
): void {
  for (let r = 0; r < part.rows; r++) {
    context.reportWork(part.columns);
    for (let c = 0; c < part.columns; c++) {
      formats.set(from + r * columns + left + c, part.formatAt(r * part.columns + c));
    }
  }
}

/** Extends the rows of a matrix with `#N/A`. */
function padRows(context: AllocationMeter, part: Matrix, columns: number): Scalar[] {
  context.checkMemory(part.rows * columns);
  const data: Scalar[] = new Array(part.rows * columns);
  let at = 0;
  for (let r = 0; r < part.rows; r++) {
    context.reportWork(columns);
    for (let c = 0; c < columns; c++) data[at++] = c < part.columns ? part.get(r, c) : NA;
  }
  return data;
}

/** HSTACK: the columns of all values side by side. */
function stackHorizontally(context: FunctionContext, values: readonly Value[]): Value {
  const parts = toMatrices(context, values);
  const rows = Math.max(...parts.map((part) => part.rows));
  const columns = parts.reduce((sum, part) => sum + part.columns, 0);
  if (columns > MAX_COLUMNS) return NUM;
  context.spendElements(rows * columns);
  const data: Scalar[] = new Array(rows * columns);
  const formats = new FormatList(data.length);
  let left = 0;
  for (const part of parts) {
    if (part.formats !== 0) setFormats(context, formats, part, columns, 0, left);
    for (let c = 0; c < part.columns; c++, left++) {
      const column = left;
      runInSteps(context, rows, (from, to) => {
        for (let r = from; r < to; r++) data[r * columns + column] = r < part.rows ? part.get(r, c) : NA;
      });
    }
  }
  return new Matrix(rows, columns, data, formats.result);
}

/**
 * Returns all elements of a matrix in one row or column. `ignore` as in TOCOL: 1 omits blanks, 2 omits errors, 3 omits
 * both.
 */
function flattenToLine(
  context: FunctionContext,
  value: Value,
  ignore: number,
  byColumn: boolean,
  asColumn: boolean,
): Value {
  if (ignore < 0 || ignore > 3) return VALUE;
  const matrix =
    value instanceof Lambda ? VALUE : isError(value) ? new Matrix(1, 1, [value]) : readFullMatrix(context, value);
  if (isError(matrix)) return matrix;
  context.checkMemory(matrix.length);
  const kept: number[] = [];
  const keep = (element: Scalar, index: number) => {
    if ((ignore & 1 && element === null) || (ignore & 2 && isError(element))) return;
    kept.push(index);
  };
  if (!byColumn) matrix.data.forEach(keep);
  else {
    for (let c = 0; c < matrix.columns; c++) {
      for (let r = 0; r < matrix.rows; r++) keep(matrix.get(r, c), r * matrix.columns + c);
    }
  }
  return asColumn
    ? buildMatrix(context, kept.length, 1, (r) => pickAt(context, matrix, kept[r]!))
    : buildMatrix(context, 1, kept.length, (_, c) => pickAt(context, matrix, kept[c]!));
}

/** Defines TOCOL or TOROW. */
function defineFlatten(name: string, asColumn: boolean): FunctionSpec {
  return define('array', name, ['value', 'integer?', 'boolean?'], (context, value, ignore = 0, byColumn = false) =>
    flattenToLine(context, value, ignore, byColumn, asColumn),
  );
}

/** Defines WRAPROWS or WRAPCOLS. */
function defineWrap(name: string, byRows: boolean): FunctionSpec {
  return define('array', name, ['value', 'integer', 'value??'], (context, value, count, padWith) => {
    const matrix = readFullMatrix(context, value);
    if (isError(matrix)) return matrix;
    if (matrix.rows > 1 && matrix.columns > 1) return VALUE;
    if (count < 1) return NUM;
    const pad: Scalar = padWith === undefined ? NA : readAsMatrix(context, padWith).get(0, 0);
    const lines = Math.ceil(matrix.length / count);
    const across = Math.min(count, matrix.length);
    const at = (line: number, position: number): Scalar => {
      const index = line * count + position;
      return index < matrix.length ? pickAt(context, matrix, index) : pad;
    };
    // If all elements fit into one row or column, the result is only as long as the vector.
    return byRows
      ? buildMatrix(context, lines, lines === 1 ? across : count, at)
      : buildMatrix(context, lines === 1 ? across : count, lines, (r, c) => at(c, r));
  });
}

const EXPAND = define(
  'array',
  'EXPAND',
  ['value', 'integer??', 'integer??', 'value??'],
  (context, value, rows, columns, padWith) => {
    const matrix = readFullMatrix(context, value);
    if (isError(matrix)) return matrix;
    const tall = rows ?? matrix.rows;
    const wide = columns ?? matrix.columns;
    if (tall < matrix.rows || wide < matrix.columns) return VALUE;
    if (tall > MAX_ROWS || wide > MAX_COLUMNS) return NUM;
    const pad: Scalar = padWith === undefined ? NA : readAsMatrix(context, padWith).get(0, 0);
    return padMatrix(context, matrix, tall, wide, pad);
  },
  { picks: 'element' },
);

const SEQUENCE = define(
  'array',
  'SEQUENCE',
  ['integer??', 'integer??', 'number??', 'number??'],
  (context, rows = 1, columns = 1, start = 1, step = 1) => {
    if (rows < 0 || columns < 0) return VALUE;
    if (rows === 0 || columns === 0) return CALC;
    return buildMatrix(context, rows, columns, (r, c) => start + (r * columns + c) * step);
  },
);

const RANDARRAY = define(
  'array',
  'RANDARRAY',
  ['integer??', 'integer??', 'number??', 'number??', 'boolean??'],
  (context, rows = 1, columns = 1, least = 0, most = 1, whole = false) => {
    if (rows < 0 || columns < 0 || least > most) return VALUE;
    if (whole && !(Number.isInteger(least) && Number.isInteger(most))) return VALUE;
    const next = whole
      ? () => least + Math.floor(context.random() * (most - least + 1))
      : () => least + context.random() * (most - least);
    return buildMatrix(context, rows, columns, next);
  },
  { volatile: true },
);

export const SHAPE: readonly FunctionSpec[] = [
  withTraits(defineTakeOrDrop('TAKE', computeTakeRange), { picks: 'element' }),
  withTraits(defineTakeOrDrop('DROP', computeDropRange), { picks: 'element' }),
  withTraits(defineChooseLines('CHOOSECOLS', true), { picks: 'element' }),
  withTraits(defineChooseLines('CHOOSEROWS', false), { picks: 'element' }),
  defineVariadic(
    'array',
    'VSTACK',
    ['value'],
    ['value'],
    (context, first, rest) => createLambdaList([first, ...rest], 'down') ?? stackVertically(context, [first, ...rest]),
    {
      picks: 'element',
    },
  ),
  defineVariadic(
    'array',
    'HSTACK',
    ['value'],
    ['value'],
    (context, first, rest) =>
      createLambdaList([first, ...rest], 'across') ?? stackHorizontally(context, [first, ...rest]),
    {
      picks: 'element',
    },
  ),
  withTraits(defineFlatten('TOCOL', true), { picks: 'element' }),
  withTraits(defineFlatten('TOROW', false), { picks: 'element' }),
  withTraits(defineWrap('WRAPROWS', true), { picks: 'element' }),
  withTraits(defineWrap('WRAPCOLS', false), { picks: 'element' }),
  EXPAND,
  SEQUENCE,
  RANDARRAY,
];
