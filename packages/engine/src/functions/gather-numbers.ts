import { type CellError, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { toNumber } from './coerce.ts';
import type { WorkMeter } from './context.ts';
import { visitNumbers } from './elements/typed-arrays.ts';
import { sortNumbers } from './numeric/summary.ts';
import { reserveList } from './reserve-memory.ts';
import { runInSteps } from './run-in-steps.ts';
import { type OrderedNumbers, SortedArray } from './selection/ordered-numbers.ts';
import type { FunctionContext } from './spec.ts';
import { Lambda, Matrix, Reference, type Value } from './value.ts';

/**
 * The cells of ranges and arrays that an aggregate counts: `numbers` only, or `all` (texts are 0, booleans 1 and 0) as
 * in AVERAGEA. Direct arguments are converted in both cases.
 */
export type CountedKinds = 'numbers' | 'all';

/** Calls `visit` with each number of an aggregate's arguments. Omits blanks. Returns the first error, or null. */
export function forEachNumber(
  context: FunctionContext,
  args: readonly (Value | undefined)[],
  visit: (value: number) => void,
  counted: CountedKinds = 'numbers',
): CellError | null {
  let error: CellError | null = null;
  const cell = (value: Scalar) => {
    if (typeof value === 'number') visit(value);
    else if (value === null) return;
    else if (isError(value)) error ??= value;
    else if (counted === 'all') visit(value === true ? 1 : 0);
  };
  for (const arg of args) {
    if (arg === undefined) continue;
    if (arg instanceof Reference) context.scanReference(arg, cell);
    else if (arg instanceof Matrix && arg.elements?.hasErrors === false) {
      visitNumbers(context, arg.elements, counted === 'all', visit);
    } else if (arg instanceof Matrix) {
      runInSteps(context, arg.length, (from, to) => {
        for (let at = from; at < to; at++) cell(arg.data[at] ?? null);
      });
    } else {
      const value = toDirectNumber(arg, context);
      if (isError(value)) error ??= value;
      else visit(value);
    }
    if (error !== null) return error;
  }
  return null;
}

/** Converts an argument that is no range or array to a number. */
function toDirectNumber(value: Exclude<Value, Reference | Matrix>, context: FunctionContext): number | CellError {
  return value instanceof Lambda ? VALUE : toNumber(value, context);
}

/**
 * Returns the numbers of an aggregate's arguments in ascending order, or the first error. Uses the index if the
 * argument is a single range.
 */
export function orderNumbers(context: FunctionContext, args: readonly Value[]): OrderedNumbers | CellError {
  const [first] = args;
  const ordered = first instanceof Reference && args.length === 1 ? context.getOrderedNumbers(first) : null;
  if (ordered !== null) {
    const { error } = context.computeTotals(first as Reference);
    return isError(error) ? error : ordered;
  }
  const known = first instanceof Matrix && args.length === 1 ? orderedMatrices.get(first) : undefined;
  if (known !== undefined) return known;
  const numbers = gatherNumbers(context, args);
  const sorted = isError(numbers) ? numbers : new SortedArray(sortNumbers(numbers, context));
  if (first instanceof Matrix && args.length === 1 && first.length >= MIN_ORDERED_ELEMENTS)
    orderedMatrices.set(first, sorted);
  return sorted;
}

/** Minimum size of a matrix whose order is kept. */
const MIN_ORDERED_ELEMENTS = 64;
/** The ordered numbers of matrices, or their first error. Formulas of a column may share a matrix. */
const orderedMatrices = new WeakMap<Matrix, OrderedNumbers | CellError>();

/** All numbers of an aggregate's arguments in order, or the first error. */
export function gatherNumbers(
  context: FunctionContext,
  args: readonly (Value | undefined)[],
  counted: CountedKinds = 'numbers',
): number[] | CellError {
  const numbers: number[] = [];
  const visit = (value: number) => {
    reserveList(context, numbers.length);
    numbers.push(value);
  };
  const error = forEachNumber(context, args, visit, counted);
  // The caller's processing of the numbers takes about as long as reading them.
  context.reportWork(numbers.length);
  return error ?? numbers;
}

/**
 * Gathers numbers as `gatherNumbers` does, but reads ranges row by row, because their order matters for NPV, IRR and
 * MODE.
 */
export function gatherNumbersByRow(context: FunctionContext, args: readonly Value[]): number[] | CellError {
  const read = (arg: Value) =>
    arg instanceof Reference ? arg.areas.map((area) => context.readReference(new Reference([area]))) : [arg];
  return gatherNumbers(context, args.flatMap(read));
}

/** A rectangle with the size of a reference. Cells outside the stored matrix are blank. */
export interface CellBlock {
  readonly rows: number;
  readonly columns: number;
  readonly matrix: Matrix;
}

/** Reads a value as a block; returns an error argument unchanged. Unions and 3-D references give `#VALUE!`. */
export function readBlock(context: FunctionContext, value: Value): CellBlock | CellError {
  if (value instanceof Matrix) return { rows: value.rows, columns: value.columns, matrix: value };
  if (value instanceof Lambda) return VALUE;
  if (isError(value)) return value;
  if (!(value instanceof Reference)) return { rows: 1, columns: 1, matrix: new Matrix(1, 1, [value]) };
  if (value.areas.length > 1) return VALUE;
  const [area] = value.areas;
  return {
    rows: area.bottom - area.top + 1,
    columns: area.right - area.left + 1,
    matrix: context.readReference(value),
  };
}

/** Returns a cell of a block; blank outside the stored matrix. */
export function readBlockCell(block: CellBlock, row: number, column: number): Scalar {
  const { matrix } = block;
  return row < matrix.rows && column < matrix.columns ? matrix.get(row, column) : null;
}

/** Two lists of equal length: the numbers at the same positions of two ranges. */
export interface NumberPairs {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

/**
 * Collects the numbers of the positions where both ranges contain a number. `mismatch`: the result for ranges of
 * different sizes. Returns the first error in either range.
 */
export function gatherPairs(
  context: FunctionContext,
  first: Value,
  second: Value,
  mismatch: CellError,
): NumberPairs | CellError {
  const a = readBlock(context, first);
  const b = readBlock(context, second);
  if (isError(a)) return a;
  if (isError(b)) return b;
  if (a.rows * a.columns !== b.rows * b.columns) return mismatch;
  const sameShape = a.columns === b.columns;
  const rows = sameShape ? Math.max(a.matrix.rows, b.matrix.rows) : a.rows;
  const columns = sameShape ? Math.max(a.matrix.columns, b.matrix.columns) : a.columns;
  context.checkMemory(2 * Math.min(a.matrix.length, b.matrix.length));
  const xs: number[] = [];
  const ys: number[] = [];
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      context.reportWork(1);
      const x = readBlockCell(a, r, c);
      const at = r * a.columns + c;
      const y = sameShape ? readBlockCell(b, r, c) : readBlockCell(b, Math.floor(at / b.columns), at % b.columns);
      if (isError(x)) return x;
      if (isError(y)) return y;
      if (typeof x !== 'number' || typeof y !== 'number') continue;
      xs.push(x);
      ys.push(y);
    }
  }
  return { xs, ys };
}

/** Converts a matrix of numbers to rows. Returns the error of a cell, or `#VALUE!` if a cell contains anything else. */
export function toNumberRows(context: WorkMeter, matrix: Matrix): number[][] | CellError {
  const rows: number[][] = [];
  for (let r = 0; r < matrix.rows; r++) {
    context.reportWork(matrix.columns);
    const row: number[] = [];
    for (let c = 0; c < matrix.columns; c++) {
      const value = matrix.get(r, c);
      if (typeof value !== 'number') return isError(value) ? value : VALUE;
      row.push(value);
    }
    rows.push(row);
  }
  return rows;
}

/** Creates a Matrix from rows. */
export function createMatrix(rows: readonly (readonly Scalar[])[]): Matrix {
  return new Matrix(rows.length, rows[0]?.length ?? 0, rows.flat());
}
