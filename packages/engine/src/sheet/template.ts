import type { Node } from '../formula/ast.ts';

/** A formula's shape: the tree that all cells filled down from one another share. */
export class Template {
  readonly node: Node;
  /** What the calculation made of the tree. Kept here: a WeakMap of 100,000 templates slows garbage collection. */
  plan: object | null = null;

  constructor(node: Node) {
    this.node = node;
  }
}

/** Vertically adjacent cells of one column with one template. Immutable. */
export interface Run {
  readonly sheet: number;
  readonly column: number;
  /** First and last row, zero-based. */
  readonly top: number;
  readonly bottom: number;
  readonly template: Template;
}

/** Whether two trees are the same formula. Trees may be thousands of levels high, so this does not recurse. */
export function sameNode(a: Node, b: Node): boolean {
  const pairs: [unknown, unknown][] = [[a, b]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [x, y] = pair;
    if (x === y) continue;
    if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) return false;
    const keys = Object.keys(x);
    if (keys.length !== Object.keys(y).length) return false;
    for (const key of keys) pairs.push([x[key as keyof typeof x], y[key as keyof typeof y]]);
  }
  return true;
}

/** Index of the run that holds a row, or of the first one below it as `~index`, in runs sorted by row. */
export function findRun(runs: readonly Run[], row: number): number {
  let low = 0;
  let high = runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle] as Run;
    if (run.bottom < row) low = middle + 1;
    else if (run.top > row) high = middle - 1;
    else return middle;
  }
  return ~low;
}

/** The run that holds a row, or undefined. */
export function runAt(runs: readonly Run[], row: number): Run | undefined {
  const index = findRun(runs, row);
  return index < 0 ? undefined : runs[index];
}
