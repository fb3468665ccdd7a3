import type { Node } from '../formula/ast.ts';
import { some } from '../formula/index.ts';

/** Whether a tree calls one of the functions. */
export function hasCall(node: Node, names: ReadonlySet<string>): boolean {
  return some(node, (next) => next.k === 'call' && names.has(next.name));
}
