import type { Node } from './ast.ts';
import { listChildNodes } from './walk.ts';

/**
 * Maximum levels of a parsed formula: nested calls, brackets, signs and postfix marks. A chain of operators (`1+2+3`)
 * is one level. Excel allows 64 nested calls, each with brackets and signs.
 */
export const MAX_NESTING = 256;

/**
 * Maximum levels of a calculated formula. It is higher than `MAX_NESTING` because opening a file adds operators. Old
 * documents may contain formulas with thousands of signs; they are still stored and give `#ERROR!`.
 */
export const MAX_COMPILED_NESTING = 2 * MAX_NESTING;

/** True if a tree has more than `limit` levels. Stops at the first place that is too deep. Does not recurse. */
export function isNestedDeeper(node: Node, limit: number): boolean {
  const nodes: Node[] = [node];
  const levels: number[] = [0];
  for (let next = nodes.pop(); next !== undefined; next = nodes.pop()) {
    let at: Node = next;
    const level = levels.pop()!;
    if (level > limit) return true;
    while (at.k === 'binary') {
      nodes.push(at.right);
      levels.push(level + 1);
      at = at.left;
    }
    for (const below of at === next ? listChildNodes(at) : [at]) {
      nodes.push(below);
      levels.push(level + 1);
    }
  }
  return false;
}
