import type { Node } from './ast.ts';

/**
 * Returns the identity of a formula's tree: equal for cells that were filled from one another, different for all other
 * cells. It is the tree's JSON text, so that `JSON.parse` returns the tree.
 */
export function createTemplateKey(node: Node): string {
  return JSON.stringify(node);
}
