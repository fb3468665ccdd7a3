import { EMPTY, ERROR, NUMBER, TEXT, TYPE_MASK } from './cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from './chunk.ts';
import { CHUNKS_PER_PAGE, isPageStart, PAGE_ROWS } from './chunk-page.ts';
import type { ChunkTable } from './chunk-table.ts';
import type { ChunkTotals } from './chunk-totals.ts';

/**
 * The sum of consecutive rows of a column. Ranges that grow row by row (`SUM(A$1:A9)`) continue from the result of the
 * previous range. Whole pages, whole chunks of the last page, and the part of the last chunk are summed separately. The
 * order of additions, and with it the last digit, therefore does not depend on this cache.
 */
export class ColumnTotals {
  readonly writes: number;
  readonly top: number;
  bottom: number;
  /** Totals of whole pages that were needed so far, by page number. Ranges with other top rows reuse them. */
  readonly pages: (ChunkTotals | undefined)[];
  /** Sum of the pages before the last one. */
  pageSum = 0;
  /** Sum of the chunks of the last page before its last one. */
  chunkSum = 0;
  /** Sum of the rows of the last chunk so far. */
  partSum = 0;
  count = 0;
  /** Number of cells that are not empty. */
  filled = 0;
  /** Number of empty texts, which COUNTBLANK counts as blank. */
  emptyTexts = 0;
  /** The first row with an error; -1 for none. */
  errorRow = -1;

  constructor(writes: number, top: number, pages: (ChunkTotals | undefined)[]) {
    this.writes = writes;
    this.top = top;
    this.bottom = top - 1;
    this.pages = pages;
  }

  get sum(): number {
    return this.pageSum + (this.chunkSum + this.partSum);
  }
}

/** The parts of a column from which totals are computed. */
interface SummedColumn {
  readonly chunks: ChunkTable;
  readonly writes: number;
  totals: ColumnTotals | null;
}

/** Returns the totals of rows `top` to `bottom`. Valid until the next call for the column. */
export function getColumnTotals(column: SummedColumn, top: number, bottom: number): ColumnTotals {
  let { totals } = column;
  if (totals === null || totals.writes !== column.writes || totals.top !== top || totals.bottom > bottom) {
    totals = new ColumnTotals(column.writes, top, totals?.writes === column.writes ? totals.pages : []);
    column.totals = totals;
  }
  if (totals.bottom < bottom && !addNumber(totals, column, bottom)) extendTotals(totals, column, bottom);
  return totals;
}

/**
 * Fast path for most growing ranges: adds one row of a chunk that contains only numbers. Returns false for other
 * chunks.
 */
function addNumber(totals: ColumnTotals, column: SummedColumn, row: number): boolean {
  const at = row & CHUNK_MASK;
  const chunk = column.chunks.at(row >> CHUNK_SHIFT);
  if (totals.bottom !== row - 1 || at === 0 || !chunk || !chunk.isAllNumbers || at >= chunk.rows) return false;
  totals.partSum += chunk.number(at);
  totals.count++;
  totals.filled++;
  totals.bottom = row;
  return true;
}

/** Adds the rows down to `bottom` that the totals do not contain yet. */
function extendTotals(totals: ColumnTotals, column: SummedColumn, bottom: number): void {
  while (totals.bottom < bottom) {
    const row = totals.bottom + 1;
    const block = row >> CHUNK_SHIFT;
    if ((row & CHUNK_MASK) === 0) {
      totals.chunkSum += totals.partSum;
      totals.partSum = 0;
      if (isPageStart(block)) {
        totals.pageSum += totals.chunkSum;
        totals.chunkSum = 0;
      }
    }
    if (block >= column.chunks.length) {
      totals.bottom = bottom;
      return;
    }
    const left = bottom - row + 1;
    if (isPageStart(block) && (row & CHUNK_MASK) === 0 && left >= PAGE_ROWS) {
      totals.chunkSum = includeTotals(totals, getPageTotals(totals.pages, column, block), row);
      totals.bottom = row + PAGE_ROWS - 1;
      continue;
    }
    const last = Math.min(bottom, row | CHUNK_MASK);
    if (last - row === CHUNK_ROWS - 1) {
      const chunk = column.chunks.at(block);
      if (chunk) totals.partSum = includeTotals(totals, chunk.figures.totals, row);
    } else addRows(totals, column, row, last);
    totals.bottom = last;
  }
}

/** Adds the counts and the first error of a chunk or page that begins at `row`. Returns its sum. */
function includeTotals(totals: ColumnTotals, added: ChunkTotals, row: number): number {
  totals.count += added.count;
  totals.filled += added.filled;
  totals.emptyTexts += added.emptyTexts;
  if (added.firstError >= 0 && totals.errorRow < 0) totals.errorRow = row + added.firstError;
  return added.sum;
}

/** The totals of the page that begins at a block. Its chunks are added in order, as in a range that grows. */
function getPageTotals(pages: (ChunkTotals | undefined)[], column: SummedColumn, block: number): ChunkTotals {
  const number = block / CHUNKS_PER_PAGE;
  const existingTotals = pages[number];
  if (existingTotals !== undefined) return existingTotals;
  let sum = 0;
  let count = 0;
  let filled = 0;
  let emptyTexts = 0;
  let firstError = -1;
  for (let i = 0; i < CHUNKS_PER_PAGE; i++) {
    const totals = column.chunks.at(block + i)?.figures.totals;
    if (totals === undefined) continue;
    sum += totals.sum;
    count += totals.count;
    filled += totals.filled;
    emptyTexts += totals.emptyTexts;
    if (totals.firstError >= 0 && firstError < 0) firstError = (i << CHUNK_SHIFT) + totals.firstError;
  }
  const totals = { sum, count, filled, emptyTexts, firstError };
  pages[number] = totals;
  return totals;
}

function addRows(totals: ColumnTotals, column: SummedColumn, first: number, last: number): void {
  const chunk = column.chunks.at(first >> CHUNK_SHIFT);
  if (!chunk) return;
  const { kinds, numbers, texts } = chunk;
  const to = Math.min(last & CHUNK_MASK, kinds.length - 1);
  for (let at = first & CHUNK_MASK; at <= to; at++) {
    if (kinds[at] === EMPTY) continue;
    totals.filled++;
    const type = kinds[at]! & TYPE_MASK;
    if (type === NUMBER) {
      totals.partSum += numbers[at]!;
      totals.count++;
    } else if (type === TEXT) totals.emptyTexts += Number(texts.isEmpty(numbers[at]!));
    else if (type === ERROR && totals.errorRow < 0) totals.errorRow = first - (first & CHUNK_MASK) + at;
  }
}
