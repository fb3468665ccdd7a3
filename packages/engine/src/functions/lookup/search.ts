import { MAX_COLUMNS, MAX_ROWS } from '../../grid/limits.ts';
import { foldCase } from '../../value/fold.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { KeyMap } from '../array/keys.ts';
import type { Conventions } from '../coerce.ts';
import { createLookupMatcher } from '../criteria.ts';
import { compareScalars } from '../order.ts';
import { findMatchingRows } from '../selection/column-texts.ts';
import { findFirstAtLeast } from '../sorted.ts';
import type { FunctionContext } from '../spec.ts';
import { Matrix, Reference, type SheetArea } from '../value.ts';
import { hasWildcard } from '../wildcard.ts';
import {
  buildKeyIndex,
  findByKey,
  LOOKUPS_WORTH_AN_INDEX,
  MIN_INDEXED_LENGTH,
  type SearchKey,
  toSearchKey,
} from './matrix-index.ts';

/** One row or column to search, read element by element. */
export interface SearchVector {
  readonly length: number;
  /** Elements from this index on are blank. Absent if this is not known. */
  readonly filled?: number;
  at(index: number): Scalar;
  /** Returns the running minima that earlier searches for a smaller number found; undefined for the first request. */
  runningMinima?(): RunningMinima | undefined;
  /** Ends of sequences of equal elements that earlier searches found. */
  readonly runs?: RunEnds | undefined;
  /**
   * Finds the nearest number below (`-1`) or above (`1`) a number, or an equal one, by an index. Returns its index; -1
   * for none; null if the caller must search.
   */
  nearest?(target: number, options: NearestOptions): number | null;
  /**
   * Finds the first (or last) index of a value by a column index. Returns -1 for none; null if the caller must search.
   */
  indexed?(key: SearchKey, backwards: boolean): number | null;
  /** Finds the first (or last) index of a text that matches a pattern, as `indexed` does. */
  matching?(pattern: string, backwards: boolean): number | null;
}

interface NearestOptions {
  readonly side: -1 | 1;
  readonly backwards: boolean;
}

/** Creates a vector of the first row (`byRow`) or column of a matrix. */
function createMatrixVector(matrix: Matrix, byRow: boolean): SearchVector {
  const vector: SearchVector = byRow
    ? { length: matrix.columns, at: (i) => matrix.get(0, i) }
    : { length: matrix.rows, at: (i) => matrix.get(i, 0) };
  if (vector.length < MIN_INDEXED_LENGTH) return vector;
  return { ...vector, indexed: (key, backwards) => findByKey(matrix, byRow, vector, key, backwards) };
}

/**
 * Creates a vector of one row or column of a reference, read cell by cell. If it extends to the end of the grid, it is
 * clipped at its own last filled cell, so that other cells do not influence a binary search.
 */
function createLazyVector(context: FunctionContext, reference: Reference, byRow: boolean): SearchVector {
  const { sheet, top, left, bottom, right } = reference.areas[0];
  const extent = context.getExtent(sheet);
  const at = byRow
    ? (i: number) => context.readCell(sheet, top, left + i)
    : (i: number) => context.readCell(sheet, top + i, left);
  let filled = byRow ? Math.min(right, extent.columns - 1) - left + 1 : Math.min(bottom, extent.rows - 1) - top + 1;
  while (filled > 0 && at(filled - 1) === null) filled--;
  filled = Math.max(filled, 0);
  const open = byRow ? right === MAX_COLUMNS - 1 : bottom === MAX_ROWS - 1;
  const length = open ? filled : byRow ? right - left + 1 : bottom - top + 1;
  if (byRow) return { length, filled, at };
  const column = { ...reference.areas[0], right: left };
  const state = context.getRangeState(SEARCHES, [column], () => new SearchState());
  return { length, filled, at, runs: state?.runs, runningMinima: () => state?.findRunningMinima(filled) };
}

const SEARCHES = {};

/** Data that searches in a column keep for the next search. */
class SearchState {
  readonly runs = new RunEnds();
  private falls = new RunningMinima();
  private filled = 0;
  private requests = 0;

  /** The minima found so far for a vector with `filled` elements; undefined for the first request. */
  findRunningMinima(filled: number): RunningMinima | undefined {
    if (this.requests++ === 0) return undefined;
    // If the filled length changed, the earlier minima are dropped: they could lie beyond the end of a shorter range.
    if (filled !== this.filled) this.falls = new RunningMinima();
    this.filled = filled;
    return this.falls;
  }
}

/**
 * Returns the first row (`byRow`) or first column of a range or array. `isReadAtOnce`: reads all cells immediately, for
 * a linear search.
 */
export function readFirstLine(
  context: FunctionContext,
  value: Reference | Matrix,
  byRow: boolean,
  isReadAtOnce: boolean,
): SearchVector {
  if (value instanceof Matrix) return createMatrixVector(value, byRow);
  if (!isReadAtOnce) return createLazyVector(context, value, byRow);
  const [area] = value.areas;
  if (!byRow) return createColumnVector(context, area);
  const line = byRow ? { ...area, bottom: area.top } : { ...area, right: area.left };
  return createMatrixVector(context.readReference(new Reference([line])), byRow);
}

/** Returns the first column of an area. It uses the column index if there is one, else it reads all cells. */
function createColumnVector(context: FunctionContext, area: SheetArea): SearchVector {
  const column = { ...area, right: area.left };
  let matrix: Matrix | null = null;
  const read = () => {
    matrix ??= context.readReference(new Reference([column]));
    return matrix;
  };
  return {
    get length() {
      return read().rows;
    },
    at: (i) => read().get(i, 0),
    indexed(key, backwards) {
      if (key === null) return null;
      const rows = context.findRowsWithValue(column, key, false);
      return rows && findRowInArea(rows, area, backwards);
    },
    matching(pattern, backwards) {
      const rows = findMatchingRows(context, column, pattern);
      return rows && findRowInArea(rows, area, backwards);
    },
    nearest(wanted, { side, backwards }) {
      const numbers = context.getOrderedNumbers(new Reference([column]));
      if (numbers === null) return null;
      const at = side < 0 ? numbers.countAtMost(wanted) - 1 : numbers.countBelow(wanted);
      // Only numbers precede a number in the order, so nothing precedes the first one. Texts and blank cells may follow
      // the last number.
      if (at < 0) return -1;
      if (at === numbers.length) return at === area.bottom - area.top + 1 ? -1 : null;
      return this.indexed?.(numbers.at(at), backwards) ?? null;
    },
  };
}

/** Returns the position in an area of the first (`backwards`: last) row of an ascending list that is in it; -1 for none. */
function findRowInArea(rows: readonly number[], area: SheetArea, backwards: boolean): number {
  const row = rows[backwards ? findLastAtMost(rows, area.bottom) : findFirstAtLeast(rows, area.top)];
  return row === undefined || row < area.top || row > area.bottom ? -1 : row - area.top;
}

/** Index of the last element of an ascending list of rows that is not greater than `row`; -1 for none. */
function findLastAtMost(rows: readonly number[], row: number): number {
  return findFirstAtLeast(rows, row + 1) - 1;
}

/**
 * Creates a function that finds the first (`backwards`: last) element equal to a value; -1 for none. It does not
 * convert types and ignores letter case. `wildcards`: texts are patterns. After many calls it builds an index.
 */
export function createExactFinder(
  vector: SearchVector,
  options: { readonly wildcards: boolean; readonly backwards?: boolean },
): (target: Scalar) => number {
  let lookups = 0;
  let index: KeyMap<number> | null = null;
  return (wanted) => {
    lookups++;
    const pattern = options.wildcards && typeof wanted === 'string' && hasWildcard(wanted);
    if (pattern) {
      const position = vector.matching?.(wanted, options.backwards === true) ?? null;
      return position ?? findFirstWhere(vector, createLookupMatcher(wanted), options.backwards === true);
    }
    const key = toSearchKey(wanted);
    if (key === undefined) return -1;
    const indexedPosition = vector.indexed?.(key, options.backwards === true) ?? null;
    if (indexedPosition !== null) return indexedPosition;
    if (lookups > LOOKUPS_WORTH_AN_INDEX) index ??= buildKeyIndex(vector, options.backwards === true);
    if (index) return index.get(key) ?? -1;
    return findFirstWhere(vector, createKeyMatcher(key), options.backwards === true);
  };
}

/** Creates a predicate for values with this key. */
function createKeyMatcher(key: SearchKey): (value: Scalar) => boolean {
  if (typeof key !== 'string') return (value) => value === key;
  return (value) => typeof value === 'string' && (value === key || foldCase(value) === key);
}

/** Returns the first (`backwards`: last) element that passes a test; -1 for none. */
export function findFirstWhere(vector: SearchVector, matches: (value: Scalar) => boolean, backwards: boolean): number {
  if (backwards) {
    for (let i = vector.length - 1; i >= 0; i--) if (matches(vector.at(i))) return i;
    return -1;
  }
  for (let i = 0; i < vector.length; i++) if (matches(vector.at(i))) return i;
  return -1;
}

/** True if two values have the same type and are neither blank nor errors. */
function areComparable(value: Scalar, target: Scalar): boolean {
  return typeof value === typeof target && value !== null && typeof value !== 'object';
}

/** Number of elements of a linear search that count as one cell of the budget. */
const STEPS_PER_CELL = 64;

/**
 * MATCH with type -1: the last element ≥ the value before the first smaller one; an equal element ends the search.
 * Skips elements of other types. In descending data the result is the smallest element ≥ the value. In unsorted data it
 * is the same position as in Excel, which also searches from the start for this type.
 */
export function findDescendingFloor(context: FunctionContext, vector: SearchVector, target: Scalar): number {
  const falls = typeof target === 'number' ? vector.runningMinima?.() : undefined;
  if (falls !== undefined) return falls.findFloor(target as number, context, vector);
  let best = -1;
  const { filled = vector.length } = vector;
  for (let i = 0; i < filled; i++) {
    if (i % STEPS_PER_CELL === 0) context.spendCells(1);
    const value = vector.at(i);
    if (!areComparable(value, target)) continue;
    const order = compareScalars(value, target, context.locale);
    if (order < 0) break;
    best = i;
    if (order === 0) break;
  }
  return best;
}

/**
 * The numbers of a vector that are less than all numbers before them. A search for a smaller number ends at one of
 * them.
 */
class RunningMinima {
  private rows = 0;
  private readonly numbers: number[] = [];
  private readonly places: number[] = [];
  /** For each minimum, the index of the number before it; -1 for none. */
  private readonly before: number[] = [];
  private lastNumber = -1;

  /** The index that `findDescendingFloor` returns for a number. */
  findFloor(target: number, context: FunctionContext, vector: SearchVector): number {
    this.extend(context, vector);
    let low = 0;
    let high = this.numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.numbers[middle]! > target) low = middle + 1;
      else high = middle;
    }
    if (low === this.numbers.length) return this.lastNumber;
    return this.numbers[low] === target ? this.places[low]! : this.before[low]!;
  }

  /** Continues to the end of the vector. */
  private extend(context: FunctionContext, vector: SearchVector): void {
    const { filled = vector.length } = vector;
    for (; this.rows < filled; this.rows++) {
      if (this.rows % STEPS_PER_CELL === 0) context.spendCells(1);
      const value = vector.at(this.rows);
      if (typeof value !== 'number') continue;
      if (this.numbers.length === 0 || value < this.numbers[this.numbers.length - 1]!) {
        this.numbers.push(value);
        this.places.push(this.rows);
        this.before.push(this.lastNumber);
      }
      this.lastNumber = this.rows;
    }
  }
}

/**
 * Excel's binary search for the last element ≤ the value. Skips elements of other types, and returns the last of equal
 * elements. It compares the same elements as Excel, so that unsorted data gives the same result.
 */
export function findBinaryFloor({ locale }: Pick<Conventions, 'locale'>, vector: SearchVector, target: Scalar): number {
  return findFloor(vector, (value) => (areComparable(value, target) ? compareScalars(value, target, locale) : null));
}

/** Compares an element with the lookup value: negative, 0 or positive; null to skip the element. */
type CompareElement = (value: Scalar) => number | null;

/** Returns the last element for which `compare` is not positive. The data must be sorted accordingly. */
function findFloor(vector: SearchVector, compare: CompareElement): number {
  const { filled = vector.length } = vector;
  let low = 0;
  let high = vector.length - 1;
  let best = -1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const last = Math.min(high, filled - 1);
    let probe = middle;
    let order: number | null = null;
    for (; probe <= last; probe++) {
      order = compare(vector.at(probe));
      if (order !== null) break;
    }
    if (order === null) {
      high = middle - 1;
      continue;
    }
    if (order === 0) return findEndOfRun(vector, probe, high, compare);
    if (order < 0) {
      best = probe;
      low = probe + 1;
    } else high = middle - 1;
  }
  return best;
}

/** Index of the last element of the sequence of equal elements that contains `position`, at most `high`. */
function findEndOfRun(vector: SearchVector, position: number, high: number, compare: CompareElement): number {
  const { filled = vector.length, runs } = vector;
  const lastKnownEqual = (index: number) => (index < filled ? (runs?.findRunEnd(index) ?? index) : index);
  let last = lastKnownEqual(position);
  while (last < high && compare(vector.at(last + 1)) === 0) last = lastKnownEqual(last + 1);
  runs?.set(position, last);
  return Math.min(last, high);
}

/** The ends of sequences of equal elements that earlier searches found, so that each sequence is walked once. */
class RunEnds {
  private readonly ends = new Map<number, number>();

  /** Returns the last known element of the sequence that contains an element. */
  findRunEnd(index: number): number | undefined {
    return this.ends.get(index);
  }

  /** Records a sequence of at least two equal elements; a single element is not recorded. */
  set(first: number, last: number): void {
    if (last > first) this.ends.set(first, last);
  }
}

/**
 * Finds the nearest element below (`-1`) or above (`1`) the value, or an equal one, in unsorted data. Unlike MATCH,
 * XMATCH and XLOOKUP compare values of different types: numbers are less than texts, then follow booleans, errors and
 * blanks.
 */
export function findNearest(
  { locale }: Pick<Conventions, 'locale'>,
  vector: SearchVector,
  target: Scalar,
  { side, backwards }: NearestOptions,
): number {
  const indexedPosition = typeof target === 'number' ? (vector.nearest?.(target, { side, backwards }) ?? null) : null;
  if (indexedPosition !== null) return indexedPosition;
  let best = -1;
  const { length } = vector;
  for (let step = 0; step < length; step++) {
    const i = backwards ? length - 1 - step : step;
    const value = vector.at(i);
    const order = compareScalars(value, target, locale) * side;
    if (order === 0) return i;
    if (order < 0) continue;
    if (best < 0 || compareScalars(value, vector.at(best), locale) * side < 0) best = i;
  }
  return best;
}

/**
 * Binary search of XMATCH in sorted data: the equal element (0), or else the next smaller (-1) or larger (1) one.
 * Values of other types are compared by the sort order; blanks are skipped.
 */
export function findBinaryMatch(
  { locale }: Pick<Conventions, 'locale'>,
  vector: SearchVector,
  target: Scalar,
  { side, descending }: { readonly side: -1 | 0 | 1; readonly descending: boolean },
): number {
  const direction = descending ? -1 : 1;
  const compare: CompareElement = (value) =>
    value === null ? null : compareScalars(value, target, locale) * direction;
  // One neighbour is the last element that does not exceed the value in the sort direction; the other is the next
  // element.
  const floor = findFloor(vector, compare);
  if (floor >= 0 && compare(vector.at(floor)) === 0) return descending ? floor : findStartOfRun(vector, floor, compare);
  if (side === 0) return -1;
  if (side === -direction) return floor;
  let next = floor + 1;
  while (next < vector.length && vector.at(next) === null) next++;
  return next < vector.length ? next : -1;
}

/** Index of the first element of the sequence of equal elements that contains `index`. */
function findStartOfRun(vector: SearchVector, index: number, compare: CompareElement): number {
  let first = index;
  while (first > 0 && compare(vector.at(first - 1)) === 0) first--;
  return first;
}
