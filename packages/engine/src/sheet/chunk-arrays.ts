import type { Scalar } from '../value/scalar.ts';
import { EMPTY, TEXT, TYPE_MASK } from './cell-kind.ts';
import type { Texts } from './texts.ts';

// Functions for the arrays of a chunk, and for the comparison of two versions of a chunk.

/** Special value: the kinds of the rows differ. */
export const MIXED = -1;
const MIN_CAPACITY = 16;

/** The kind of all rows, or `MIXED`. */
export function findUniformKind(kinds: Uint8Array): number {
  const first = kinds[0]!;
  for (let row = 1; row < kinds.length; row++) if (kinds[row] !== first) return MIXED;
  return first;
}

/** Returns the capacity for a chunk that needs this number of rows. */
export function computeCapacity(rows: number): number {
  let capacity = MIN_CAPACITY;
  while (capacity < rows) capacity *= 4;
  return capacity;
}

/** Returns a copy of the formats with capacity for more rows. */
export function growFormats(formats: Uint16Array, capacity: number): Uint16Array {
  const grown = new Uint16Array(capacity);
  grown.set(formats);
  return grown;
}

/** A version of a chunk. */
interface ComparedChunk {
  readonly rows: number;
  readonly texts: Texts;
  kind(row: number): number;
  number(row: number): number;
  value(row: number): Scalar;
  format(row: number): number;
}

/** Returns the rows whose value or format differs in two versions of a chunk, in order. Compares all rows. */
export function compareAllRows(before: ComparedChunk, after: ComparedChunk): readonly number[] {
  const rows: number[] = [];
  const end = Math.max(after.rows, before.rows);
  for (let row = 0; row < end; row++) if (isCellChanged(before, after, row)) rows.push(row);
  return rows;
}

/** Returns the rows whose format differs in two versions of a chunk, in order. */
export function findFormatChanges(before: ComparedChunk, after: ComparedChunk): readonly number[] {
  const rows = Array.from({ length: after.rows }, (_, row) => row);
  return rows.filter((row) => after.format(row) !== before.format(row));
}

/** True if the value or format of a row differs in two versions of a chunk. */
export function isCellChanged(before: ComparedChunk, after: ComparedChunk, row: number): boolean {
  const kind = after.kind(row);
  if (kind !== before.kind(row) || after.format(row) !== before.format(row)) return true;
  if ((kind & TYPE_MASK) === TEXT) return !after.texts.isSameText(after.number(row), before.texts, before.number(row));
  return kind !== EMPTY && !Object.is(after.value(row), before.value(row));
}
