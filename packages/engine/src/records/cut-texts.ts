import type { LocaleId } from '../locale/locales.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { computePlainKey, isCutKey } from './plain-keys.ts';
import { NUMBERS_PER_STEP, type NumberedRows, sortAscending } from './radix-sort.ts';

/** Maximum number of keys that are compared for a text. */
const MAX_KEYS = 64;

/**
 * Sorts rows whose texts begin with equal keys by the following characters. `depth`: number of keys that were already
 * compared. Returns false if texts differ only after the last key that is compared. Pauses regularly.
 */
export function* sortCutTexts(
  column: TextColumn,
  { numbers, rows }: NumberedRows,
  depth = 0,
  work: SortWork = { computedKeys: 0 },
): Generator<void, boolean> {
  for (let first = 0; first < rows.length; ) {
    let end = first + 1;
    while (end < rows.length && numbers[end] === numbers[first]) end++;
    if (end - first > 1 && isCutKey(numbers[first]!)) {
      const group = rows.subarray(first, end);
      if (depth + 1 === MAX_KEYS) {
        if (!(yield* areEqualTexts(column, group))) return false;
      } else {
        const keys = yield* readNextKeys(column, group, depth + 1, work);
        const sorted = yield* sortByKeys(keys, group.slice());
        group.set(sorted.rows);
        const isSorted = yield* sortCutTexts(column, { numbers: sorted.numbers, rows: group }, depth + 1, work);
        if (!isSorted) return false;
      }
    }
    first = end;
  }
  return true;
}

/** The next key of each row: the characters after the keys that were already compared. Pauses regularly. */
function* readNextKeys(
  { chunks, locale }: TextColumn,
  rows: Uint32Array,
  depth: number,
  work: SortWork,
): Generator<void, Float64Array> {
  const keys = new Float64Array(rows.length);
  for (const [i, row] of rows.entries()) {
    const chunk = chunks[row >> CHUNK_SHIFT]!;
    keys[i] = computePlainKey(chunk.texts, chunk.number(row & CHUNK_MASK), locale, depth);
    if (++work.computedKeys % ROWS_PER_STEP === 0) yield;
  }
  return keys;
}

/** True if all rows have the same text. Pauses regularly. */
function* areEqualTexts({ chunks }: TextColumn, rows: Uint32Array): Generator<void, boolean> {
  const textAt = (row: number) => {
    const chunk = chunks[row >> CHUNK_SHIFT]!;
    return { texts: chunk.texts, index: chunk.number(row & CHUNK_MASK) };
  };
  const first = textAt(rows[0]!);
  const length = first.texts.textLength(first.index);
  let visited = 0;
  for (const row of rows) {
    const { texts, index } = textAt(row);
    if (!texts.isSameText(index, first.texts, first.index)) return false;
    visited += length;
    if (visited < NUMBERS_PER_STEP) continue;
    visited = 0;
    yield;
  }
  return true;
}

/** Minimum number of rows that are sorted by the bits of their keys. Fewer rows are sorted faster by comparisons. */
const MIN_ROWS_BY_BITS = 1_024;

/** Sorts rows by their keys; equal keys keep their order. Pauses regularly. */
function* sortByKeys(keys: Float64Array, rows: Uint32Array): Generator<void, NumberedRows> {
  if (rows.length >= MIN_ROWS_BY_BITS) return yield* sortAscending({ numbers: keys, rows });
  if (keys.every((key) => key === keys[0])) return { numbers: keys, rows };
  const order = Array.from(rows.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  return { numbers: Float64Array.from(order, (i) => keys[i]!), rows: Uint32Array.from(order, (i) => rows[i]!) };
}

/** Number of rows whose texts are read between two pauses. */
const ROWS_PER_STEP = 4_096;

interface TextColumn {
  readonly chunks: readonly (Chunk | undefined)[];
  readonly locale: LocaleId;
}

interface SortWork {
  /** Number of keys computed so far. */
  computedKeys: number;
}
