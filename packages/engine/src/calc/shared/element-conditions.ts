import type { Node } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import { type Environment, isBoundOutsideLambda, type VariableScope } from '../../functions/forms/environment.ts';
import { Lambda, Matrix, Reference, type Value } from '../../functions/value.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import {
  type ComparisonOperator,
  type CompileOperand,
  isComparison,
  MIRRORED,
} from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { type ElementArray, type ElementTest, SharedArray } from './array-index.ts';
import { classifyExpression, isFixedArray, MIN_SHARED_CELLS } from './expression-kinds.ts';
import { compileRangeElements, isMovingRange } from './range-elements.ts';
import { createSharedKey } from './shared-expressions.ts';

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

/** Returns an array that is the same for every row; null if it is not shared or has several columns. */
export type ReadSharedArray = (e: Evaluation, env: Environment | null) => SharedArray | null;

export function compileSharedArray(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): ReadSharedArray {
  const code = compileOperand(node, names);
  if (isOuterVariable(node, names)) return (e, env) => findArrayOfMatrix(code(e, env));
  const key = createSharedKey(node, names, 'array');
  return (e, env) => {
    const slot = e.openShared(key);
    if (slot === null) return null;
    if (slot.value !== null) return slot.value as SharedArray;
    const matrix = e.recordShared(slot, false, () => code(e, env));
    if (!(matrix instanceof Matrix) || matrix.columns !== 1 || matrix.rows < MIN_SHARED_CELLS) {
      slot.exclude();
      return null;
    }
    const array = new SharedArray(matrix);
    e.storeShared(slot, array, INDEX_SIZE * matrix.rows);
    return array;
  };
}

/** Returns the elements of an array; null if it has several columns, or is not shared and not a range. */
export type ReadElements = (e: Evaluation, env: Environment | null) => ElementArray | null;

/** Compiles an expression for which `hasElements` is true. */
export function compileElements(node: Node, names: VariableScope | null, compileOperand: CompileOperand): ReadElements {
  return isMovingRange(node, names) ? compileRangeElements(node) : compileSharedArray(node, names, compileOperand);
}

/** Memory of an array and its index for each row, in array elements. */
const INDEX_SIZE = 6;

/** Arrays of the matrices that variables contain. */
const arraysOfMatrices = new WeakMap<Matrix, SharedArray>();

function findArrayOfMatrix(value: Value): SharedArray | null {
  if (!(value instanceof Matrix) || value.columns !== 1 || value.rows < MIN_SHARED_CELLS) return null;
  const known = arraysOfMatrices.get(value);
  if (known !== undefined) return known;
  const array = new SharedArray(value);
  arraysOfMatrices.set(value, array);
  return array;
}

/** Some elements of arrays with one column: the length of the arrays and the rows, ascending. */
export interface ElementSelection {
  readonly length: number;
  readonly rows: readonly number[];
}

/** Finds the elements for which all conditions are true. */
export type SelectElements = (e: Evaluation, env: Environment | null) => ElementSelection | null;

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
  const compiled = conditions.map(({ array, operator, operand }) => ({
    array: compileElements(array, names, compileOperand),
    operator,
    operand: compileOperand(operand, names),
  }));
  return (e, env) => {
    const tests: ElementTest[] = [];
    for (const { array, operator, operand } of compiled) {
      const elements = array(e, env);
      if (elements === null || (elements.hasErrors && !omitsErrors)) return null;
      if (elements.length !== (tests[0]?.elements ?? elements).length) return null;
      const value = readOperand(operand(e, env));
      if (value === undefined || isError(value)) return null;
      tests.push({ elements, operator, value });
    }
    const rows = selectRows(e, tests);
    return rows && { length: tests[0]!.elements.length, rows };
  };
}

/** The scalar with which elements are compared; undefined for arrays and functions. */
export function readOperand(value: Value): Scalar | undefined {
  if (value instanceof Matrix) return value.data.length === 1 ? (value.data[0] ?? null) : undefined;
  return value instanceof Reference || value instanceof Lambda ? undefined : value;
}

/** The indexes of the elements that meet all tests, ascending; null if no equality has an index. */
export function selectRows(e: Evaluation, tests: readonly ElementTest[]): readonly number[] | null {
  const [first] = tests;
  const isEquality = tests.length === 1 && first?.operator === '=';
  if (isEquality || first === undefined) return findCandidates(tests)?.rows ?? null;
  const stored = first.elements.findSelection(tests);
  if (stored !== undefined) return stored;
  const candidates = findCandidates(tests);
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
function findCandidates(tests: readonly ElementTest[]): CandidateElements | null {
  const equalities = tests.filter(({ operator }) => operator === '=');
  const length = tests[0]?.elements.count ?? 0;
  if (equalities.length === 0) return { rows: Array.from({ length }, (_, i) => i), equality: null };
  let best: CandidateElements | null = null;
  for (const test of equalities) {
    const rows = test.elements.findEqualRows(test.value);
    if (rows !== null && (best === null || rows.length < best.rows.length)) best = { rows, equality: test };
  }
  return best;
}
