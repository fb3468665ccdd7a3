import { NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define } from '../define.ts';
import { createMatrix, toNumberRows } from '../gather-numbers.ts';
import { OPERATIONS_PER_CELL } from '../limits.ts';
import { computeDeterminant, invertMatrix, multiplyMatrices } from '../numeric/matrix.ts';
import type { FunctionSpec } from '../spec.ts';
import { Matrix } from '../value.ts';

/** Maximum number of rows of an identity matrix. A sheet has more columns, but the matrix would use too much memory. */
const MAX_IDENTITY = 4096;
/** Number of copies that are made of a result: as rows, as rows of finite numbers, and as one array. */
const PASSES = 3;

export const MATRICES: readonly FunctionSpec[] = [
  define(
    'math',
    'MMULT',
    ['matrix', 'matrix'],
    (context, first, second) => {
      if (first.columns !== second.rows) return VALUE;
      const a = toNumberRows(context, first);
      const b = toNumberRows(context, second);
      if (isError(a)) return a;
      if (isError(b)) return b;
      context.spendCells((first.rows * first.columns * second.columns) / OPERATIONS_PER_CELL);
      context.checkMemory(PASSES * first.rows * second.columns);
      return createMatrix(multiplyMatrices(a, b, context).map((row) => row.map(toFiniteScalar)));
    },
    { manyCells: true, calculatesArrays: true },
  ),
  define(
    'math',
    'MINVERSE',
    ['matrix'],
    (context, matrix) => {
      const rows = toNumberRows(context, matrix);
      if (isError(rows)) return rows;
      if (matrix.rows !== matrix.columns) return VALUE;
      context.spendCells(matrix.rows ** 3 / OPERATIONS_PER_CELL);
      context.checkMemory(PASSES * matrix.length);
      const result = invertMatrix(rows, context);
      return result ? createMatrix(result.map((row) => row.map(toFiniteScalar))) : NUM;
    },
    { manyCells: true, calculatesArrays: true },
  ),
  define(
    'math',
    'MDETERM',
    ['matrix'],
    (context, matrix) => {
      const rows = toNumberRows(context, matrix);
      if (isError(rows)) return rows;
      if (matrix.rows !== matrix.columns) return VALUE;
      context.spendCells(matrix.rows ** 3 / OPERATIONS_PER_CELL);
      return computeDeterminant(rows, context);
    },
    { calculatesArrays: true },
  ),
  define(
    'math',
    'MUNIT',
    ['integer'],
    (context, size) => {
      if (size < 1 || size > MAX_IDENTITY) return VALUE;
      context.spendElements(size * size);
      const data = new Array<number>(size * size).fill(0);
      for (let i = 0; i < size; i++) data[i * size + i] = 1;
      return new Matrix(size, size, data);
    },
    { manyCells: true },
  ),
];

function toFiniteScalar(value: number): Scalar {
  return Number.isFinite(value) ? value + 0 : NUM;
}
