import { type Conventions, toNumber } from '../../functions/coerce.ts';
import type { ArrayMeter } from '../../functions/context.ts';
import { TextIds } from '../../functions/elements/text-ids.ts';
import {
  ERRORS,
  type KindSet,
  NUMERIC,
  TypedElements,
  toTypedElement,
} from '../../functions/elements/typed-elements.ts';
import { areOperandsEqual, compareNumbers } from '../../functions/order.ts';
import { runInSteps } from '../../functions/run-in-steps.ts';
import { Matrix } from '../../functions/value.ts';
import { BOOLEAN, EMPTY, ERROR, NUMBER, TEXT } from '../../sheet/cell-kind.ts';
import { DIV0, NUM } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { LOOPS } from '../number-loops.ts';
import {
  type ComparisonResults,
  computePlainArithmetic,
  findComparisonResults,
  type ScalarOperator,
} from '../operators.ts';

type OperatorContext = ArrayMeter & Conventions;

type ArithmeticOperator = '+' | '-' | '*' | '/';
type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** Blanks and numbers are compared like numbers: a blank is 0. */
const BLANKS_AND_NUMBERS: KindSet = (1 << NUMBER) | (1 << EMPTY);
const TEXTS: KindSet = 1 << TEXT;

/** The elements of two operands; see `findStep`. */
interface Operands {
  readonly x: TypedElements;
  readonly dx: 0 | 1;
  readonly y: TypedElements;
  readonly dy: 0 | 1;
  /** Number of elements of the result. */
  readonly count: number;
}

/** Number of elements whose calculation takes as long as that of a cell, as a power of two. */
const ELEMENTS_PER_CELL_LOG2 = 5;
/** The cost of comparing an element, in additions of scalars. */
const COMPARISON_WEIGHT = 1 / 8;

/**
 * Applies an operator to typed elements. `a` and `b` have the same length, or one of them is a scalar. Returns null if
 * the operator needs scalars: for powers, joined texts, texts in arithmetic and the order of texts.
 */
export function applyToTypedElements(
  op: ScalarOperator,
  a: TypedElements | Scalar,
  b: TypedElements | Scalar,
  context: OperatorContext,
): TypedElements | null {
  if (op === '&' || op === '^') return null;
  const isArithmetic = op === '+' || op === '-' || op === '*' || op === '/';
  const x = toOperand(a, isArithmetic, context);
  const y = toOperand(b, isArithmetic, context);
  if (x === null || y === null) return null;
  const operands = { x, dx: findStep(x), y, dy: findStep(y), count: Math.max(x.length, y.length) };
  return isArithmetic ? calculate(op, operands, context) : compare(op, operands, context);
}

/** Returns an operand as elements. A scalar becomes one element, which is used for all elements of the other operand. */
function toOperand(
  operand: TypedElements | Scalar,
  isArithmetic: boolean,
  context: OperatorContext,
): TypedElements | null {
  if (operand instanceof TypedElements) return operand;
  // The result is this error or another one, depending on the elements.
  if (isError(operand)) return null;
  if (!isArithmetic || typeof operand !== 'string') return toTypedElement(operand, new TextIds());
  const number = toNumber(operand, context);
  return isError(number) ? null : toTypedElement(number, new TextIds());
}

/** 0 for an operand with one element, which all elements of the other operand use; else 1. */
export function findStep({ length }: { readonly length: number }): 0 | 1 {
  return length === 1 ? 0 : 1;
}

function calculate(op: ArithmeticOperator, operands: Operands, context: OperatorContext): TypedElements | null {
  const { x, dx, y, dy, count } = operands;
  if (!x.consistsOf(NUMERIC | ERRORS) || !y.consistsOf(NUMERIC | ERRORS)) return null;
  const numbers = context.takeNumbers(count);
  context.reportWork(count >> ELEMENTS_PER_CELL_LOG2);
  const areFinite = LOOPS[op](toVector(x, count, context), toVector(y, count, context), numbers, count);
  if (areFinite && !x.hasErrors && !y.hasErrors) return TypedElements.ofKind(numbers, NUMBER);
  const kinds = context.takeKinds(count).fill(NUMBER);
  runInSteps(context, count, (from, to) => {
    for (let at = from; at < to; at++) {
      const [a, b] = [x.numbers[at * dx]!, y.numbers[at * dy]!];
      const error = findOperandError(operands, at);
      const result = error >= 0 ? error : computePlainArithmetic(op, a, b);
      if (error >= 0 || Number.isNaN(result)) kinds[at] = ERROR;
      numbers[at] = Number.isNaN(result) ? (op === '/' && b === 0 ? DIV0 : NUM).index : result;
    }
  });
  return TypedElements.ofKinds(numbers, kinds, null);
}

/** The numbers of an operand, repeated to `count` numbers. */
function toVector({ numbers }: TypedElements, count: number, context: ArrayMeter): Float64Array {
  return numbers.length === count ? numbers : context.takeNumbers(count).fill(numbers[0]!);
}

/** The index of the error that an operator returns for erroneous operands; -1 if neither is an error. */
function findOperandError({ x, dx, y, dy }: Operands, at: number): number {
  if (x.kindAt(at * dx) === ERROR) return x.numbers[at * dx]!;
  return y.kindAt(at * dy) === ERROR ? y.numbers[at * dy]! : -1;
}

function compare(op: ComparisonOperator, operands: Operands, context: OperatorContext): TypedElements | null {
  const results = findComparisonResults(op);
  const { x, y } = operands;
  const consistOf = (kinds: KindSet) => x.consistsOf(kinds) && y.consistsOf(kinds);
  if (consistOf(BLANKS_AND_NUMBERS)) {
    return compareAll(operands, context, (truths, from, to) => {
      compareNumberElements(results, truths, operands, from, to);
    });
  }
  if (op === '=' || op === '<>') return compareForEquality(results, operands, context);
  if (!consistOf(BLANKS_AND_NUMBERS | ERRORS)) return null;
  return compareEach(operands, context, (i, j) => {
    const order = compareNumbers(x.numbers[i]!, y.numbers[j]!);
    return order < 0 ? results.less : order > 0 ? results.more : results.same;
  });
}

/** Compares elements of which none is an error. `fill` sets the results of a part to 1 for TRUE. */
function compareAll(
  { count }: Operands,
  context: OperatorContext,
  fill: (truths: Float64Array, from: number, to: number) => void,
): TypedElements {
  const truths = context.takeNumbers(count);
  runInSteps(context, count, (from, to) => fill(truths, from, to), COMPARISON_WEIGHT);
  return TypedElements.ofKind(truths, BOOLEAN);
}

function compareNumberElements(
  { less, same, more }: ComparisonResults,
  truths: Float64Array,
  { x: { numbers: x }, dx, y: { numbers: y }, dy }: Operands,
  from: number,
  to: number,
): void {
  const ifLess = Number(less);
  const ifSame = Number(same);
  const ifMore = Number(more);
  for (let at = from; at < to; at++) {
    const order = compareNumbers(x[at * dx]!, y[at * dy]!);
    truths[at] = order < 0 ? ifLess : order > 0 ? ifMore : ifSame;
  }
}

/** Compares pair by pair. `test`: the result for two elements that are no errors, by their indexes. */
function compareEach(
  operands: Operands,
  context: OperatorContext,
  test: (i: number, j: number) => boolean,
): TypedElements {
  const { dx, dy, count } = operands;
  const truths = context.takeNumbers(count);
  const kinds = context.takeKinds(count).fill(BOOLEAN);
  runInSteps(context, count, (from, to) => {
    for (let at = from; at < to; at++) {
      const error = findOperandError(operands, at);
      if (error >= 0) kinds[at] = ERROR;
      truths[at] = error >= 0 ? error : Number(test(at * dx, at * dy));
    }
  });
  return TypedElements.ofKinds(truths, kinds, null);
}

/** Compares by `=` or `<>`. Returns null if the texts of the operands have ids of different tables. */
function compareForEquality(
  { same }: ComparisonResults,
  operands: Operands,
  context: OperatorContext,
): TypedElements | null {
  const { x, y } = operands;
  const [many, one] = x.length === 1 ? [y, x] : [x, y];
  if (one.length > 1) {
    if (x.texts !== null && y.texts !== null && x.texts !== y.texts) return null;
    return compareEach(operands, context, (i, j) => areElementsEqual(x, i, y, j) === same);
  }
  const value = one.get(0);
  if (typeof value === 'string' && many.texts !== null && many.consistsOf(TEXTS | (1 << EMPTY))) {
    return compareAll(operands, context, (truths, from, to) => {
      compareTextElements(same, truths, many, value, from, to);
    });
  }
  const areEqual = (at: number) => areOperandsEqual(many.get(at), value);
  return compareEach(operands, context, (i, j) => areEqual(many === x ? i : j) === same);
}

/** Compares elements that are texts or blank with a text. `ifEqual`: the result for equal elements. */
function compareTextElements(
  ifEqual: boolean,
  truths: Float64Array,
  { numbers, kinds, texts }: TypedElements,
  value: string,
  from: number,
  to: number,
): void {
  const { foldIds } = texts!;
  const id = texts!.findFoldId(value);
  const ofBlank = Number((value === '') === ifEqual);
  const equal = Number(ifEqual);
  const different = 1 - equal;
  for (let at = from; at < to; at++) truths[at] = foldIds[numbers[at]!] === id ? equal : different;
  if (typeof kinds === 'number') return;
  for (let at = from; at < to; at++) if (kinds[at] === EMPTY) truths[at] = ofBlank;
}

function areElementsEqual(x: TypedElements, i: number, y: TypedElements, j: number): boolean {
  const kind = x.kindAt(i);
  if (kind !== y.kindAt(j)) return areOperandsEqual(x.get(i), y.get(j));
  if (kind === TEXT) return x.texts!.foldIds[x.numbers[i]!] === x.texts!.foldIds[y.numbers[j]!];
  return kind === NUMBER ? compareNumbers(x.numbers[i]!, y.numbers[j]!) === 0 : x.numbers[i] === y.numbers[j];
}

/** The elements of operands that can be combined one by one: typed arrays of one size, or scalars. Else null. */
export function pairTypedOperands(
  a: Scalar | Matrix,
  b: Scalar | Matrix,
): readonly [TypedElements | Scalar, TypedElements | Scalar] | null {
  if (!(a instanceof Matrix)) return b instanceof Matrix && b.elements !== null ? [a, b.elements] : null;
  if (a.elements === null) return null;
  if (!(b instanceof Matrix)) return [a.elements, b];
  return b.elements !== null && a.rows === b.rows && a.columns === b.columns ? [a.elements, b.elements] : null;
}
