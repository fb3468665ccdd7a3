import { EMPTY, ERROR, NUMBER, TYPE_MASK } from './cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from './chunk.ts';
import type { ChunkTable } from './chunk-table.ts';

/**
 * The sum of consecutive rows of a column. Ranges that grow row by row (`SUM(A$1:A9)`) continue from the result of the
 * previous range. Whole chunks and the part of the last chunk are summed separately. The order of additions, and with
 * it the last digit, therefore does not depend on this cache.
 */
export class ColumnTotals {
  readonly writes: number;
  readonly top: number;
  bottom: number;
  /** Sum of the chunks before the last one. */
  chunkSum = 0;
  chunkCount = 0;
  /** Sum of the rows of the last chunk so far. */
  partSum = 0;
  partCount = 0;
  /** Number of cells that are not empty. */
  filled = 0;
  /** The first row with an error; -1 for none. */
  errorRow = -1;

  constructor(writes: number, top: number) {
    this.writes = writes;
    this.top = top;
    this.bottom = top - 1;
  }

  get sum(): number {
    return this.chunkSum + this.partSum;
  }

  get count(): number {
    return this.chunkCount + this.partCount;
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
  let totals = column.totals;
  if (totals === null || totals.writes !== column.writes || totals.top !== top || totals.bottom > bottom) {
    totals = new ColumnTotals(column.writes, top);
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
  totals.partCount++;
  totals.filled++;
  totals.bottom = row;
  return true;
}

/** Adds the rows down to `bottom` that the totals do not contain yet. */
function extendTotals(totals: ColumnTotals, column: SummedColumn, bottom: number): void {
  while (totals.bottom < bottom) {
    const row = totals.bottom + 1;
    if ((row & CHUNK_MASK) === 0) {
      totals.chunkSum += totals.partSum;
      totals.chunkCount += totals.partCount;
      totals.partSum = 0;
      totals.partCount = 0;
    }
    const block = row >> CHUNK_SHIFT;
    if (block >= column.chunks.length) {
      totals.bottom = bottom;
      return;
    }
    const last = Math.min(bottom, row | CHUNK_MASK);
    if ((row & CHUNK_MASK) === 0 && last - row === CHUNK_ROWS - 1) addChunk(totals, column, block);
    else addRows(totals, column, row, last);
    totals.bottom = last;
  }
}

function addChunk(totals: ColumnTotals, column: SummedColumn, block: number): void {
  const whole = column.chunks.at(block)?.totals();
  if (!whole) return;
  totals.partSum = whole.sum;
  totals.partCount = whole.count;
  totals.filled += whole.filled;
  if (whole.firstError >= 0 && totals.errorRow < 0) totals.errorRow = (block << CHUNK_SHIFT) + whole.firstError;
}

function addRows(totals: ColumnTotals, column: SummedColumn, first: number, last: number): void {
  const chunk = column.chunks.at(first >> CHUNK_SHIFT);
  if (!chunk) return;
  const { kinds, numbers } = chunk;
  const to = Math.min(last & CHUNK_MASK, kinds.length - 1);
  for (let at = first & CHUNK_MASK; at <= to; at++) {
    if (kinds[at] === EMPTY) continue;
    totals.filled++;
    const type = kinds[at]! & TYPE_MASK;
    if (type === NUMBER) {
      totals.partSum += numbers[at]!;
      totals.partCount++;
    } else if (type === ERROR && totals.errorRow < 0) totals.errorRow = first - (first & CHUNK_MASK) + at;
  }
}
