import { CHUNK_MASK, CHUNK_SHIFT } from './chunk.ts';
import { CHUNKS_PER_PAGE, isPageStart, PAGE_ROWS } from './chunk-page.ts';
import type { ChunkTable } from './chunk-table.ts';
import { computeRowStatistics, NumberStatistics } from './number-statistics.ts';

/**
 * Statistics of consecutive rows of a column. Ranges that grow row by row (`STDEV(A$1:A9)`) continue from the whole
 * chunks of the previous range. Pages, chunks and rows are combined in the same order for every range, so that the last
 * digit does not depend on this cache.
 */
export class ColumnStatistics {
  readonly writes: number;
  readonly top: number;
  /** Statistics of whole pages that were needed so far, by page number. Ranges with other top rows reuse them. */
  readonly pages: (NumberStatistics | undefined)[];
  /** One past the last row of the chunks that `pageTotal` and `chunkTotal` contain. */
  end: number;
  /** Statistics of the pages before the last one. */
  pageTotal = new NumberStatistics();
  /** Statistics of the chunks of the last page, up to `end`. */
  chunkTotal = new NumberStatistics();
  /** The last result, and the bottom row of its range. */
  total = new NumberStatistics();
  bottom = -1;

  constructor(writes: number, top: number, pages: (NumberStatistics | undefined)[]) {
    this.writes = writes;
    this.top = top;
    this.end = top;
    this.pages = pages;
  }
}

/** The parts of a column from which statistics are computed. */
interface MeasuredColumn {
  readonly chunks: ChunkTable;
  readonly writes: number;
  statistics: ColumnStatistics | null;
}

/** Returns the statistics of rows `top` to `bottom` of a column. */
export function getColumnStatistics(column: MeasuredColumn, top: number, bottom: number): NumberStatistics {
  let state = column.statistics;
  if (state === null || state.writes !== column.writes || state.top !== top || state.end > bottom + 1) {
    state = new ColumnStatistics(column.writes, top, state?.writes === column.writes ? state.pages : []);
    column.statistics = state;
  }
  if (state.bottom === bottom) return state.total;
  const { chunks } = column;
  extendStatistics(state, chunks, bottom);
  const total = new NumberStatistics();
  total.include(state.pageTotal);
  total.include(state.chunkTotal);
  const chunk = chunks.at(state.end >> CHUNK_SHIFT);
  if (chunk !== undefined && state.end <= bottom) {
    const last = Math.min(bottom, state.end | CHUNK_MASK);
    total.include(computeRowStatistics(chunk, state.end & CHUNK_MASK, last & CHUNK_MASK));
  }
  state.total = total;
  state.bottom = bottom;
  return total;
}

/** Adds the chunks that end at `bottom` or before. */
function extendStatistics(state: ColumnStatistics, chunks: ChunkTable, bottom: number): void {
  for (;;) {
    const { end } = state;
    const block = end >> CHUNK_SHIFT;
    if (block >= chunks.length || (end | CHUNK_MASK) > bottom) return;
    const isStart = (end & CHUNK_MASK) === 0;
    if (isStart && isPageStart(block)) {
      state.pageTotal.include(state.chunkTotal);
      state.chunkTotal = new NumberStatistics();
      if (bottom - end >= PAGE_ROWS - 1) {
        state.chunkTotal.include(getPageStatistics(state.pages, chunks, block));
        state.end += PAGE_ROWS;
        continue;
      }
    }
    const chunk = chunks.at(block);
    if (chunk !== undefined) {
      const part = isStart ? chunk.figures.statistics : computeRowStatistics(chunk, end & CHUNK_MASK, CHUNK_MASK);
      state.chunkTotal.include(part);
    }
    state.end = (end | CHUNK_MASK) + 1;
  }
}

/** The statistics of the page that begins at a block. */
function getPageStatistics(
  pages: (NumberStatistics | undefined)[],
  chunks: ChunkTable,
  block: number,
): NumberStatistics {
  const number = block / CHUNKS_PER_PAGE;
  const existingStatistics = pages[number];
  if (existingStatistics !== undefined) return existingStatistics;
  const page = new NumberStatistics();
  for (let i = 0; i < CHUNKS_PER_PAGE; i++) {
    const chunk = chunks.at(block + i);
    if (chunk !== undefined) page.include(chunk.figures.statistics);
  }
  pages[number] = page;
  return page;
}
