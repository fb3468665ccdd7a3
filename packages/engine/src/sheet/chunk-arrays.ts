/** Functions for the arrays of a chunk. */

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
