import { findIndexRange, isWithin, type NumberBound } from '../criteria.ts';
import type { CriteriaStatistics } from './criteria-statistics.ts';
import { SortedArray } from './ordered-numbers.ts';
import { StatisticsTree } from './statistics-tree.ts';

/**
 * Limits for the number of new rows that are searched one by one: a share of the sorted rows, at least and at most
 * these. If there are more, they are sorted into the tree, which takes as long as reading all sorted rows.
 */
const UNSORTED_SHARE = 64;
const MIN_UNSORTED = 32;
const MAX_UNSORTED = 1024;

/**
 * Computes sums, counts and extremes of the numbers whose keys lie within bounds. The key of a number is the number in
 * the same row of another range. Uses a segment tree over the sorted keys. Sums are exact to about 32 digits, so that
 * the order of the additions does not matter.
 */
export class BoundedStatistics {
  private keys = new Float64Array(0);
  private values = new Float64Array(0);
  /** Sums and extremes of `values`. Counts need no tree. */
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

  /** Adds all numbers whose keys are within the bounds to `figures`. Calls `reportWork` with its work. */
  addStatistics(figures: CriteriaStatistics, bounds: readonly NumberBound[], reportWork: (work: number) => void): void {
    const { from, to } = this.findIndexRange(bounds, reportWork);
    this.tree ??= new StatisticsTree(this.values);
    this.tree.addRange(figures, from, to);
    for (const [i, key] of this.newKeys.entries()) {
      if (bounds.every((bound) => isWithin(bound, key))) figures.add(this.newValues[i]!, 0);
    }
  }

  /** The range of sorted keys that lie within all bounds. */
  private findIndexRange(bounds: readonly NumberBound[], reportWork: (work: number) => void) {
    const share = this.keys.length / UNSORTED_SHARE;
    const most = Math.min(MAX_UNSORTED, Math.max(MIN_UNSORTED, share));
    if (this.newKeys.length > most) this.mergeNewKeys(reportWork);
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
