import { BroadcastOperand, computeCommonSize } from '../../functions/broadcast.ts';
import type { Conventions } from '../../functions/coerce.ts';
import type { ArrayMeter } from '../../functions/context.ts';
import { computeTextCost } from '../../functions/limits.ts';
import { compareNumbers } from '../../functions/order.ts';
import { runInSteps } from '../../functions/run-in-steps.ts';
import { Matrix } from '../../functions/value.ts';
import type { Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { applyToScalars, computePlainArithmetic, findComparisonResults, type ScalarOperator } from '../operators.ts';
import { applyToTypedElements, findStep, pairTypedOperands } from './typed-operators.ts';

/** Maximum texts of one array whose comparison is cached. */
const MAX_TEXTS_SEEN = 64;

/** Number of characters whose comparison or joining takes as long as the calculation of a cell, as a power of two. */
const TEXT_WORK_LOG2 = 6;

type OperandElements = readonly Scalar[];

/** The elements of two operands; see `findStep`. */
interface Operands {
  readonly x: OperandElements;
  readonly dx: 0 | 1;
  readonly y: OperandElements;
  readonly dy: 0 | 1;
  /** Number of elements of the result. */
  readonly count: number;
}

/** The parts of `FunctionContext` that operators need: the rules for converting texts, and the work counter. */
interface OperatorContext extends Conventions, ArrayMeter {
  spendCells(cells: number): void;
  spendElements(elements: number, isCopy?: boolean): void;
}

/**
 * Applies an operator to arrays and scalars, element by element. Counts against the budget before it allocates. At
 * least one operand is an array.
 */
export function applyToArrays(
  op: ScalarOperator,
  a: Scalar | Matrix,
  b: Scalar | Matrix,
  context: OperatorContext,
): Matrix {
  const { rows, columns } = computeCommonSize([a, b]);
  context.spendElements(rows * columns, rows * columns === Math.max(countElements(a), countElements(b)));
  const typed = pairTypedOperands(a, b);
  const results = typed && applyToTypedElements(op, typed[0], typed[1], context);
  if (results !== null) return new Matrix(rows, columns, results);
  const x = expandOperand(a, rows, columns, context);
  const y = expandOperand(b, rows, columns, context);
  const operands = { x, dx: findStep(x), y, dy: findStep(y), count: rows * columns };
  return new Matrix(rows, columns, applyElementwise(op, operands, context));
}

function countElements(operand: Scalar | Matrix): number {
  return operand instanceof Matrix ? operand.length : 1;
}

/** Returns the elements of an operand, repeated to the size of the result; a scalar stays one element. */
function expandOperand(
  operand: Scalar | Matrix,
  rows: number,
  columns: number,
  context: OperatorContext,
): OperandElements {
  if (!(operand instanceof Matrix)) return [operand];
  if (operand.length === 1 || (operand.rows === rows && operand.columns === columns)) return operand.data;
  context.spendElements(rows * columns);
  const spread = new BroadcastOperand(operand, rows, columns);
  const data: Scalar[] = new Array(rows * columns);
  runInSteps(context, data.length, (from, to) => {
    for (let at = from; at < to; at++) data[at] = spread.getValue(at);
  });
  return data;
}

/** Counts the work of comparing or joining texts. */
function countTextWork(context: OperatorContext, p: Scalar, q: Scalar): void {
  const length = (typeof p === 'string' ? p.length : 0) + (typeof q === 'string' ? q.length : 0);
  context.reportWork(length >> TEXT_WORK_LOG2);
}

/** Applies a binary operator to two operands. */
function applyElementwise(op: ScalarOperator, operands: Operands, context: OperatorContext): Scalar[] {
  switch (op) {
    case '&':
    case '^':
      return applyToEachPair(op, operands, context);
    case '+':
    case '-':
    case '*':
    case '/':
      return calculateElements(op, operands, context);
    default:
      return compareElements(op, operands, context);
  }
}

/** Applies an operator to one pair of elements at a time, for operators without a faster loop. */
function applyToEachPair(op: ScalarOperator, { x, dx, y, dy, count }: Operands, context: OperatorContext): Scalar[] {
  const data: Scalar[] = new Array(count);
  for (let at = 0; at < count; at++) {
    context.reportWork(1);
    const result = applyToScalars(op, x[at * dx] ?? null, y[at * dy] ?? null, context);
    if (typeof result === 'string') context.spendCells(computeTextCost(result));
    data[at] = result;
  }
  return data;
}

/** Compares two operands by a comparison operator. */
function compareElements(op: ScalarOperator, { x, dx, y, dy, count }: Operands, context: OperatorContext): Scalar[] {
  const { less, same, more } = findComparisonResults(op);
  const data: Scalar[] = new Array(count);
  // Columns of texts usually repeat a few texts, so the result of the last text is reused.
  const results = dy === 0 && typeof y[0] === 'string' ? new TextMap<Scalar>() : null;
  const each = (index: number): Scalar => {
    const p = x[index * dx] ?? null;
    const q = y[index * dy] ?? null;
    if (typeof p === 'number' && typeof q === 'number') {
      const order = compareNumbers(p, q);
      return order < 0 ? less : order > 0 ? more : same;
    }
    if (results === null || typeof p !== 'string') {
      countTextWork(context, p, q);
      return applyToScalars(op, p, q, context);
    }
    const cached = results.get(p);
    if (cached !== undefined) return cached;
    countTextWork(context, p, q);
    const result = applyToScalars(op, p, q, context);
    if (results.size < MAX_TEXTS_SEEN) results.set(p, result);
    return result;
  };
  runInSteps(context, count, (from, to) => {
    for (let at = from; at < to; at++) data[at] = each(at);
  });
  return data;
}

/** Applies an arithmetic operator to two operands. */
function calculateElements(op: ScalarOperator, { x, dx, y, dy, count }: Operands, context: OperatorContext): Scalar[] {
  const data: Scalar[] = new Array(count);
  runInSteps(context, count, (from, to) => {
    for (let at = from; at < to; at++) {
      const p = x[at * dx] ?? null;
      const q = y[at * dy] ?? null;
      const result = computePlainArithmetic(op, toPlainNumber(p), toPlainNumber(q));
      if (!Number.isNaN(result)) data[at] = result;
      else {
        countTextWork(context, p, q);
        data[at] = applyToScalars(op, p, q, context);
      }
    }
  });
  return data;
}

/** The number of a value that needs no conversion by locale; NaN for texts and errors. */
function toPlainNumber(value: Scalar): number {
  if (typeof value === 'number') return value;
  if (value === null || value === false) return 0;
  return value === true ? 1 : Number.NaN;
}
