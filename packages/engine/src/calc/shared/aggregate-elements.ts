import type { CallNode, Node } from '../../formula/ast.ts';
import type { VariableScope } from '../../functions/forms/environment.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { type CompileOperand, removeParentheses } from '../comparisons/range-conditions.ts';
import { compileConditions, compileSharedArray, type ElementCondition, splitProduct } from './element-conditions.ts';
import { classifyExpression, isFixedArray } from './expression-kinds.ts';
import { compilePickedElements, type SelectedValue } from './picked-elements.ts';

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
  return compilePickedElements(select, compileSharedArray(value, names, compileOperand), 'quotients');
}

/** True for a product of ones, which remain if the comparisons of a product are replaced. */
export function isOne(node: Node): boolean {
  const part = removeParentheses(node);
  if (part.k === 'number') return part.value === 1;
  if (part.k === 'unary') return part.op === '-' && isMinusOne(part.arg);
  return part.k === 'binary' && part.op === '*' && isOne(part.left) && isOne(part.right);
}

function isMinusOne(node: Node): boolean {
  const part = removeParentheses(node);
  return part.k === 'unary' && part.op === '-' && isOne(part.arg);
}
