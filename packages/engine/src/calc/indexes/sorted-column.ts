import { NUMBER, TYPE_MASK } from '../../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../../sheet/chunk.ts';
import type { Column } from '../../sheet/snapshot.ts';

/**
 * The row of the last number that is not greater than `target`, in rows `top` to `bottom` of a column; -1 if all are
 * greater. Compares the same rows as `findBinaryFloor`, so that unsorted data gives the same result. Null if a compared
 * row does not contain a number. Rows that contain `target` are visited one by one, except in chunks that contain
 * nothing else; `spend` counts these steps.
 */
export function findLastAtMost(
  column: Column,
  top: number,
  bottom: number,
  target: number,
  spend: (cells: number) => void,
): number | null {
  let low = top;
  let high = bottom;
  let best = -1;
  while (low <= high) {
    const middle = top + ((low - top + high - top) >>> 1);
    const number = readNumber(column, middle);
    if (Number.isNaN(number)) return null;
    if (number === target) {
      return findRunEnd(column, middle, high, target, spend);
    }
    if (number < target) {
      best = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

/** Number of compared rows or chunks that count as one cell of the budget. */
const STEPS_PER_CELL = 16;

/**
 * The last row of the sequence of equal numbers that contains `row`, up to row `high`; null if a compared row has no
 * number. Skips chunks that contain only the value.
 */
function findRunEnd(
  column: Column,
  row: number,
  high: number,
  value: number,
  spend: (cells: number) => void,
): number | null {
  let last = row;
  for (let step = 0; last < high; step++) {
    if (step % STEPS_PER_CELL === 0) spend(1);
    const chunk = ((last + 1) & CHUNK_MASK) === 0 ? column.chunks.at((last + 1) >> CHUNK_SHIFT) : undefined;
    if (chunk !== undefined && last + CHUNK_ROWS <= high && containsOnly(chunk, value)) {
      last += CHUNK_ROWS;
      continue;
    }
    const next = readNumber(column, last + 1);
    if (Number.isNaN(next)) return null;
    if (next !== value) return last;
    last++;
  }
  return last;
}

function containsOnly(chunk: Chunk, value: number): boolean {
  if (chunk.rows < CHUNK_ROWS || !chunk.isAllNumbers) return false;
  const { least, greatest } = chunk.figures.extremes;
  return least === value && greatest === value;
}

/** The number in a row; NaN if the cell contains no number. */
function readNumber(column: Column, row: number): number {
  const chunk = column.chunks.at(row >> CHUNK_SHIFT);
  const at = row & CHUNK_MASK;
  return chunk && (chunk.kind(at) & TYPE_MASK) === NUMBER ? chunk.number(at) : Number.NaN;
}
