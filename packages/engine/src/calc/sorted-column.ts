import { NUMBER, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';

/**
 * The row of the last number that is not greater than the wanted one, in rows `top` to `bottom` of a column; -1 if all
 * are greater. Probes the same rows as `binaryFloor`, so unsorted data gives the same result. Null if a probe is no
 * number. Rows with the wanted number are visited one by one; `spend` counts them.
 */
export function lastAtMost(
  column: Column,
  top: number,
  bottom: number,
  wanted: number,
  spend: (rows: number) => void,
): number | null {
  let low = top;
  let high = bottom;
  let best = -1;
  while (low <= high) {
    const middle = top + ((low - top + high - top) >>> 1);
    const number = numberAt(column, middle);
    if (Number.isNaN(number)) return null;
    if (number === wanted) {
      const last = endOfRun(column, middle, high, wanted);
      if (last !== null) spend(last - middle);
      return last;
    }
    if (number < wanted) {
      best = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

function endOfRun(column: Column, at: number, high: number, value: number): number | null {
  let last = at;
  while (last < high) {
    const next = numberAt(column, last + 1);
    if (Number.isNaN(next)) return null;
    if (next !== value) return last;
    last++;
  }
  return last;
}

/** NaN if there is no number. */
function numberAt(column: Column, row: number): number {
  const chunk = column.chunks.at(row >> CHUNK_SHIFT);
  const at = row & CHUNK_MASK;
  return chunk && (chunk.kind(at) & TYPE_MASK) === NUMBER ? chunk.number(at) : Number.NaN;
}
