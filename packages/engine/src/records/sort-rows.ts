import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { Scalar } from '../value/scalar.ts';
import { ColumnReader, type ColumnTypes } from './cell-values.ts';
import { compareFilled } from './compare-filled.ts';
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
  const keys: (readonly Scalar[])[] = [];
  for (const { at } of by) keys.push(yield* readColumnValues(snapshot, region, rows, { at, types }));
  const compare = (a: number, b: number): number => {
    for (const [i, { descending }] of by.entries()) {
      const order = compareFilled(keys[i]?.[a] ?? null, keys[i]?.[b] ?? null, descending, snapshot.settings.locale);
      if (order !== 0) return order;
    }
    return 0;
  };
  const order = yield* computeStableOrder(rows.length, compare, by.length);
  return order.map((i) => rows[i]!);
}

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
export function* computeStableOrder(
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
