import type { Node } from '../../formula/ast.ts';
import { hasMatchingNode } from '../../formula/index.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import { findParameter, isWholeKind } from '../../functions/invoke.ts';
import { Matrix } from '../../functions/value.ts';
import type { CompileOperand } from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileSharedArray, type ElementSelection } from './element-conditions.ts';
import { classifyExpression, isFixedArray } from './expression-kinds.ts';

/**
 * Comparisons such as `ABS(C1:C9-F1)<=3` that combine arrays with values of the formula's row, so that no index can serve
 * them. If other comparisons select few elements, only these elements are calculated.
 */

/** Maximum nesting of a comparison that is calculated for selected elements. */
const MAX_DEPTH = 32;
/** Begins the names that stand for arrays. No name in a formula contains this character. */
const ARRAY_NAME = '\u0001';

/** Removes the elements for which a comparison is not true; null if whole arrays must be calculated. */
type FilterElements = (e: Evaluation, env: Environment | null, selection: ElementSelection) => ElementSelection | null;

/** Compiles comparisons whose elements depend only on the same elements of their arrays; null for others. */
export function compileElementFilters(
  nodes: readonly Node[],
  names: VariableScope | null,
  compileOperand: CompileOperand,
): FilterElements | null {
  const filters: FilterElements[] = [];
  for (const node of nodes) {
    const filter = compileElementFilter(node, names, compileOperand);
    if (filter === null) return null;
    filters.push(filter);
  }
  return (e, env, selection) => {
    let filtered: ElementSelection | null = selection;
    for (const filter of filters) filtered = filtered && filter(e, env, filtered);
    return filtered;
  };
}

function compileElementFilter(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): FilterElements | null {
  // The size of a name's array is not known here.
  if (hasMatchingNode(node, ({ k }) => k === 'name')) return null;
  const arrays: Node[] = [];
  const test = replaceArrays(node, names, arrays, 0);
  if (test === null || arrays.length === 0) return null;
  const scope: VariableScope = { names: arrays.map((_, i) => ARRAY_NAME + i), outer: names };
  const code = compileOperand(test, scope);
  const readers = arrays.map((array) => compileSharedArray(array, names, compileOperand));
  return (e, env, selection) => {
    const { length, rows } = selection;
    e.spendElements(rows.length * (readers.length + 1), true);
    const values: Matrix[] = [];
    for (const read of readers) {
      const array = read(e, env);
      if (array === null || array.length !== length) return null;
      const data = rows.map((row) => array.at(row));
      values.push(new Matrix(data.length, 1, data));
    }
    if (rows.length === 0) return selection;
    const result = code(e, { values, formats: null, outer: env });
    // Functions return a scalar for an array of one element.
    const results = result instanceof Matrix ? result.data : [result];
    return results.length === rows.length ? { length, rows: rows.filter((_, i) => results[i] === true) } : null;
  };
}

/** Replaces the arrays of an expression by names; null if an element depends on other elements of an array. */
function replaceArrays(node: Node, names: VariableScope | null, arrays: Node[], depth: number): Node | null {
  if (depth > MAX_DEPTH) return null;
  const { isSingle, isRepeatable } = classifyExpression(node, names);
  if (!isRepeatable) return null;
  if (isSingle) return node;
  if (isFixedArray(node, names)) return { k: 'name', name: ARRAY_NAME + (arrays.push(node) - 1) };
  const replace = (part: Node) => replaceArrays(part, names, arrays, depth + 1);
  if (node.k === 'parentheses' || node.k === 'unary') {
    const arg = replace(node.arg);
    return arg && { ...node, arg };
  }
  if (node.k === 'binary') {
    const left = replace(node.left);
    const right = left && replace(node.right);
    return left && right && { ...node, left, right };
  }
  if (node.k !== 'call') return null;
  const spec = FUNCTIONS.get(node.name);
  const args: Node[] = [];
  for (const [i, arg] of node.args.entries()) {
    const parameter = spec && findParameter(spec, i);
    const replaced = parameter === undefined || isWholeKind(parameter.kind) ? null : replace(arg);
    if (replaced === null) return null;
    args.push(replaced);
  }
  return { ...node, args };
}
