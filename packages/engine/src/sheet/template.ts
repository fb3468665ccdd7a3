import type { Node } from '../formula/ast.ts';
import { readSharedJson, type SharedText } from './shared-memory.ts';

/**
 * A formula, relative to its cell. Cells that were filled from one another share the same template. It changes only as
 * `Snapshot` describes.
 */
export class Template {
  private tree: Node | null;
  /** The tree's JSON text in shared memory; null if it was not shared with another thread. */
  shared: SharedText | null;
  /** The compiled tree. It is stored in a field because a WeakMap of 100,000 templates slows garbage collection. */
  compiled: object | null = null;
  /** The tree as steps of plain arithmetic (`calc/arithmetic`), empty for another tree; null until needed. */
  arithmetic: readonly number[] | null = null;

  constructor(tree: Node | null, shared: SharedText | null = null) {
    this.tree = tree;
    this.shared = shared;
  }

  /** Creates a template whose tree is parsed from its text on demand. */
  static fromShared(shared: SharedText): Template {
    return new Template(null, shared);
  }

  get node(): Node {
    this.tree ??= readSharedJson(this.shared as SharedText) as Node;
    return this.tree;
  }
}

/** Vertically adjacent cells of one column with the same template and writer. Immutable. */
export interface Run {
  readonly sheet: number;
  readonly column: number;
  /** First and last row, zero-based. */
  readonly top: number;
  readonly bottom: number;
  readonly template: Template;
  /**
   * The user who last entered the formulas. The calculation uses the rights of this user. Null for the document's
   * owner, for formulas of files, and for formulas from before writers were recorded.
   */
  readonly writer: number | null;
}

/** True if two trees are the same formula. Does not recurse because trees may be thousands of levels high. */
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

/** Index of the run that contains a row, or of the first run below it as `~index`. `runs` are sorted by row. */
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

/** Runs sorted by row, either as objects or created on demand. */
export type RunList = readonly Run[] | LazyRuns;

export interface LazyRuns {
  readonly length: number;
  at(row: number): Run | undefined;
  list(): readonly Run[];
}

export function isLazy(runs: RunList): runs is LazyRuns {
  return !Array.isArray(runs);
}

/** Returns the run that contains a row; undefined if there is none. */
export function findRunAt(runs: RunList, row: number): Run | undefined {
  if (isLazy(runs)) return runs.at(row);
  const index = findRun(runs, row);
  return index < 0 ? undefined : runs[index];
}
