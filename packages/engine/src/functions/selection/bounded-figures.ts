import { findIndexRange, isWithin, type NumberBound } from '../criteria.ts';
import { SortedArray } from './ordered-numbers.ts';
import { CriteriaStatistics } from './selected-figures.ts';

/** Maximum new rows that are searched one by one. More are sorted in. */
const MAX_UNSORTED = 1024;

/** The figures of each node. The sum has two parts: a double, and the rest that it lost by rounding. */
interface StatisticsTree {
  readonly sum: Float64Array;
  readonly lost: Float64Array;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/**
 * Sums, counts and extremes of the numbers whose keys lie within bounds; the key of a number is the number in the same
 * row of another range. A segment tree over the keys in order. Sums are exact to about 32 digits, so the order of the
 * additions does not matter.
 */
export class BoundedStatistics {
  private keys = new Float64Array(0);
  private values = new Float64Array(0);
  /** Node i has the children 2i and 2i + 1; the values are the nodes from `keys.length` on. Counts need no tree. */
  private tree: StatisticsTree | null = null;
  private readonly newKeys: number[] = [];
  private readonly newValues: number[] = [];

  add(key: number, value: number): void {
    this.newKeys.push(key);
    this.newValues.push(value);
  }

  /** The count of the numbers whose keys are within all bounds. `pass`: announces work. */
  countWithin(bounds: readonly NumberBound[], pass: (work: number) => void): number {
    const { from, to } = this.findIndexRange(bounds, pass);
    let count = Math.max(0, to - from);
    for (const key of this.newKeys) if (bounds.every((bound) => isWithin(bound, key))) count++;
    return count;
  }

  /** The figures of all numbers within the bounds. Announces its work to `pass`. */
  computeStatistics(bounds: readonly NumberBound[], pass: (work: number) => void): CriteriaStatistics {
    const { from, to } = this.findIndexRange(bounds, pass);
    const figures = new CriteriaStatistics(true);
    const { length } = this.keys;
    figures.count = Math.max(0, to - from);
    this.tree ??= buildTree(this.values);
    for (let low = from + length, high = to + length; low < high; low >>= 1, high >>= 1) {
      if (low & 1) include(figures, this.tree, low++);
      if (high & 1) include(figures, this.tree, --high);
    }
    for (const [i, key] of this.newKeys.entries()) {
      if (bounds.every((bound) => isWithin(bound, key))) figures.add(this.newValues[i]!, 0);
    }
    return figures;
  }

  private findIndexRange(bounds: readonly NumberBound[], pass: (work: number) => void) {
    if (this.newKeys.length > MAX_UNSORTED) this.sortIn(pass);
    pass(this.newKeys.length >> 2);
    return findIndexRange(bounds, new SortedArray(this.keys));
  }

  private sortIn(pass: (work: number) => void): void {
    const { newKeys, newValues } = this;
    pass(newKeys.length * 4 + this.keys.length);
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

/** The figures of the first `rows` rows that meet some criteria, with one range's numbers as keys of another's. */
export class BoundedSelection {
  rows = 0;
  /** Number of requests. The first one reads the rows instead. */
  requests = 0;
  /** True if an error is among the cells: then the rows must be read in order. */
  hasErrors = false;
  readonly figures = new BoundedStatistics();
}

/** Adds the figures of a node. */
function include(figures: CriteriaStatistics, { sum, lost, least, greatest }: StatisticsTree, node: number): void {
  figures.addSum(sum[node]!);
  figures.addSum(lost[node]!);
  if (least[node]! < figures.least) figures.least = least[node]!;
  if (greatest[node]! > figures.greatest) figures.greatest = greatest[node]!;
}

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
