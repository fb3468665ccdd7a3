import type { Node } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import type { Value } from '../../functions/value.ts';
import { type CompileOperand, isComparison } from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import { isFactor } from './array-index.ts';
import { compileSharedArray, isErrorTest } from './element-conditions.ts';
import { classifyExpression, isFixedArray } from './expression-kinds.ts';

/** Maximum nesting of an expression. */
const MAX_DEPTH = 32;
/** Maximum number of multiplications of factors (`isFactor`). */
const MAX_PRODUCTS = 2;

/** Tells whether no element of an expression is an error, without calculating the elements. */
type IsErrorFree = (e: Evaluation, env: Environment | null) => boolean;

/**
 * Compiles a test whether an expression such as `ABS(C1:C9-F1)<=3` has no errors: its arrays and values are numbers, and
 * its functions and operators give no errors for numbers. Null if this cannot be known.
 */
export function compileErrorFree(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): IsErrorFree | null {
  if (isErrorTest(node)) return () => true;
  const tests: IsErrorFree[] = [];
  let products = 0;
  const addTests = (part: Node, depth: number): boolean => {
    if (depth > MAX_DEPTH) return false;
    const { isSingle, isRepeatable } = classifyExpression(part, names);
    if (isSingle && isRepeatable) {
      const code = compileOperand(part, names);
      tests.push((e, env) => isFactorValue(code(e, env)));
      return true;
    }
    if (isFixedArray(part, names)) {
      const read = compileSharedArray(part, names, compileOperand);
      tests.push((e, env) => read(e, env)?.hasOnlyFactors ?? false);
      return true;
    }
    if (part.k === 'parentheses') return addTests(part.arg, depth + 1);
    if (part.k === 'unary') return (part.op === '-' || part.op === '+') && addTests(part.arg, depth + 1);
    if (part.k === 'call') {
      return FUNCTIONS.get(part.name)?.isTotal === true && part.args.every((arg) => addTests(arg, depth + 1));
    }
    if (part.k !== 'binary') return false;
    if (part.op === '*') products++;
    else if (part.op !== '+' && part.op !== '-' && !isComparison(part.op)) return false;
    return addTests(part.left, depth + 1) && addTests(part.right, depth + 1);
  };
  if (!addTests(node, 0) || products > MAX_PRODUCTS) return null;
  return (e, env) => tests.every((test) => test(e, env));
}

function isFactorValue(value: Value): boolean {
  return value === null || typeof value === 'number' ? isFactor(value) : typeof value === 'boolean';
}
