import type { Node } from './ast.ts';
import { childNodes } from './walk.ts';

/**
 * Maximum levels of a parsed formula: nested calls, brackets, signs and marks. Operators in a chain (`1+2+3`) are one
 * level. Excel allows 64 calls, each with brackets and signs.
 */
export const MAX_NESTING = 256;

/**
 * Maximum levels of a calculated formula. Higher than `MAX_NESTING` because opening a file adds marks. Old documents
 * may contain formulas with thousands of signs; these stay stored and give `#ERROR!`.
 */
export const MAX_COMPILED_NESTING = 2 * MAX_NESTING;

/** True if a tree has more than `limit` levels. Stops at the first place that is too deep. Does not recurse. */
export function nestsDeeper(node: Node, limit: number): boolean {
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
    for (const below of at === next ? childNodes(at) : [at]) {
      nodes.push(below);
      levels.push(level + 1);
    }
  }
  return false;
}
