import type { CallNode } from '../../formula/ast.ts';
import type { Compiler } from '../../functions/forms/compiler.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Value } from '../../functions/value.ts';
import type { Evaluation } from '../evaluation.ts';
import { bindsFunctionName } from '../shared/shared-expressions.ts';
import { compileDistinctCount } from './distinct-counts.ts';
import { compileSelectedNumbers } from './selected-numbers.ts';
import { compileSelectedProduct } from './selected-products.ts';
import { compileSelectedRowNumber } from './selected-row-numbers.ts';
import { compileSelectedRow } from './selected-rows.ts';
import { compileUncountedSearch } from './uncounted-elements.ts';

/**
 * Returns the calculation by indexes that replaces a call whose arguments are arrays; null if there is none. Its value is
 * null if the arrays must be calculated.
 */
export function compileIndexedCall(
  node: CallNode,
  spec: FunctionSpec,
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): ((e: Evaluation, env: Environment | null) => Value | null) | null {
  return (
    compileSelectedProduct(node, spec, names, compiler.operand) ??
    compileSelectedRow(node, spec, names, compiler) ??
    (bindsFunctionName(names)
      ? null
      : (compileDistinctCount(node, spec) ??
        compileSelectedNumbers(node, spec, names, compiler.operand) ??
        compileSelectedRowNumber(node, spec, compiler.operand) ??
        compileUncountedSearch(node, spec)))
  );
}
