import type { CallNode, Node } from '../formula/ast.ts';
import { walk } from '../formula/index.ts';
import { boundNames } from '../functions/bound-names.ts';
import { callableNamed } from '../functions/catalogue.ts';

/**
 * Where a formula's result may take a number format from: from nowhere, from cells (in a document where some have
 * one), or from functions and marks of its own too.
 */
export type FormatUse = 'none' | 'cells' | 'own';

/** Formats are looked for without recursion, and without telling which argument a format comes from. */
export function formatUseOf(root: Node): FormatUse {
  const bound = new Set<string>();
  walk(root, (node) => {
    if (node.k === 'call') for (const name of boundNames(node)) bound.add(name);
    return true;
  });
  let use: FormatUse = 'none';
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined && use !== 'own'; node = pending.pop()) {
    const own = ownUse(node, bound);
    if (own !== 'none') use = own;
    pending.push(...passing(node));
  }
  return use;
}

function ownUse(node: Node, bound: ReadonlySet<string>): FormatUse {
  switch (node.k) {
    case 'cell':
    case 'area':
    case 'table':
      return 'cells';
    case 'name':
      return bound.has(node.name.toUpperCase()) ? 'none' : 'own';
    case 'unary':
      return node.op === '%' ? 'own' : node.op === '#' ? 'cells' : 'none';
    case 'call':
      return ownUseOfCall(node, bound);
    default:
      return 'none';
  }
}

function ownUseOfCall(node: CallNode, bound: ReadonlySet<string>): FormatUse {
  if (bound.has(node.name)) return 'none';
  const spec = callableNamed(node.name);
  // A defined name may lead anywhere.
  if (spec === undefined || spec.format !== undefined) return 'own';
  // INDIRECT reads cells that no argument names.
  return spec.indirect && spec.picks !== undefined ? 'cells' : 'none';
}

/** The parts of a tree that a format passes through on its way to the result. */
function passing(node: Node): readonly Node[] {
  switch (node.k) {
    case 'parentheses':
    case 'unary':
      return node.k === 'unary' && node.op === '%' ? [] : [node.arg];
    case 'binary':
      return passes(node.op) ? [node.left, node.right] : [];
    case 'apply':
      return [node.callee, ...node.args];
    case 'call':
      return carries(node) ? node.args : [];
    default:
      return [];
  }
}

function passes(op: string): boolean {
  return op !== '^' && op !== '&' && !/[<=>]/.test(op);
}

function carries({ name }: CallNode): boolean {
  const spec = callableNamed(name);
  if (spec === undefined || 'compile' in spec) return true;
  return spec.carries !== undefined || spec.picks !== undefined;
}
