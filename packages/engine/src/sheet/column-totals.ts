import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, ERROR, NUMBER, TYPE_MASK } from './chunk.ts';
import type { Column } from './snapshot.ts';

/** Numbers of some rows of a column, added up; `errorRow` is the first row with an error, then the rest is not added. */
export interface ColumnTotals {
  readonly sum: number;
  readonly count: number;
  readonly errorRow: number;
}

/**
 * How far the last sum of a column got. Ranges that grow row by row (`SUM(A$1:A9)`) go on from there. Whole chunks and
 * the part of the last one are kept apart, so that the order of additions, and with it the last digit, is the same as
 * without the memory.
 */
export interface TotalsMemory {
  readonly writes: number;
  readonly top: number;
  bottom: number;
  /** Of the chunks before the last one. */
  sum: number;
  count: number;
  /** Of the last chunk's rows so far. */
  partSum: number;
  partCount: number;
  errorRow: number;
}

export function columnTotals(column: Column, top: number, bottom: number): ColumnTotals {
  let memory = column.totals;
  if (memory === null || memory.writes !== column.writes || memory.top !== top || memory.bottom > bottom) {
    memory = { writes: column.writes, top, bottom: top - 1, sum: 0, count: 0, partSum: 0, partCount: 0, errorRow: -1 };
    column.totals = memory;
  }
  if (memory.errorRow < 0) extend(memory, column, bottom);
  return { sum: memory.sum + memory.partSum, count: memory.count + memory.partCount, errorRow: memory.errorRow };
}

function extend(memory: TotalsMemory, column: Column, bottom: number): void {
  while (memory.bottom < bottom && memory.errorRow < 0) {
    const row = memory.bottom + 1;
    if ((row & CHUNK_MASK) === 0) {
      memory.sum += memory.partSum;
      memory.count += memory.partCount;
      memory.partSum = 0;
      memory.partCount = 0;
    }
    const block = row >> CHUNK_SHIFT;
    if (block >= column.chunks.length) {
      memory.bottom = bottom;
      return;
    }
    const last = Math.min(bottom, row | CHUNK_MASK);
    if ((row & CHUNK_MASK) === 0 && last - row === CHUNK_ROWS - 1) addChunk(memory, column, block);
    else addRows(memory, column, row, last);
    memory.bottom = last;
  }
}

function addChunk(memory: TotalsMemory, column: Column, block: number): void {
  const totals = column.chunks[block]?.totals();
  if (!totals) return;
  memory.partSum = totals.sum;
  memory.partCount = totals.count;
  if (totals.firstError >= 0) memory.errorRow = (block << CHUNK_SHIFT) + totals.firstError;
}

function addRows(memory: TotalsMemory, column: Column, first: number, last: number): void {
  const chunk = column.chunks[first >> CHUNK_SHIFT];
  if (!chunk) return;
  const { kinds, numbers } = chunk;
  const to = Math.min(last & CHUNK_MASK, kinds.length - 1);
  for (let at = first & CHUNK_MASK; at <= to; at++) {
    const type = (kinds[at] as number) & TYPE_MASK;
    if (type === NUMBER) {
      memory.partSum += numbers[at] as number;
      memory.partCount++;
    } else if (type === ERROR) {
      memory.errorRow = first - (first & CHUNK_MASK) + at;
      return;
    }
  }
}
