import type { Node } from './ast.ts';

/**
 * The identity of a formula's shape: equal for cells filled from one another, different for all others. It is the
 * tree's JSON, and `JSON.parse` gives the tree again.
 */
export function templateKey(node: Node): string {
  return JSON.stringify(node);
}
