import type { CallNode, Node } from '../../formula/ast.ts';
import type { VariableScope } from '../../functions/forms/environment.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Matrix } from '../../functions/value.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { type CompileOperand, removeParentheses } from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { compileConditions, compileSharedArray, type ElementCondition, splitProduct } from './element-conditions.ts';
import { classifyExpression, isFixedArray } from './expression-kinds.ts';
import type { SelectedValue } from './selected-elements.ts';

/**
 * Compiles an array that is divided by comparisons, such as `ROW(A1:A9)/((A1:A9=E1)*(B1:B9=F1))`, if the function omits
 * errors; null for other arguments. An element is divided by 1, or by 0, which is an error. The array has the elements
 * without errors.
 */
export function compileQuotientArgument(
  call: CallNode,
  index: number,
  spec: FunctionSpec,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectedValue | null {
  if (spec.omitsErrors === undefined || !spec.omitsErrors(call.args, index)) return null;
  const conditions: ElementCondition[] = [];
  let value: Node = removeParentheses(call.args[index]!);
  while (value.k === 'binary' && value.op === '/' && !classifyExpression(value, names).isFixed) {
    const product = splitProduct(value.right, names);
    if (product === null || product.conditions.length === 0 || !isOne(product.rest)) return null;
    conditions.push(...product.conditions);
    value = removeParentheses(value.left);
  }
  if (conditions.length === 0 || !isFixedArray(value, names)) return null;
  const select = compileConditions(conditions, names, compileOperand, true);
  if (select === null) return null;
  const array = compileSharedArray(value, names, compileOperand);
  return (e, env) => {
    const selection = select(e, env);
    const values = selection && array(e, env);
    if (selection === null || values === null || values.length !== selection.length) return null;
    return values.findPicked(selection.rows, false, () => pickNumbers(e, values.matrix, selection.rows));
  };
}

/** True for a product of ones, which remain if the comparisons of a product are replaced. */
function isOne(node: Node): boolean {
  const part = removeParentheses(node);
  if (part.k === 'number') return part.value === 1;
  if (part.k === 'unary') return part.op === '-' && isMinusOne(part.arg);
  return part.k === 'binary' && part.op === '*' && isOne(part.left) && isOne(part.right);
}

function isMinusOne(node: Node): boolean {
  const part = removeParentheses(node);
  return part.k === 'unary' && part.op === '-' && isOne(part.arg);
}

/** The elements of some rows, divided by 1. Omits errors. */
function pickNumbers(e: Evaluation, matrix: Matrix, rows: readonly number[]): Matrix {
  e.spendElements(rows.length + 1, true);
  const data: Scalar[] = [];
  for (const row of rows) {
    const quotient = applyToScalars('/', matrix.data[row] ?? null, 1, e);
    if (!isError(quotient)) data.push(quotient);
  }
  // An array has at least one element. A truth value counts as no number.
  if (data.length === 0) data.push(false);
  return new Matrix(data.length, 1, data);
}
