import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from './chunk.ts';
import { CHUNKS_PER_PAGE, isPageStart, PAGE_ROWS } from './chunk-page.ts';
import type { ChunkTable } from './chunk-table.ts';
import { type ChunkExtremes, findExtremes } from './chunk-totals.ts';

/**
 * The least and the greatest number in consecutive rows of a column. Ranges that grow row by row (`MAX(A$1:A9)`)
 * continue from the result of the previous range.
 */
export class ColumnExtremes {
  readonly writes: number;
  readonly top: number;
  bottom: number;
  /** Extremes of whole pages that were needed so far, by page number. Ranges with other top rows reuse them. */
  readonly pages: (ChunkExtremes | undefined)[];
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;

  constructor(writes: number, top: number, pages: (ChunkExtremes | undefined)[]) {
    this.writes = writes;
    this.top = top;
    this.bottom = top - 1;
    this.pages = pages;
  }

  include({ least, greatest }: ChunkExtremes): void {
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
  let { extremes } = column;
  if (extremes === null || extremes.writes !== column.writes || extremes.top !== top || extremes.bottom > bottom) {
    extremes = new ColumnExtremes(column.writes, top, extremes?.writes === column.writes ? extremes.pages : []);
    column.extremes = extremes;
  }
  const { chunks } = column;
  for (let row = extremes.bottom + 1; row <= bottom; ) {
    const block = row >> CHUNK_SHIFT;
    if (block >= chunks.length) break;
    if (isPageStart(block) && (row & CHUNK_MASK) === 0 && bottom - row >= PAGE_ROWS - 1) {
      extremes.include(getPageExtremes(extremes.pages, chunks, block));
      row += PAGE_ROWS;
      continue;
    }
    const last = Math.min(bottom, row | CHUNK_MASK);
    const chunk = chunks.at(block);
    if (chunk !== undefined) {
      const isWhole = last - row === CHUNK_ROWS - 1;
      const end = Math.min(last & CHUNK_MASK, chunk.rows - 1);
      extremes.include(
        isWhole
          ? chunk.figures.extremes
          : findExtremes(chunk.kinds, chunk.numbers, chunk.isAllNumbers, row & CHUNK_MASK, end),
      );
    }
    row = last + 1;
  }
  extremes.bottom = bottom;
  return extremes;
}

/** The extremes of the page that begins at a block. */
function getPageExtremes(pages: (ChunkExtremes | undefined)[], chunks: ChunkTable, block: number): ChunkExtremes {
  const number = block / CHUNKS_PER_PAGE;
  const existingExtremes = pages[number];
  if (existingExtremes !== undefined) return existingExtremes;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < CHUNKS_PER_PAGE; i++) {
    const extremes = chunks.at(block + i)?.figures.extremes;
    if (extremes === undefined) continue;
    if (extremes.least < least) least = extremes.least;
    if (extremes.greatest > greatest) greatest = extremes.greatest;
  }
  const page = { least, greatest };
  pages[number] = page;
  return page;
}
