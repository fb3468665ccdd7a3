import type { Node } from '../formula/ast.ts';
import { readSharedJson, type SharedText } from './shared-memory.ts';

/** A formula's shape: the tree that all cells filled down from one another share. It changes as `Snapshot` says. */
export class Template {
  private tree: Node | null;
  /** The tree's JSON text in memory that threads share; null where no other thread has been told of it. */
  shared: SharedText | null;
  /** What the calculation compiled the tree to. Kept here: a WeakMap of 100,000 templates slows garbage collection. */
  compiled: object | null = null;

  constructor(tree: Node | null, shared: SharedText | null = null) {
    this.tree = tree;
    this.shared = shared;
  }

  /** A template whose tree is read from its text when somebody asks for it. */
  static of(shared: SharedText): Template {
    return new Template(null, shared);
  }

  get node(): Node {
    this.tree ??= readSharedJson(this.shared as SharedText) as Node;
    return this.tree;
  }
}

/** Vertically adjacent cells of one column with one template and one writer. Immutable. */
export interface Run {
  readonly sheet: number;
  readonly column: number;
  /** First and last row, zero-based. */
  readonly top: number;
  readonly bottom: number;
  readonly template: Template;
  /**
   * The user whose rights its cells are calculated with: whoever entered them last. Null for the document's owner, as
   * are formulas of files and of before this was kept.
   */
  readonly writer: number | null;
}

/** Whether two trees are the same formula. Trees may be thousands of levels high, so this does not recurse. */
export function areSameNode(a: Node, b: Node): boolean {
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
    const run = runs[middle]!;
    if (run.bottom < row) low = middle + 1;
    else if (run.top > row) high = middle - 1;
    else return middle;
  }
  return ~low;
}

/** Runs sorted by row, or such as become objects only when they are asked for. */
export type RunList = readonly Run[] | LazyRuns;

export interface LazyRuns {
  readonly length: number;
  at(row: number): Run | undefined;
  list(): readonly Run[];
}

export function isLazy(runs: RunList): runs is LazyRuns {
  return !Array.isArray(runs);
}

/** The run that holds a row, or undefined. */
export function runAt(runs: RunList, row: number): Run | undefined {
  if (isLazy(runs)) return runs.at(row);
  const index = findRun(runs, row);
  return index < 0 ? undefined : runs[index];
}
