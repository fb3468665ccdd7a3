import { EMPTY } from './cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from './chunk.ts';
import type { Sheet } from './snapshot.ts';

/**
 * The first row of the filled cells of a column that end above `row`; `row` if the cell above it is empty. Examines a
 * chunk of equal cells at once.
 */
export function findRunStart(sheet: Sheet, column: number, row: number): number {
  let start = row;
  while (start > 0) {
    const last = start - 1;
    const chunk = sheet.chunk(column, last >> CHUNK_SHIFT);
    if (chunk === undefined) return start;
    const first = findFirstOfRun(chunk, last & CHUNK_MASK);
    start = last - (last & CHUNK_MASK) + first;
    if (first > 0) return start;
  }
  return 0;
}

/** One past the last row of the filled cells of a column that begin at `row`; `row` if that cell is empty. */
export function findRunEnd(sheet: Sheet, column: number, row: number): number {
  let end = row;
  for (;;) {
    const chunk = sheet.chunk(column, end >> CHUNK_SHIFT);
    if (chunk === undefined) return end;
    const offset = end & CHUNK_MASK;
    const after = findEndOfRun(chunk, offset);
    end += after - offset;
    if (after < CHUNK_ROWS) return end;
  }
}

/** The last filled row of a column from `first` to `last`, both inclusive; -1: none. */
export function findLastFilledRow(sheet: Sheet, column: number, first: number, last: number): number {
  if (sheet.columns[column] === undefined) return -1;
  for (let block = last >> CHUNK_SHIFT; block >= first >> CHUNK_SHIFT; block--) {
    const chunk = sheet.chunk(column, block);
    if (chunk === undefined) continue;
    const top = block << CHUNK_SHIFT;
    const row = top + chunk.filledRows(Math.min(CHUNK_ROWS, last - top + 1)) - 1;
    if (row >= Math.max(first, top)) return row;
  }
  return -1;
}

/** The first row of the filled rows of a chunk that end with `last`; `last + 1` if that row is empty. */
function findFirstOfRun(chunk: Chunk, last: number): number {
  const { kinds } = chunk;
  if (last >= kinds.length) return last + 1;
  if (chunk.uniformKind() > EMPTY) return 0;
  let first = last + 1;
  while (first > 0 && kinds[first - 1] !== EMPTY) first--;
  return first;
}

/** One past the last of the filled rows of a chunk that begin with `first`. */
function findEndOfRun(chunk: Chunk, first: number): number {
  const { kinds } = chunk;
  if (first >= kinds.length) return first;
  if (chunk.uniformKind() > EMPTY) return kinds.length;
  let end = first;
  while (end < kinds.length && kinds[end] !== EMPTY) end++;
  return end;
}
