import type { LocaleId } from '../locale/locales.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { Scalar } from '../value/scalar.ts';
import { ColumnReader, type ColumnTypes } from './cell-values.ts';
import { compareFilled } from './compare-filled.ts';
import { computeStringKey, isCutKey } from './plain-keys.ts';
import { sortAscending } from './radix-sort.ts';
import { findColumn, type Region } from './region.ts';

/** A column to sort by, by index in the region. */
export interface RecordSort {
  readonly at: number;
  readonly descending: boolean;
}

/** Number of values that are read or compared between two pauses. */
const STEP = 4_096;

/**
 * Sorts rows by their cells in some columns, with the rules of the sort operation of sheets: ignores letter case, puts
 * empty cells last in both directions, is stable.
 */
export function* sortRows(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  { by, types }: { readonly by: readonly RecordSort[]; readonly types: ColumnTypes },
): Generator<void, ArrayLike<number>> {
  if (by.length === 0) return rows;
  const keys: SortKey[] = [];
  for (const { at, descending } of by)
    keys.push({ values: yield* readColumnValues(snapshot, region, rows, { at, types }), descending });
  const order = yield* computeValueOrder(rows.length, keys, snapshot.settings.locale);
  return order.map((i) => rows[i]!);
}

/** Values to sort by, and the direction. */
interface SortKey {
  readonly values: readonly Scalar[];
  readonly descending: boolean;
}

/**
 * Returns the numbers 0 to `count - 1` in the order of their values, with the rules of `sortRows`. Stable. Pauses
 * regularly.
 */
export function* computeValueOrder(
  count: number,
  keys: readonly SortKey[],
  locale: LocaleId,
): Generator<void, readonly number[]> {
  const columns: (SortKey & { readonly numbers: Float64Array | null })[] = [];
  for (const key of keys) columns.push({ ...key, numbers: yield* computeNumberKeys(key, locale) });
  const compare = (a: number, b: number): number => {
    for (const { values, descending, numbers } of columns) {
      const difference = numbers === null ? 0 : numbers[a]! - numbers[b]!;
      if (difference !== 0) return difference;
      const [one, other] = [values[a] ?? null, values[b] ?? null];
      // Equal numbers in `numbers` are equal values, unless the texts are longer than the keys.
      if (numbers !== null && (typeof one !== 'string' || !isCutKey(numbers[a]!))) continue;
      const order = compareFilled(one, other, descending, locale);
      if (order !== 0) return order;
    }
    return 0;
  };
  const [first] = columns;
  if (first?.numbers && count >= MIN_RADIX_SORTED) return yield* computeRadixOrder(first.numbers, compare, keys.length);
  return yield* computeStableOrder(count, compare, keys.length);
}

/** Minimum number of values that are sorted by their bits. */
const MIN_RADIX_SORTED = 2_048;

/**
 * Returns the numbers 0 to `keys.length - 1` in a stable order. `keys`: numbers with the order of `compare`, except that
 * equal numbers may be different values. Sorts the keys by their bits, then the parts with equal keys by comparisons.
 * `values`: maximum number of values that one comparison reads. Pauses regularly.
 */
function* computeRadixOrder(
  keys: Float64Array,
  compare: (a: number, b: number) => number,
  values: number,
): Generator<void, readonly number[]> {
  const rows = new Uint32Array(keys.length);
  const unsorted = new Float64Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    rows[i] = i;
    // Converts -0 to 0.
    unsorted[i] = keys[i]! + 0;
  }
  yield;
  const { numbers, rows: sorted } = yield* sortAscending({ numbers: unsorted, rows });
  const order: number[] = [];
  for (let i = 0; i < sorted.length; i++) order.push(sorted[i]!);
  let visited = 0;
  for (let from = 0; from < order.length; ) {
    let end = from + 1;
    while (end < order.length && numbers[end] === numbers[from]) end++;
    if (end - from > 1 && (values > 1 || isCutKey(numbers[from]!))) {
      const part = order.slice(from, end);
      const partOrder = yield* computeStableOrder(part.length, (a, b) => compare(part[a]!, part[b]!), values);
      for (const [i, at] of partOrder.entries()) order[from + i] = part[at]!;
    }
    visited += end - from;
    from = end;
    if (visited < STEP) continue;
    visited = 0;
    yield;
  }
  return order;
}

/**
 * Returns numbers that have the order of the values, except that different texts may have the same number. Null if values
 * have different types, or texts have characters that need a collator. Pauses regularly.
 */
function* computeNumberKeys({ values, descending }: SortKey, locale: LocaleId): Generator<void, Float64Array | null> {
  const numbers = new Float64Array(values.length);
  const type = typeof values.find((value) => value !== null && value !== '');
  const sign = descending ? -1 : 1;
  for (const [i, value] of values.entries()) {
    if (i % STEP === STEP - 1) yield;
    // Empty cells come last in both directions.
    if (value === null || value === '') numbers[i] = MAX_KEY;
    else if (typeof value !== type) return null;
    else if (typeof value === 'number') numbers[i] = sign * value;
    else if (typeof value === 'string') numbers[i] = sign * computeStringKey(value, locale);
    else return null;
    if (Number.isNaN(numbers[i])) return null;
  }
  return numbers;
}

/** Greater than all numbers in cells and all keys of texts. A difference of two such numbers is not NaN. */
const MAX_KEY = Number.MAX_VALUE;

/** The values of some rows in a column. Pauses regularly. */
function* readColumnValues(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  { at, types }: { readonly at: number; readonly types: ColumnTypes },
): Generator<void, readonly Scalar[]> {
  const column = findColumn(snapshot, region, at);
  const reader = new ColumnReader(snapshot, region.columns[at]?.column ?? -1, types.get(at) ?? null);
  const values: Scalar[] = [];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const chunk = column?.chunks.at(row >> CHUNK_SHIFT);
    values.push(chunk === undefined ? null : reader.readScalar(chunk, row & CHUNK_MASK));
    if (values.length % STEP === 0) yield;
  }
  return values;
}

/**
 * Returns the numbers 0 to `count - 1` in a stable order. Merges sorted parts, and pauses regularly. `values`: maximum
 * number of values that one comparison reads.
 */
function* computeStableOrder(
  count: number,
  compare: (a: number, b: number) => number,
  values: number,
): Generator<void, readonly number[]> {
  const stretch = Math.ceil(STEP / values);
  let order = Array.from({ length: count }, (_, i) => i);
  for (let from = 0; from < count; from += stretch) {
    const part = order.slice(from, from + stretch).sort(compare);
    for (const [i, one] of part.entries()) order[from + i] = one;
    yield;
  }
  for (let width = stretch; width < count; width *= 2) {
    const merged: number[] = [];
    for (let from = 0; from < count; from += 2 * width) {
      yield* mergeInto(
        merged,
        order,
        { from, middle: Math.min(from + width, count), end: Math.min(from + 2 * width, count) },
        { compare, stretch },
      );
    }
    order = merged;
  }
  return order;
}

/**
 * Appends two sorted parts of `order`, from `from` to `middle` and from `middle` to `end`, to `merged` in order. Pauses
 * after each `stretch` elements.
 */
function* mergeInto(
  merged: number[],
  order: readonly number[],
  { from, middle, end }: { readonly from: number; readonly middle: number; readonly end: number },
  { compare, stretch }: { readonly compare: (a: number, b: number) => number; readonly stretch: number },
): Generator<void, void> {
  let left = from;
  let right = middle;
  while (left < middle || right < end) {
    const takesLeft = right >= end || (left < middle && compare(order[left]!, order[right]!) <= 0);
    merged.push(order[takesLeft ? left++ : right++]!);
    if (merged.length % stretch === 0) yield;
  }
}
