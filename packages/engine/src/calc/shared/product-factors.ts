import type { Node } from '../../formula/ast.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import type { CompileOperand } from '../comparisons/range-conditions.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import type { SharedArray } from './array-index.ts';
import { compileSharedArray, isOuterVariable, type ReadSharedArray } from './element-conditions.ts';
import { isFixedArray, isFixedScalar } from './expression-kinds.ts';

/** A factor of products: a number, or an array that is the same for every row. */
export type Factor = { readonly number: Code } | { readonly array: ReadSharedArray };

/** Compiles a factor with one column; null if it is not the same for every row. `isProduct`: the factor may be a number. */
export function compileFactor(
  node: Node,
  isProduct: boolean,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): Factor | null {
  if (isFixedArray(node, names) || isOuterVariable(node, names))
    return { array: compileSharedArray(node, names, compileOperand) };
  return isProduct && isFixedScalar(node, names) ? { number: compileOperand(node, names) } : null;
}

/** Returns the value of a factor; null if it is not a number, is not shared or contains errors. */
export function readFactor(e: Evaluation, env: Environment | null, factor: Factor): SharedArray | number | null {
  if ('number' in factor) {
    const number = factor.number(e, env);
    return typeof number === 'number' ? number : null;
  }
  const array = factor.array(e, env);
  return array === null || array.hasErrors ? null : array;
}
