import { findIndexRange, isWithin, type NumberBound } from '../criteria.ts';
import { CriteriaStatistics } from './criteria-statistics.ts';
import { SortedArray } from './ordered-numbers.ts';

/** Maximum number of new rows that are searched one by one. If there are more, they are sorted into the tree. */
const MAX_UNSORTED = 1024;

/** The sum and extremes of each node. The sum has two parts: a double, and the remainder that was lost by rounding. */
interface StatisticsTree {
  readonly sum: Float64Array;
  readonly lost: Float64Array;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/**
 * Computes sums, counts and extremes of the numbers whose keys lie within bounds. The key of a number is the number in
 * the same row of another range. Uses a segment tree over the sorted keys. Sums are exact to about 32 digits, so that
 * the order of the additions does not matter.
 */
export class BoundedStatistics {
  private keys = new Float64Array(0);
  private values = new Float64Array(0);
  /** Node i has the children 2i and 2i + 1. The nodes from `keys.length` on are the values. Counts need no tree. */
  private tree: StatisticsTree | null = null;
  private readonly newKeys: number[] = [];
  private readonly newValues: number[] = [];

  /** Adds a number with its key. */
  add(key: number, value: number): void {
    this.newKeys.push(key);
    this.newValues.push(value);
  }

  /** Counts the numbers whose keys are within all bounds. Calls `reportWork` with its work. */
  countWithin(bounds: readonly NumberBound[], reportWork: (work: number) => void): number {
    const { from, to } = this.findIndexRange(bounds, reportWork);
    let count = Math.max(0, to - from);
    for (const key of this.newKeys) if (bounds.every((bound) => isWithin(bound, key))) count++;
    return count;
  }

  /** Computes sum, count and extremes of all numbers whose keys are within the bounds. Calls `reportWork` with its work. */
  computeStatistics(bounds: readonly NumberBound[], reportWork: (work: number) => void): CriteriaStatistics {
    const { from, to } = this.findIndexRange(bounds, reportWork);
    const figures = new CriteriaStatistics(true);
    const { length } = this.keys;
    figures.count = Math.max(0, to - from);
    this.tree ??= buildTree(this.values);
    for (let low = from + length, high = to + length; low < high; low >>= 1, high >>= 1) {
      if (low & 1) includeNode(figures, this.tree, low++);
      if (high & 1) includeNode(figures, this.tree, --high);
    }
    for (const [i, key] of this.newKeys.entries()) {
      if (bounds.every((bound) => isWithin(bound, key))) figures.add(this.newValues[i]!, 0);
    }
    return figures;
  }

  /** The range of sorted keys that lie within all bounds. */
  private findIndexRange(bounds: readonly NumberBound[], reportWork: (work: number) => void) {
    if (this.newKeys.length > MAX_UNSORTED) this.mergeNewKeys(reportWork);
    reportWork(this.newKeys.length >> 2);
    return findIndexRange(bounds, new SortedArray(this.keys));
  }

  /** Sorts the keys that were added since the last call into the others. */
  private mergeNewKeys(reportWork: (work: number) => void): void {
    const { newKeys, newValues } = this;
    reportWork(newKeys.length * 4 + this.keys.length);
    const order = Uint32Array.from(newKeys, (_, i) => i).sort((a, b) => newKeys[a]! - newKeys[b]! || a - b);
    const length = this.keys.length + order.length;
    const keys = new Float64Array(length);
    const values = new Float64Array(length);
    let old = 0;
    let next = 0;
    for (let at = 0; at < length; at++) {
      const takesOld = next === order.length || (old < this.keys.length && this.keys[old]! <= newKeys[order[next]!]!);
      keys[at] = takesOld ? this.keys[old]! : newKeys[order[next]!]!;
      values[at] = takesOld ? this.values[old++]! : newValues[order[next++]!]!;
    }
    this.keys = keys;
    this.values = values;
    newKeys.length = 0;
    newValues.length = 0;
    this.tree = null;
  }
}

/**
 * Sum, count and extremes of the first rows of a range that meet criteria. The numbers of another range are the keys.
 */
export class BoundedSelection {
  rows = 0;
  /** Number of requests. The first request reads the rows without a tree. */
  requests = 0;
  /** True if a cell contains an error. The rows must then be read in order. */
  hasErrors = false;
  readonly figures = new BoundedStatistics();
}

/** Adds the values of a node to `figures`. */
function includeNode(figures: CriteriaStatistics, { sum, lost, least, greatest }: StatisticsTree, node: number): void {
  figures.addSum(sum[node]!);
  figures.addSum(lost[node]!);
  if (least[node]! < figures.least) figures.least = least[node]!;
  if (greatest[node]! > figures.greatest) figures.greatest = greatest[node]!;
}

/** Builds the segment tree over values in the order of their keys. */
function buildTree(values: Float64Array): StatisticsTree {
  const nodes = () => new Float64Array(2 * values.length);
  const tree: StatisticsTree = { sum: nodes(), lost: nodes(), least: nodes(), greatest: nodes() };
  const { sum, lost, least, greatest } = tree;
  sum.set(values, values.length);
  least.set(values, values.length);
  greatest.set(values, values.length);
  for (let node = values.length - 1; node > 0; node--) {
    const left = 2 * node;
    const right = left + 1;
    const total = new CriteriaStatistics(true);
    total.addSum(sum[left]!);
    total.addSum(sum[right]!);
    total.addSum(lost[left]!);
    total.addSum(lost[right]!);
    sum[node] = total.total;
    lost[node] = total.roundingError;
    least[node] = Math.min(least[left]!, least[right]!);
    greatest[node] = Math.max(greatest[left]!, greatest[right]!);
  }
  return tree;
}
