import type { Node } from '../../formula/ast.ts';
import { Lambda, Matrix, Reference } from '../../functions/value.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import {
  type ComparisonOperator,
  type CompileOperand,
  isComparison,
  MIRRORED,
} from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { SharedArray } from './array-index.ts';
import { classifyExpression, isFixedArray, MIN_SHARED_CELLS } from './expression-kinds.ts';
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

/** Separates the comparisons of a product from its other factors; null for other expressions. */
export function splitProduct(node: Node): ConditionalProduct | null {
  const conditions: ElementCondition[] = [];
  const rest = replaceConditions(node, conditions);
  return rest === null ? null : { conditions, rest };
}

function replaceConditions(node: Node, conditions: ElementCondition[]): Node | null {
  if (classifyExpression(node).isFixed) return node;
  if (node.k === 'parentheses' || (node.k === 'unary' && (node.op === '-' || node.op === '+'))) {
    const arg = replaceConditions(node.arg, conditions);
    return arg && { ...node, arg };
  }
  if (node.k !== 'binary') return null;
  if (isComparison(node.op)) {
    const condition =
      readCondition(node.op, node.left, node.right) ?? readCondition(MIRRORED[node.op], node.right, node.left);
    if (condition !== null) conditions.push(condition);
    return condition && ONE;
  }
  if (node.op !== '*' && node.op !== '/') return null;
  const left = replaceConditions(node.left, conditions);
  const isDivisorFixed = node.op === '*' || classifyExpression(node.right).isFixed;
  const right = left !== null && isDivisorFixed ? replaceConditions(node.right, conditions) : null;
  return left && right && { k: 'binary', op: node.op, left, right };
}

function readCondition(operator: ComparisonOperator, array: Node, operand: Node): ElementCondition | null {
  const { isSingle, isRepeatable } = classifyExpression(operand);
  return isFixedArray(array) && isSingle && isRepeatable ? { array, operator, operand } : null;
}

/** Returns an array that is the same for every row; null if it is not shared or has several columns. */
export type ReadSharedArray = (e: Evaluation) => SharedArray | null;

export function compileSharedArray(node: Node, compileOperand: CompileOperand): ReadSharedArray {
  const code = compileOperand(node, null);
  const key = createSharedKey(node, 'array');
  return (e) => {
    const slot = e.openShared(key);
    if (slot === null) return null;
    if (slot.value !== null) return slot.value as SharedArray;
    const matrix = e.recordShared(slot, false, () => code(e, null));
    if (!(matrix instanceof Matrix) || matrix.columns !== 1 || matrix.rows < MIN_SHARED_CELLS) {
      slot.exclude();
      return null;
    }
    const array = new SharedArray(matrix);
    e.storeShared(slot, array, INDEX_SIZE * matrix.rows);
    return array;
  };
}

/** Memory of an array and its index for each row, in array elements. */
const INDEX_SIZE = 6;

/** Some elements of arrays with one column: the length of the arrays and the rows, ascending. */
export interface ElementSelection {
  readonly length: number;
  readonly rows: readonly number[];
}

/** Finds the elements for which all conditions are true. */
export type SelectElements = (e: Evaluation) => ElementSelection | null;

/**
 * Compiles conditions. The result is null if no condition is an equality. A selection is null if the arrays must be
 * calculated: they contain errors or have different lengths.
 */
export function compileConditions(
  conditions: readonly ElementCondition[],
  compileOperand: CompileOperand,
): SelectElements | null {
  if (!conditions.some(({ operator }) => operator === '=')) return null;
  const compiled = conditions.map(({ array, operator, operand }) => ({
    array: compileSharedArray(array, compileOperand),
    operator,
    operand: compileOperand(operand, null),
  }));
  return (e) => {
    const tests: ElementTest[] = [];
    for (const { array, operator, operand } of compiled) {
      const elements = array(e);
      const value = elements && !elements.hasErrors ? operand(e, null) : null;
      if (elements === null || elements.hasErrors || elements.length !== (tests[0]?.elements ?? elements).length)
        return null;
      if (isError(value) || value instanceof Matrix || value instanceof Reference || value instanceof Lambda)
        return null;
      tests.push({ elements, operator, value });
    }
    return { length: tests[0]!.elements.length, rows: selectRows(e, tests) };
  };
}

interface ElementTest {
  readonly elements: SharedArray;
  readonly operator: ComparisonOperator;
  readonly value: Scalar;
}

function selectRows(e: Evaluation, tests: readonly ElementTest[]): readonly number[] {
  let best: readonly number[] | null = null;
  let bestTest: ElementTest | null = null;
  for (const test of tests) {
    if (test.operator !== '=') continue;
    const rows = test.elements.findEqualRows(test.value);
    if (best !== null && rows.length >= best.length) continue;
    best = rows;
    bestTest = test;
  }
  const candidates = best ?? [];
  e.spendElements(candidates.length, true);
  const others = tests.filter((test) => test !== bestTest);
  if (others.length === 0) return candidates;
  return candidates.filter((row) =>
    others.every(({ elements, operator, value }) => applyToScalars(operator, elements.at(row), value, e) === true),
  );
}
