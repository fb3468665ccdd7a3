import type { AreaNode, CellNode, NameNode, Node, TableNode } from './ast.ts';

/*
 * Trees of long sums are thousands of levels deep. All functions of this file therefore use a stack of their own
 * instead of recursion.
 */

const NONE: readonly Node[] = [];

/** The nodes directly below a node, in reading order. */
export function listChildNodes(node: Node): readonly Node[] {
  switch (node.k) {
    case 'unary':
    case 'parentheses':
    case 'cached':
      return [node.arg];
    case 'binary':
      return [node.left, node.right];
    case 'call':
      return node.args;
    case 'apply':
      return [node.callee, ...node.args];
    case 'array':
      return node.rows.flat();
    default:
      return NONE;
  }
}

/** Visits every node before its children, from left to right. Stops if `visit` returns false. */
export function walkTree(node: Node, visit: (node: Node) => boolean | undefined): void {
  const stack: Node[] = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (visit(next) === false) return;
    const below = listChildNodes(next);
    for (let i = below.length - 1; i >= 0; i--) stack.push(below[i]!);
  }
}

/** True if a node of the tree meets a condition. */
export function hasMatchingNode(node: Node, condition: (node: Node) => boolean): boolean {
  let found = false;
  walkTree(node, (next) => {
    found = condition(next);
    return !found;
  });
  return found;
}

type ReferenceNode = CellNode | AreaNode | NameNode | TableNode;

/** The cells, areas, names (including parameters of LET and LAMBDA) and tables of a tree, in reading order. */
export function collectReferences(node: Node): readonly ReferenceNode[] {
  const references: ReferenceNode[] = [];
  walkTree(node, (next) => {
    if (next.k === 'cell' || next.k === 'area' || next.k === 'name' || next.k === 'table') references.push(next);
    return true;
  });
  return references;
}

interface WalkFrame<S> {
  readonly node: Node;
  readonly scope: S;
  readonly oldChildren: readonly Node[];
  /** The scopes of the children; null if they are in the node's own scope. */
  readonly inner: readonly (S | null)[] | null;
  readonly newChildren: Node[];
}

/**
 * Rebuilds a tree from its leaves to its root: `visit` gets each node with its children already replaced. Unchanged
 * parts are shared with the given tree.
 */
export function transformTree(node: Node, visit: (node: Node) => Node): Node {
  return transformScoped(node, undefined, () => null, visit);
}

/**
 * Rebuilds a tree as `transformTree` does, with a scope for each node. `innerScopes` returns the scope of each child,
 * or null for a child that must not change. It returns null if all children have the scope of the node.
 */
export function transformScoped<S>(
  node: Node,
  scope: S,
  innerScopes: (node: Node, scope: S) => readonly (S | null)[] | null,
  visit: (node: Node, scope: S) => Node,
): Node {
  if (listChildNodes(node).length === 0) return visit(node, scope);
  const createFrame = (child: Node, childScope: S): WalkFrame<S> => ({
    node: child,
    scope: childScope,
    oldChildren: listChildNodes(child),
    inner: innerScopes(child, childScope),
    newChildren: [],
  });
  const stack: WalkFrame<S>[] = [createFrame(node, scope)];
  for (;;) {
    const frame = stack[stack.length - 1]!;
    const next = frame.oldChildren[frame.newChildren.length];
    if (next !== undefined) {
      const nextScope = frame.inner === null ? frame.scope : frame.inner[frame.newChildren.length]!;
      if (nextScope === null) frame.newChildren.push(next);
      else stack.push(createFrame(next, nextScope));
      continue;
    }
    const result = visit(replaceChildren(frame), frame.scope);
    stack.pop();
    const parent = stack[stack.length - 1];
    if (parent === undefined) return result;
    parent.newChildren.push(result);
  }
}

/** Returns a node with its new children; the node itself if none of them changed. */
function replaceChildren({
  node,
  oldChildren,
  newChildren,
}: Pick<WalkFrame<unknown>, 'node' | 'oldChildren' | 'newChildren'>): Node {
  if (newChildren.every((child, i) => child === oldChildren[i])) return node;
  const [one, two] = newChildren as [Node, Node];
  switch (node.k) {
    case 'unary':
      return { k: 'unary', op: node.op, arg: one };
    case 'parentheses':
      return { k: 'parentheses', arg: one };
    case 'cached':
      return { k: 'cached', value: node.value, arg: one };
    case 'binary':
      return { k: 'binary', op: node.op, left: one, right: two };
    case 'call':
      return { k: 'call', name: node.name, args: newChildren };
    case 'apply':
      return { k: 'apply', callee: one, args: newChildren.slice(1) };
    case 'array':
      return { k: 'array', rows: arrangeInRows(node.rows, newChildren) };
    default:
      return node;
  }
}

/** Arranges a flat list of elements in rows with the lengths of `rows`. */
function arrangeInRows(rows: readonly (readonly Node[])[], cells: readonly Node[]): readonly (readonly Node[])[] {
  let from = 0;
  return rows.map((row) => {
    const part = cells.slice(from, from + row.length);
    from += row.length;
    return part;
  });
}
