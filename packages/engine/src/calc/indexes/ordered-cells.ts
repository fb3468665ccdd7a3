import type { WorkMeter } from '../../functions/context.ts';
import { sortNumbers } from '../../functions/numeric/summary.ts';
import type { OrderedNumbers } from '../../functions/selection/ordered-numbers.ts';
import { SortedNumbers } from '../../functions/selection/sorted-numbers.ts';
import { type Area, cellCount } from '../../grid/area.ts';
import { NUMBER, TYPE_MASK } from '../../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../../sheet/chunk.ts';
import type { Column, Sheet } from '../../sheet/snapshot.ts';

/** Element of a copied chunk for a cell without a number. */
const NO_NUMBER = Number.NaN;
const NO_NUMBERS = new Float64Array(0);
/** If more than one in this number of cells changed, all cells are sorted again. */
const CHANGES_WORTH_SORTING = 8;

/** The numbers of a chunk at the time when they were ordered. */
interface ChunkCopy {
  chunk: Chunk | undefined;
  writes: number;
  numbers: Float64Array;
}

/** One column of the ordered cells. */
interface ColumnCopy {
  column: Column | undefined;
  writes: number;
  /** Copies by block of 256 rows, from the block of the first row on. */
  chunks: ChunkCopy[];
}

/**
 * The numbers of an area in ascending order. After edits, only chunks that differ from the copies of their numbers are
 * read again. The order can move to an overlapping area of the same columns, by adding and removing rows. Costs 24
 * bytes per cell.
 */
export class OrderedCells {
  private area: Area;
  private numbers = new SortedNumbers();
  private columns: ColumnCopy[] = [];
  /** False while the order does not match the area, for example after an interruption. */
  private isBuilt = false;

  constructor(area: Area) {
    this.area = area;
  }

  get cells(): number {
    return cellCount(this.area);
  }

  /** Number of rows by which the top and bottom edges of the two areas differ; infinite for other columns. */
  measureRowDistance(area: Area): number {
    return computeRowDistance(this.area, area);
  }

  /** Returns the ordered numbers of an area with the same columns. Applies the changes since the last call. */
  updateOrder(sheet: Sheet, area: Area, context: WorkMeter): OrderedNumbers {
    const moves = area.top !== this.area.top || area.bottom !== this.area.bottom;
    const changes = this.isBuilt ? this.countChanges(sheet) : Number.POSITIVE_INFINITY;
    if (changes === 0 && !moves) return this.numbers;
    const steps = changes * CHUNK_ROWS + computeRowDistance(this.area, area);
    this.isBuilt = false;
    if (steps * CHANGES_WORTH_SORTING > this.cells || this.area.top >> CHUNK_SHIFT !== area.top >> CHUNK_SHIFT) {
      this.area = area;
      this.sortAll(sheet, context);
    } else {
      context.reportWork(steps);
      for (const [i, copy] of this.columns.entries()) this.syncColumn(copy, sheet.columns[this.area.left + i]);
      if (moves) this.moveToArea(sheet, area);
    }
    this.isBuilt = true;
    return this.numbers;
  }

  /** Number of rows whose numbers differ from the copies, for all columns of the area. */
  private countChanges(sheet: Sheet): number {
    let changes = 0;
    for (let i = 0; i < this.columns.length; i++) {
      changes += countChanged(this.columns[i]!, sheet.columns[this.area.left + i], this.area);
    }
    return changes;
  }

  /** Orders the cells of the area from scratch. */
  private sortAll(sheet: Sheet, context: WorkMeter): void {
    const { area } = this;
    this.columns = [];
    const numbers: number[] = [];
    for (let at = area.left; at <= area.right; at++) {
      const copy = copyColumn(sheet.columns[at], area);
      this.columns.push(copy);
      for (let row = area.top; row <= this.findLastRow(copy); row++) {
        const number = readCopiedNumber(copy, area, row);
        if (!Number.isNaN(number)) numbers.push(number);
      }
      context.reportWork(area.bottom - area.top + 1);
    }
    this.numbers = SortedNumbers.fromAscending(sortNumbers(numbers, context));
  }

  /** The last row of the area for which the column's copy has a chunk. */
  private findLastRow({ chunks }: ColumnCopy): number {
    return Math.min(this.area.bottom, (((this.area.top >> CHUNK_SHIFT) + chunks.length) << CHUNK_SHIFT) - 1);
  }

  /** Updates the copies of a column's chunks and moves its changed numbers in the order. */
  private syncColumn(copy: ColumnCopy, column: Column | undefined): void {
    if (copy.column === column && copy.writes === (column?.writes ?? 0)) return;
    const { top, bottom } = this.area;
    const first = top >> CHUNK_SHIFT;
    const blocks = Math.max(copy.chunks.length, countBlocks(column, this.area));
    for (let i = 0; i < blocks; i++) {
      const chunk = column?.chunks.at(first + i);
      const chunkCopy = copy.chunks[i] ?? { chunk: undefined, writes: 0, numbers: NO_NUMBERS };
      copy.chunks[i] = chunkCopy;
      if (chunkCopy.chunk === chunk && chunkCopy.writes === (chunk?.writes ?? 0)) continue;
      const fresh = copyNumbers(chunk);
      const begin = (first + i) << CHUNK_SHIFT;
      const to = Math.min(bottom - begin, CHUNK_MASK);
      for (let at = Math.max(top - begin, 0); at <= to; at++) {
        const before = chunkCopy.numbers[at] ?? NO_NUMBER;
        const after = fresh[at] ?? NO_NUMBER;
        if (before === after) continue;
        this.putNumber(before, false);
        this.putNumber(after, true);
      }
      chunkCopy.chunk = chunk;
      chunkCopy.writes = chunk?.writes ?? 0;
      chunkCopy.numbers = fresh;
    }
    copy.column = column;
    copy.writes = column?.writes ?? 0;
  }

  /** Adds and removes rows at the edges. The copies are up to date, and the first block stays the same. */
  private moveToArea(sheet: Sheet, area: Area): void {
    const before = this.area;
    for (const [i, copy] of this.columns.entries()) {
      const column = sheet.columns[area.left + i];
      const wanted = countBlocks(column, area);
      const first = area.top >> CHUNK_SHIFT;
      while (copy.chunks.length < wanted) copy.chunks.push(copyChunk(column?.chunks.at(first + copy.chunks.length)));
      const put = (row: number, isIn: boolean) => this.putNumber(readCopiedNumber(copy, area, row), isIn);
      for (let row = before.bottom + 1; row <= area.bottom; row++) put(row, true);
      for (let row = area.bottom + 1; row <= before.bottom; row++) put(row, false);
      for (let row = area.top; row < before.top; row++) put(row, true);
      for (let row = before.top; row < area.top; row++) put(row, false);
    }
    this.area = area;
  }

  /**
   * Adds a cell's number to the order, or removes it. `number`: the element of a copy, `NO_NUMBER` for a cell without a
   * number.
   */
  private putNumber(number: number, isIn: boolean): void {
    if (Number.isNaN(number)) return;
    if (isIn) this.numbers.add(number);
    else this.numbers.remove(number);
  }
}

/** Number of rows by which the top and bottom edges of two areas differ; infinite for other columns. */
export function computeRowDistance(a: Area, b: Area): number {
  if (a.left !== b.left || a.right !== b.right) return Number.POSITIVE_INFINITY;
  return Math.abs(a.top - b.top) + Math.abs(a.bottom - b.bottom);
}

/** Number of the column's chunks that contain rows of an area. */
function countBlocks(column: Column | undefined, { top, bottom }: Area): number {
  const end = Math.min((bottom >> CHUNK_SHIFT) + 1, column?.chunks.length ?? 0);
  return Math.max(0, end - (top >> CHUNK_SHIFT));
}

function copyColumn(column: Column | undefined, area: Area): ColumnCopy {
  const chunks: ChunkCopy[] = [];
  const first = area.top >> CHUNK_SHIFT;
  const blocks = countBlocks(column, area);
  for (let i = 0; i < blocks; i++) chunks.push(copyChunk(column?.chunks.at(first + i)));
  return { column, writes: column?.writes ?? 0, chunks };
}

function copyChunk(chunk: Chunk | undefined): ChunkCopy {
  return { chunk, writes: chunk?.writes ?? 0, numbers: copyNumbers(chunk) };
}

function copyNumbers(chunk: Chunk | undefined): Float64Array {
  if (chunk === undefined) return NO_NUMBERS;
  const copy = chunk.numbers.slice();
  if (chunk.isAllNumbers) return copy;
  const { kinds } = chunk;
  for (let at = 0; at < copy.length; at++) if ((kinds[at]! & TYPE_MASK) !== NUMBER) copy[at] = NO_NUMBER;
  return copy;
}

function countChanged(copy: ColumnCopy, column: Column | undefined, area: Area): number {
  if (copy.column === column && copy.writes === (column?.writes ?? 0)) return 0;
  const firstBlock = area.top >> CHUNK_SHIFT;
  const blocks = Math.max(copy.chunks.length, countBlocks(column, area));
  let changed = 0;
  for (let i = 0; i < blocks; i++) {
    const chunkCopy = copy.chunks[i];
    const now = column?.chunks.at(firstBlock + i);
    if (now !== chunkCopy?.chunk || (now?.writes ?? 0) !== (chunkCopy?.writes ?? 0)) changed++;
  }
  return changed;
}

/** The copied number of a row; `NO_NUMBER` for none. */
function readCopiedNumber({ chunks }: ColumnCopy, { top }: Area, row: number): number {
  return chunks[(row >> CHUNK_SHIFT) - (top >> CHUNK_SHIFT)]?.numbers[row & CHUNK_MASK] ?? NO_NUMBER;
}
