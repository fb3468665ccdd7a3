import type { BinaryOperator, CallNode, Node } from '../formula/ast.ts';
import { nameKey, walk } from '../formula/index.ts';
import { boundNames } from '../functions/bound-names.ts';
import { callableNamed } from '../functions/catalogue.ts';

/**
 * Where a formula's result may take a number format from: from nowhere, from cells (in a document where some have
 * one), or from functions and marks of its own too.
 */
export type FormatUse = 'none' | 'cells' | 'own';

/** Told without recursion, and without telling which argument a format comes from. */
export function formatUseOf(root: Node): FormatUse {
  let use: FormatUse = 'none';
  const pending: Node[] = [];
  const bound = new BoundNames(root);
  for (let node: Node | undefined = root; node !== undefined; node = pending.pop()) {
    const own = nodeUse(node, bound);
    if (own === 'own') return own;
    if (own === 'cells') use = own;
    addFormatSources(node, pending);
  }
  return use;
}

function nodeUse(node: Node, bound: BoundNames): FormatUse {
  switch (node.k) {
    case 'cell':
    case 'area':
    case 'table':
      return 'cells';
    case 'name':
      return bound.has(node.name) ? 'none' : 'own';
    case 'unary':
      return node.op === '%' ? 'own' : node.op === '#' ? 'cells' : 'none';
    case 'call':
      return callUse(node, bound);
    default:
      return 'none';
  }
}

function callUse(node: CallNode, bound: BoundNames): FormatUse {
  const spec = callableNamed(node.name);
  // A LET's or a LAMBDA's name stands before a function's, and a defined name may lead anywhere.
  if (spec === undefined) return bound.has(node.name) ? 'none' : 'own';
  if (spec.format !== undefined) return 'own';
  // INDIRECT reads cells that no argument names.
  return spec.indirect && spec.picks !== undefined ? 'cells' : 'none';
}

/** The names that LETs and LAMBDAs somewhere in a tree bind, found when one is asked for: most formulas have none. */
class BoundNames {
  private readonly root: Node;
  private names: Set<string> | null = null;

  constructor(root: Node) {
    this.root = root;
  }

  has(name: string): boolean {
    this.names ??= this.find();
    return this.names.has(nameKey(name));
  }

  private find(): Set<string> {
    const names = new Set<string>();
    walk(this.root, (node) => {
      if (node.k === 'call') for (const name of boundNames(node)) names.add(name);
      return true;
    });
    return names;
  }
}

/** Adds the parts of a tree that a format passes through on its way to the result. */
function addFormatSources(node: Node, pending: Node[]): void {
  switch (node.k) {
    case 'parentheses':
      pending.push(node.arg);
      return;
    case 'unary':
      if (node.op !== '%') pending.push(node.arg);
      return;
    case 'binary':
      if (keepsFormat(node.op)) pending.push(node.left, node.right);
      return;
    case 'apply':
      pending.push(node.callee);
      for (const arg of node.args) pending.push(arg);
      return;
    case 'call':
      if (carriesFormat(node)) for (const arg of node.args) pending.push(arg);
      return;
  }
}

/** The operators whose results take on formats, and those that give references. */
function keepsFormat(op: BinaryOperator): boolean {
  switch (op) {
    case '+':
    case '-':
    case '*':
    case '/':
    case ':':
    case 'union':
    case 'intersect':
      return true;
    default:
      return false;
  }
}

function carriesFormat({ name }: CallNode): boolean {
  const spec = callableNamed(name);
  if (spec === undefined || 'compile' in spec) return true;
  return spec.carries !== undefined || spec.picks !== undefined;
}
