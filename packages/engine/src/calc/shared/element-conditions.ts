import type { Node } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import { type Environment, isBoundOutsideLambda, type VariableScope } from '../../functions/forms/environment.ts';
import { Lambda, Matrix, Reference, type Value } from '../../functions/value.ts';
import { parseNumberText } from '../../locale/index.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import {
  type ComparisonOperator,
  type CompileOperand,
  isComparison,
  MIRRORED,
} from '../comparisons/range-conditions.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { type ElementArray, type ElementTest, SharedArray } from './array-index.ts';
import { classifyExpression, isFixedArray, MIN_SHARED_CELLS } from './expression-kinds.ts';
import { compileRangeElements, isMovingRange } from './range-elements.ts';
import { createSharedKey } from './shared-expressions.ts';
import type { SharedKey } from './shared-values.ts';

/**
 * Products such as `(MONTH(A1:A9)=B1)*(C1:C9=D1)*E1:E9`. Their arrays are the same for every row, so that an index of an
 * array can find the elements for which the comparisons are true.
 */

const ONE: Node = { k: 'number', value: 1 };

/** A comparison of an array that is the same for every row with a value of the formula's row. */
export interface ElementCondition {
  readonly array: Node;
  readonly operator: ComparisonOperator;
  readonly operand: Node;
  /** True if the condition is only known to hold for operands that are texts and look like no other value. */
  readonly ofTexts?: true;
}

/** A product of comparisons and of arrays that are the same for every row. */
interface ConditionalProduct {
  readonly conditions: readonly ElementCondition[];
  /** The product with 1 in place of each comparison. */
  readonly rest: Node;
}

/** How a product is separated. */
interface SplitOptions {
  /** Tells whether an index of an array serves its comparisons; `hasElements` if absent. */
  readonly isArray?: (node: Node, names: VariableScope | null) => boolean;
  /** Gets the comparisons and tests that no index serves. Absent: a product that contains one is not separated. */
  readonly computed?: Node[];
}

/** Separates the comparisons of a product from its other factors; null for other expressions. */
export function splitProduct(
  node: Node,
  names: VariableScope | null,
  options: SplitOptions = {},
): ConditionalProduct | null {
  const conditions: ElementCondition[] = [];
  const rest = replaceConditions(node, names, conditions, options);
  return rest === null ? null : { conditions, rest };
}

/** True for a call whose elements are booleans, and never errors. */
export function isErrorTest(node: Node): boolean {
  return node.k === 'call' && FUNCTIONS.get(node.name)?.returns === 'boolean';
}

/** True for a call whose elements are booleans or errors. */
function isTest(node: Node): boolean {
  return node.k === 'call' && FUNCTIONS.get(node.name)?.returns !== undefined;
}

function replaceConditions(
  node: Node,
  names: VariableScope | null,
  conditions: ElementCondition[],
  options: SplitOptions,
): Node | null {
  if (classifyExpression(node, names).isFixed || isOuterVariable(node, names)) return node;
  if (node.k === 'parentheses' || (node.k === 'unary' && (node.op === '-' || node.op === '+'))) {
    const arg = replaceConditions(node.arg, names, conditions, options);
    return arg && { ...node, arg };
  }
  if (options.computed !== undefined && isTest(node)) {
    options.computed.push(node);
    const implied = readImpliedEquality(node, names, options.isArray ?? hasElements);
    if (implied !== null) conditions.push(implied);
    return ONE;
  }
  if (node.k !== 'binary') return null;
  if (isComparison(node.op)) {
    const isArray = options.isArray ?? hasElements;
    const condition =
      readCondition(node.op, node.left, node.right, names, isArray) ??
      readCondition(MIRRORED[node.op], node.right, node.left, names, isArray);
    if (condition !== null) conditions.push(condition);
    else options.computed?.push(node);
    return condition !== null || options.computed !== undefined ? ONE : null;
  }
  if (node.op !== '*' && node.op !== '/') return null;
  const left = replaceConditions(node.left, names, conditions, options);
  const isDivisorFixed = node.op === '*' || classifyExpression(node.right, names).isFixed;
  const right = left !== null && isDivisorFixed ? replaceConditions(node.right, names, conditions, options) : null;
  return left && right && { k: 'binary', op: node.op, left, right };
}

/** The equality that is true if a test is true (`EXACT(A1:A9;E1)`), so that an index can find the rows; null for none. */
function readImpliedEquality(
  node: Node,
  names: VariableScope | null,
  isArray: NonNullable<SplitOptions['isArray']>,
): ElementCondition | null {
  const [left, right] = node.k === 'call' && FUNCTIONS.get(node.name)?.impliesEqual ? node.args : [];
  if (left === undefined || right === undefined) return null;
  const equality = readCondition('=', left, right, names, isArray) ?? readCondition('=', right, left, names, isArray);
  return equality && { ...equality, ofTexts: true };
}

function readCondition(
  operator: ComparisonOperator,
  array: Node,
  operand: Node,
  names: VariableScope | null,
  isArray: NonNullable<SplitOptions['isArray']>,
): ElementCondition | null {
  const { isSingle, isRepeatable } = classifyExpression(operand, names);
  const isIndexed = isArray(array, names) || isOuterVariable(array, names);
  return isIndexed && isRepeatable && (isSingle || isElement(operand)) ? { array, operator, operand } : null;
}

/** True for an array that is the same for every row, and for a range whose cells can be read one by one. */
export function hasElements(node: Node, names: VariableScope | null): boolean {
  return isFixedArray(node, names) || isOuterVariable(node, names) || isMovingRange(node, names);
}

/** True for a call whose value is usually one element of an array (`INDEX(A1:A9;2)`). */
function isElement(node: Node): boolean {
  return node.k === 'call' && FUNCTIONS.get(node.name)?.refersTo === 'part';
}

/** True for a name whose value is the same in all calls of the innermost LAMBDA, so that its elements can have an index. */
export function isOuterVariable(node: Node, names: VariableScope | null): boolean {
  return node.k === 'name' && node.sheet === undefined && isBoundOutsideLambda(names, node.name);
}

/** Returns an array that is the same for every row; null if it is not shared or does not have the needed shape. */
export type ReadSharedArray = (e: Evaluation, env: Environment | null) => SharedArray | null;

/** Compiles an array with one column and at least `MIN_SHARED_CELLS` rows. */
export function compileSharedArray(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): ReadSharedArray {
  const code = compileOperand(node, names);
  if (isOuterVariable(node, names)) return (e, env) => findArrayOfMatrix(code(e, env));
  return shareArray(createSharedKey(node, names, 'array'), code, isLongColumn);
}

/** Compiles an array without a test of its shape. */
export function compileSharedMatrix(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): ReadSharedArray {
  return shareArray(createSharedKey(node, names, 'matrix'), compileOperand(node, names), () => true);
}

function shareArray(key: SharedKey, code: Code, hasNeededShape: (matrix: Matrix) => boolean): ReadSharedArray {
  return (e, env) => {
    const slot = e.openShared(key);
    if (slot === null) return null;
    if (slot.value !== null) return slot.value as SharedArray;
    const matrix = e.recordShared(slot, false, () => code(e, env));
    if (!(matrix instanceof Matrix) || !hasNeededShape(matrix)) {
      slot.exclude();
      return null;
    }
    const array = new SharedArray(matrix);
    const isIndexed = matrix.rows === 1 || matrix.columns === 1;
    e.storeShared(slot, array, isIndexed ? INDEX_SIZE * matrix.length : matrix.length);
    return array;
  };
}

/** Memory of an array and its index for each element, in array elements. */
const INDEX_SIZE = 6;

function isLongColumn({ rows, columns }: Matrix): boolean {
  return columns === 1 && rows >= MIN_SHARED_CELLS;
}

/** Arrays of the matrices that variables contain. */
const arraysOfMatrices = new WeakMap<Matrix, SharedArray>();

function findArrayOfMatrix(value: Value): SharedArray | null {
  if (!(value instanceof Matrix) || !isLongColumn(value)) return null;
  const known = arraysOfMatrices.get(value);
  if (known !== undefined) return known;
  const array = new SharedArray(value);
  arraysOfMatrices.set(value, array);
  return array;
}

/** Returns the elements of an array; null if it has several columns, or is not shared and not a range. */
export type ReadElements = (e: Evaluation, env: Environment | null) => ElementArray | null;

/** Compiles an expression for which `hasElements` is true. */
export function compileElements(node: Node, names: VariableScope | null, compileOperand: CompileOperand): ReadElements {
  return isMovingRange(node, names) ? compileRangeElements(node) : compileSharedArray(node, names, compileOperand);
}

/** Some elements of arrays with one column: the length of the arrays and the rows, ascending. */
export interface ElementSelection {
  readonly length: number;
  readonly rows: readonly number[];
}

/** Finds the elements for which all conditions are true. */
export type SelectElements = (e: Evaluation, env: Environment | null) => ElementSelection | null;

/** Reads the array and the operand of a condition; null if the arrays must be calculated. */
export type ReadTest<T extends ElementArray> = (e: Evaluation, env: Environment | null) => ElementTest<T> | null;

/** Compiles a condition. Its test is null if the array contains errors (unless `omitsErrors`), or if the operand is no value. */
export function compileTest<T extends ElementArray>(
  { operator, operand, ofTexts }: ElementCondition,
  readArray: (e: Evaluation, env: Environment | null) => T | null,
  names: VariableScope | null,
  compileOperand: CompileOperand,
  omitsErrors = false,
): ReadTest<T> {
  const code = compileOperand(operand, names);
  return (e, env) => {
    const elements = readArray(e, env);
    if (elements === null || (elements.hasErrors && !omitsErrors)) return null;
    const value = readOperand(code(e, env));
    if (value === undefined || isError(value) || (ofTexts && !isPlainText(value, e))) return null;
    return { elements, operator, value };
  };
}

/** True for a text that is the text of no number, boolean or blank. */
function isPlainText(value: Scalar, { locale, dateSystem }: Evaluation): boolean {
  if (typeof value !== 'string' || value === '' || BOOLEAN_TEXT.test(value)) return false;
  return parseNumberText(value, locale, dateSystem) === null;
}

const BOOLEAN_TEXT = /^(?:true|false)$/i;

/** The scalar with which elements are compared; undefined for arrays and functions. */
function readOperand(value: Value): Scalar | undefined {
  if (value instanceof Matrix) return value.length === 1 ? (value.data[0] ?? null) : undefined;
  return value instanceof Reference || value instanceof Lambda ? undefined : value;
}

/**
 * Compiles conditions. The result is null if no condition is an equality. A selection is null if the arrays must be
 * calculated: they have different lengths, contain errors (unless `omitsErrors`), or have no index.
 */
export function compileConditions(
  conditions: readonly ElementCondition[],
  names: VariableScope | null,
  compileOperand: CompileOperand,
  omitsErrors = false,
): SelectElements | null {
  if (!conditions.some(({ operator }) => operator === '=')) return null;
  const readTests = conditions.map((condition) => {
    const readArray = compileElements(condition.array, names, compileOperand);
    return compileTest(condition, readArray, names, compileOperand, omitsErrors);
  });
  return (e, env) => {
    const tests: ElementTest[] = [];
    for (const readTest of readTests) {
      const test = readTest(e, env);
      if (test === null || test.elements.length !== (tests[0] ?? test).elements.length) return null;
      tests.push(test);
    }
    const { length } = tests[0]!.elements;
    const rows = selectRows(e, tests, length);
    return rows && { length, rows };
  };
}

/** The indexes of the elements that meet all tests, ascending; null if no equality has an index. `length`: of each array. */
export function selectRows(e: Evaluation, tests: readonly ElementTest[], length: number): readonly number[] | null {
  const [first, ...rest] = tests;
  if (first === undefined || (rest.length === 0 && first.operator === '=')) {
    return findCandidates(tests, length)?.rows ?? null;
  }
  const stored = first.elements.findSelection(tests);
  if (stored !== undefined) return stored;
  const candidates = findCandidates(tests, length);
  if (candidates === null) return null;
  const { rows, equality } = candidates;
  const others = tests.filter((test) => test !== equality);
  e.spendElements(rows.length, true);
  const selected = rows.filter((row) =>
    others.every(({ elements, operator, value }) => applyToScalars(operator, elements.at(row), value, e) === true),
  );
  first.elements.storeSelection(tests, selected);
  return selected;
}

/** Rows that include all rows that meet the tests. */
interface CandidateElements {
  readonly rows: readonly number[];
  /** The test that all rows meet; null for none. */
  readonly equality: ElementTest | null;
}

/** The rows that meet the equality with the fewest rows; all rows if there is no equality. Null if none has an index. */
function findCandidates(tests: readonly ElementTest[], length: number): CandidateElements | null {
  const equalities = tests.filter(({ operator }) => operator === '=');
  if (equalities.length === 0) return { rows: Array.from({ length }, (_, i) => i), equality: null };
  let best: CandidateElements | null = null;
  for (const test of equalities) {
    const rows = test.elements.findEqualRows(test.value);
    if (rows !== null && (best === null || rows.length < best.rows.length)) best = { rows, equality: test };
  }
  return best;
}
