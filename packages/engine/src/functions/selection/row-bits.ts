import { findIndexRange, type NumberBound } from '../criteria.ts';
import type { CriteriaStatistics } from './criteria-statistics.ts';
import { SortedArray } from './ordered-numbers.ts';

/** Number of rows in one element of a set of rows, as a power of two. */
const WORD_SHIFT = 5;
const WORD_MASK = (1 << WORD_SHIFT) - 1;
/** Maximum number of elements in the kept sets of a column. */
const MAX_KEPT_WORDS = 1 << 20;
/** Minimum number of keys between two kept sets. */
const MIN_STEP = 64;

/** The elements of a set from `from` to before `to`. */
export interface WordRange {
  readonly from: number;
  readonly to: number;
}

/** The elements that contain the rows from `from` to before `to`. */
export function findWordRange(from: number, to: number): WordRange {
  return { from: from >> WORD_SHIFT, to: (to + WORD_MASK) >> WORD_SHIFT };
}

/** Creates an empty set of the rows from 0 to before `rows`, with one bit per row. */
export function createRowSet(rows: number): Int32Array {
  return new Int32Array((rows + WORD_MASK) >> WORD_SHIFT);
}

export function addToSet(set: Int32Array, row: number): void {
  set[row >> WORD_SHIFT]! |= 1 << (row & WORD_MASK);
}

export function removeFromSet(set: Int32Array, row: number): void {
  set[row >> WORD_SHIFT]! &= ~(1 << (row & WORD_MASK));
}

/** Fills a set with the rows from `from` to before `to`. */
export function setRowsBetween(set: Int32Array, from: number, to: number): void {
  set.fill(0);
  if (from >= to) return;
  const first = from >> WORD_SHIFT;
  const last = (to - 1) >> WORD_SHIFT;
  set.fill(-1, first, last + 1);
  set[first]! &= -1 << (from & WORD_MASK);
  set[last]! &= -1 >>> (WORD_MASK - ((to - 1) & WORD_MASK));
}

export function intersectSets(set: Int32Array, other: Int32Array): void {
  for (let i = 0; i < set.length; i++) set[i]! &= other[i]!;
}

/** The number of rows in a set (Warren, Hacker's Delight, 5-1). */
export function countRowsInSet(set: Int32Array): number {
  let count = 0;
  for (let i = 0; i < set.length; i++) {
    let word = set[i]!;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** The rows that two sets have in common, ascending. */
export function listCommonRows(set: Int32Array, other: Int32Array): readonly number[] {
  const rows: number[] = [];
  for (let i = 0; i < set.length; i++) {
    for (let word = set[i]! & other[i]!; word !== 0; word &= word - 1) rows.push(findFirstRow(i, word));
  }
  return rows;
}

/** The first row of an element that is not 0. */
function findFirstRow(index: number, word: number): number {
  return (index << WORD_SHIFT) + WORD_MASK - Math.clz32(word & -word);
}

/**
 * Adds the numbers of the rows in a set to figures without formats, like `CriteriaStatistics.add`. It is a single loop
 * because the sets of all formulas of a column may contain billions of rows. `needsExtremes`: also finds the extremes.
 */
export function addNumbersInSet(
  figures: CriteriaStatistics,
  numbers: Float64Array,
  set: Int32Array,
  needsExtremes: boolean,
): void {
  let { sum, lost, least, greatest } = figures;
  for (let i = 0; i < set.length; i++) {
    for (let word = set[i]!; word !== 0; word &= word - 1) {
      const value = numbers[findFirstRow(i, word)]!;
      const next = sum + value;
      const added = next - sum;
      lost += sum - (next - added) + (value - added);
      sum = next;
      if (!needsExtremes) continue;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
  }
  figures.sum = sum;
  // A sum that was infinite has no rounding error.
  figures.lost = Number.isFinite(lost) ? lost : 0;
  figures.count += countRowsInSet(set);
  figures.least = least;
  figures.greatest = greatest;
}

/** The rows with a key, in the order of their keys. `keys`: by row; NaN for a row without a key. */
export function sortRowsByKey(keys: Float64Array): Int32Array {
  const rows = Int32Array.from(keys.keys()).filter((row) => !Number.isNaN(keys[row]!));
  return rows.sort((a, b) => keys[a]! - keys[b]!);
}

/**
 * Finds the rows whose key lies within bounds. Keeps the set of the rows with the least `i * step` keys, for each `i`:
 * every other set of rows with the least keys differs in few rows from a kept set.
 */
export class KeyedRows {
  private readonly keys: SortedArray;
  /** Rows in the order of their keys. */
  private readonly rows: Int32Array;
  private readonly step: number;
  private readonly kept: Int32Array[] = [];
  /** The rows of all keys. */
  private readonly all: Int32Array;
  private readonly lower: Int32Array;
  private readonly upper: Int32Array;

  /** `keys`: by row; NaN for a row without a key. */
  constructor(keys: Float64Array) {
    this.rows = sortRowsByKey(keys);
    this.keys = new SortedArray(Float64Array.from(this.rows, (row) => keys[row]!));
    const set = createRowSet(keys.length);
    this.step = Math.max(MIN_STEP, Math.ceil((this.rows.length * set.length) / MAX_KEPT_WORDS));
    for (let at = 0; at <= this.rows.length; at++) {
      if (at % this.step === 0) this.kept.push(set.slice());
      if (at < this.rows.length) addToSet(set, this.rows[at]!);
    }
    this.all = set;
    this.lower = createRowSet(keys.length);
    this.upper = createRowSet(keys.length);
  }

  /** Removes the rows whose key does not lie within all bounds. `words`: the elements of the set that have rows. */
  intersect(set: Int32Array, bounds: readonly NumberBound[], words: WordRange): void {
    const { from: first, to: end } = words;
    const { from, to } = findIndexRange(bounds, this.keys);
    if (from >= to) {
      set.fill(0);
      return;
    }
    const upper = to === this.rows.length ? this.all : this.readFirst(this.upper, to, words);
    if (from === 0) {
      for (let i = first; i < end; i++) set[i]! &= upper[i]!;
      return;
    }
    const lower = this.readFirst(this.lower, from, words);
    for (let i = first; i < end; i++) set[i]! &= upper[i]! & ~lower[i]!;
  }

  /** Fills the elements `words` of a set with the rows of the least `count` keys. */
  private readFirst(set: Int32Array, count: number, words: WordRange): Int32Array {
    const nearest = Math.min(Math.round(count / this.step), this.kept.length - 1);
    set.set(this.kept[nearest]!.subarray(words.from, words.to), words.from);
    const start = nearest * this.step;
    for (let at = start; at < count; at++) addToSet(set, this.rows[at]!);
    for (let at = count; at < start; at++) removeFromSet(set, this.rows[at]!);
    return set;
  }
}
