import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from './chunk.ts';
import type { ChunkTable } from './chunk-table.ts';
import { findExtremes } from './chunk-totals.ts';

/**
 * The least and the greatest number in consecutive rows of a column. Ranges that grow row by row (`MAX(A$1:A9)`)
 * continue from the result of the previous range.
 */
export class ColumnExtremes {
  readonly writes: number;
  readonly top: number;
  bottom: number;
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;

  constructor(writes: number, top: number) {
    this.writes = writes;
    this.top = top;
    this.bottom = top - 1;
  }

  include(least: number, greatest: number): void {
    if (least < this.least) this.least = least;
    if (greatest > this.greatest) this.greatest = greatest;
  }
}

/** The parts of a column from which extremes are computed. */
interface ComparedColumn {
  readonly chunks: ChunkTable;
  readonly writes: number;
  extremes: ColumnExtremes | null;
}

/**
 * Returns the extremes of rows `top` to `bottom`; infinite if there is no number. Valid until the next call for the
 * column.
 */
export function getColumnExtremes(column: ComparedColumn, top: number, bottom: number): ColumnExtremes {
  let extremes = column.extremes;
  if (extremes === null || extremes.writes !== column.writes || extremes.top !== top || extremes.bottom > bottom) {
    extremes = new ColumnExtremes(column.writes, top);
    column.extremes = extremes;
  }
  const { chunks } = column;
  for (let row = extremes.bottom + 1; row <= bottom; ) {
    const block = row >> CHUNK_SHIFT;
    if (block >= chunks.length) break;
    const last = Math.min(bottom, row | CHUNK_MASK);
    const chunk = chunks.at(block);
    if (chunk !== undefined) {
      const isWhole = last - row === CHUNK_ROWS - 1;
      const end = Math.min(last & CHUNK_MASK, chunk.rows - 1);
      const { least, greatest } = isWhole
        ? chunk.extremes()
        : findExtremes(chunk.kinds, chunk.numbers, chunk.isAllNumbers, row & CHUNK_MASK, end);
      extremes.include(least, greatest);
    }
    row = last + 1;
  }
  extremes.bottom = bottom;
  return extremes;
}
