import type { Node } from './ast.ts';
import { children } from './walk.ts';

/**
 * Levels of a formula that is read: calls, brackets, signs and marks inside one another. Operators that follow one
 * another (`1+2+3`) are one level together, however many they are. Excel allows 64 calls, each with brackets and signs.
 */
export const MAX_NESTING = 256;

/**
 * Levels that are compiled and calculated. More than are read: opening a file adds marks, and documents from before
 * there was a bound hold formulas of thousands of signs, which stay as they are and give `#ERROR!` when calculated.
 */
export const MAX_COMPILED_NESTING = 2 * MAX_NESTING;

/** Whether a tree has more than `most` levels. Stops at the first place that is too deep, and does not recurse. */
export function nestsDeeper(node: Node, most: number): boolean {
  const nodes: Node[] = [node];
  const levels: number[] = [0];
  for (let next = nodes.pop(); next !== undefined; next = nodes.pop()) {
    let at: Node = next;
    const level = levels.pop()!;
    if (level > most) return true;
    while (at.k === 'binary') {
      nodes.push(at.right);
      levels.push(level + 1);
      at = at.left;
    }
    for (const below of at === next ? children(at) : [at]) {
      nodes.push(below);
      levels.push(level + 1);
    }
  }
  return false;
}
