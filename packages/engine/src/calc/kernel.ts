import type { AreaNode, CellNode, Node } from '../formula/ast.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import type { TotalKind } from '../functions/spec.ts';

/** Maximum depth of a kernel's tree. Deeper formulas use closures. */
const MAX_DEPTH = 16;

export type KernelOperator = '+' | '-' | '*' | '/';

/**
 * Plain arithmetic on single cells and totals of ranges, calculated for up to 256 rows at a time. `above` is the cell
 * above the formula; each row then depends on the row above.
 */
export type KernelNode =
  | { readonly k: 'constant'; readonly value: number }
  | { readonly k: 'cell'; readonly node: CellNode }
  | { readonly k: 'above' }
  | { readonly k: 'total'; readonly total: TotalKind; readonly node: AreaNode }
  | { readonly k: 'negate'; readonly arg: KernelNode }
  | { readonly k: 'binary'; readonly op: KernelOperator; readonly left: KernelNode; readonly right: KernelNode };

export interface Kernel {
  readonly root: KernelNode;
  /** True if the formula reads the cell above its own, so that rows must be calculated in order. */
  readonly serial: boolean;
}

/** Compiles a tree to a kernel; null if the tree contains more than arithmetic. */
export function compileKernel(node: Node): Kernel | null {
  const root = toKernelNode(node, 0);
  if (!root || root.k === 'constant') return null;
  const aboves = countReadsAbove(root);
  return aboves > 1 ? null : { root, serial: aboves === 1 };
}

function toKernelNode(node: Node, depth: number): KernelNode | null {
  if (depth > MAX_DEPTH) return null;
  switch (node.k) {
    case 'number':
      return { k: 'constant', value: node.value };
    case 'cell':
      return isCellAbove(node) ? { k: 'above' } : { k: 'cell', node };
    case 'parentheses':
      return toKernelNode(node.arg, depth + 1);
    case 'unary': {
      const arg = node.op === '-' ? toKernelNode(node.arg, depth + 1) : null;
      return arg && { k: 'negate', arg };
    }
    case 'binary': {
      if (node.op !== '+' && node.op !== '-' && node.op !== '*' && node.op !== '/') return null;
      const left = toKernelNode(node.left, depth + 1);
      const right = left && toKernelNode(node.right, depth + 1);
      return right && { k: 'binary', op: node.op, left: left as KernelNode, right };
    }
    case 'call': {
      const [arg, ...others] = node.args;
      const total = FUNCTIONS.get(node.name)?.total;
      return total && arg?.k === 'area' && others.length === 0 ? { k: 'total', total, node: arg } : null;
    }
    default:
      return null;
  }
}

function isCellAbove(node: CellNode): boolean {
  return !node.sheet && !node.row.absolute && node.row.at === -1 && !node.column.absolute && node.column.at === 0;
}

export function countReadsAbove(node: KernelNode): number {
  if (node.k === 'above') return 1;
  if (node.k === 'negate') return countReadsAbove(node.arg);
  return node.k === 'binary' ? countReadsAbove(node.left) + countReadsAbove(node.right) : 0;
}
