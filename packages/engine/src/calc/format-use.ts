import type { BinaryOperator, CallNode, Node } from '../formula/ast.ts';
import { nameKey, walkTree } from '../formula/index.ts';
import { collectBoundNames } from '../functions/bound-names.ts';
import { findCallable } from '../functions/catalogue.ts';

/**
 * From where a formula's result may take a number format: `none`; `cells`: only from cells that have one; `own`: also
 * from functions and literals of the formula.
 */
export type FormatUse = 'none' | 'cells' | 'own';

/**
 * Returns where the result may take its format from. Does not recurse, and does not decide which argument the format
 * comes from.
 */
export function findFormatUse(root: Node): FormatUse {
  let use: FormatUse = 'none';
  const pending: Node[] = [];
  const bound = new BoundNames(root);
  for (let node: Node | undefined = root; node !== undefined; node = pending.pop()) {
    const nodeUse = findNodeFormatUse(node, bound);
    if (nodeUse === 'own') return nodeUse;
    if (nodeUse === 'cells') use = nodeUse;
    addFormatSources(node, pending);
  }
  return use;
}

function findNodeFormatUse(node: Node, bound: BoundNames): FormatUse {
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
      return findCallFormatUse(node, bound);
    default:
      return 'none';
  }
}

function findCallFormatUse(node: CallNode, bound: BoundNames): FormatUse {
  const spec = findCallable(node.name);
  // The name may be bound by LET or LAMBDA instead of naming a function, and a defined name may refer to anything.
  if (spec === undefined) return bound.has(node.name) ? 'none' : 'own';
  if (spec.format !== undefined) return 'own';
  // INDIRECT reads cells that no argument names.
  return spec.indirect && spec.picks !== undefined ? 'cells' : 'none';
}

/** The names that LET and LAMBDA bind in a tree. Collected on demand because most formulas have none. */
class BoundNames {
  private readonly root: Node;
  private names: Set<string> | null = null;

  constructor(root: Node) {
    this.root = root;
  }

  has(name: string): boolean {
    this.names ??= this.collectNames();
    return this.names.has(nameKey(name));
  }

  private collectNames(): Set<string> {
    const names = new Set<string>();
    walkTree(this.root, (node) => {
      if (node.k === 'call') for (const name of collectBoundNames(node)) names.add(name);
      return true;
    });
    return names;
  }
}

/** Adds the parts of a tree whose format the result may take. */
function addFormatSources(node: Node, pending: Node[]): void {
  switch (node.k) {
    case 'parentheses':
      pending.push(node.arg);
      return;
    case 'unary':
      if (node.op !== '%') pending.push(node.arg);
      return;
    case 'binary':
      if (isFormatKept(node.op)) pending.push(node.left, node.right);
      return;
    case 'apply':
      pending.push(node.callee);
      for (const arg of node.args) pending.push(arg);
      return;
    case 'call':
      if (isFormatOfCallKept(node)) for (const arg of node.args) pending.push(arg);
      return;
  }
}

/** True for operators whose results inherit a format, and for operators that return references. */
function isFormatKept(op: BinaryOperator): boolean {
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

function isFormatOfCallKept({ name }: CallNode): boolean {
  const spec = findCallable(name);
  if (spec === undefined || 'compile' in spec) return true;
  return spec.carries !== undefined || spec.picks !== undefined;
}
