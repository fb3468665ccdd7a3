import type { Timed } from '../functions/context.ts';
import { sortNumbers } from '../functions/numeric/summary.ts';
import { SortedNumbers } from '../functions/sorted-numbers.ts';
import { type Area, cellCount } from '../grid/area.ts';
import { ERROR, NUMBER, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column, Sheet } from '../sheet/snapshot.ts';
import type { Scalar } from '../value/scalar.ts';

/** What a copy holds of a cell without a number. */
const NO_NUMBER = Number.NaN;
/** Cells are ordered again as a whole if more of them changed than one in this many. */
const CHANGES_WORTH_SORTING = 8;

/** The numbers of a chunk as they were when they were ordered. */
interface ChunkCopy {
  chunk: Chunk | undefined;
  writes: number;
  numbers: Float64Array;
}

/** One column of the ordered cells. */
interface ColumnCopy {
  column: Column | undefined;
  writes: number;
  /** By block, from the block of the first row on. */
  chunks: ChunkCopy[];
}

/**
 * The numbers of an area in ascending order, and its errors. Follows edits by comparing changed chunks with copies of
 * their numbers, and moves to areas beside it by adding and removing rows. Costs 24 bytes per cell.
 */
export class OrderedCells {
  private area: Area;
  private numbers = new SortedNumbers();
  private columns: ColumnCopy[] = [];
  /** Cells with an error: their offset in the area's columns, column by column as functions visit them. */
  private readonly errors = new Set<number>();
  private firstError = -1;
  /** False while the order does not belong to the area, as after an interruption. */
  private isBuilt = false;

  constructor(area: Area) {
    this.area = area;
  }

  get ascending(): SortedNumbers {
    return this.numbers;
  }

  get cells(): number {
    return cellCount(this.area);
  }

  /** Rows between the areas' top and bottom edges; infinite for other columns. */
  distanceTo(area: Area): number {
    return rowsApart(this.area, area);
  }

  /** Follows what changed since the last call, and moves to an area of the same columns. */
  follow(sheet: Sheet, area: Area, context: Timed): void {
    const moves = area.top !== this.area.top || area.bottom !== this.area.bottom;
    const changes = this.isBuilt ? this.countChanges(sheet) : Number.POSITIVE_INFINITY;
    if (changes === 0 && !moves) return;
    const steps = changes * CHUNK_ROWS + rowsApart(this.area, area);
    this.isBuilt = false;
    if (steps * CHANGES_WORTH_SORTING > this.cells || this.area.top >> CHUNK_SHIFT !== area.top >> CHUNK_SHIFT) {
      this.area = area;
      this.build(sheet, context);
    } else {
      context.pass(steps);
      for (const [i, copy] of this.columns.entries()) this.syncColumn(copy, sheet.columns[this.area.left + i], i);
      if (moves) this.move(sheet, area);
    }
    this.isBuilt = true;
  }

  private countChanges(sheet: Sheet): number {
    let changes = 0;
    for (let i = 0; i < this.columns.length; i++) {
      changes += countChanged(this.columns[i]!, sheet.columns[this.area.left + i], this.area);
    }
    return changes;
  }

  /** Orders the cells of the area from scratch. */
  private build(sheet: Sheet, context: Timed): void {
    const { area } = this;
    this.errors.clear();
    this.firstError = -1;
    this.columns = [];
    const found: number[] = [];
    for (let at = area.left; at <= area.right; at++) {
      const copy = copyColumn(sheet.columns[at], area);
      this.columns.push(copy);
      for (let row = area.top; row <= this.lastRow(copy); row++) {
        const number = numberIn(copy, area, row);
        if (!Number.isNaN(number)) found.push(number);
      }
      this.collectErrors(sheet.columns[at], at);
      context.pass(area.bottom - area.top + 1);
    }
    this.numbers = SortedNumbers.of(sortNumbers(found, context));
  }

  /** The first error of the area, column by column; null if there is none. */
  error(sheet: Sheet): Scalar {
    if (this.errors.size === 0) return null;
    if (this.firstError < 0) {
      this.firstError = Number.POSITIVE_INFINITY;
      for (const place of this.errors) if (place < this.firstError) this.firstError = place;
    }
    const column = Math.floor(this.firstError / ROW_SPAN);
    return sheet.value(this.firstError % ROW_SPAN, this.area.left + column);
  }

  private lastRow({ chunks }: ColumnCopy): number {
    return Math.min(this.area.bottom, (((this.area.top >> CHUNK_SHIFT) + chunks.length) << CHUNK_SHIFT) - 1);
  }

  private syncColumn(copy: ColumnCopy, column: Column | undefined, index: number): void {
    if (copy.column === column && copy.writes === (column?.writes ?? 0)) return;
    const { top, bottom } = this.area;
    const first = top >> CHUNK_SHIFT;
    const blocks = Math.max(copy.chunks.length, blocksIn(column, this.area));
    for (let i = 0; i < blocks; i++) {
      const chunk = column?.chunks.at(first + i);
      const held = copy.chunks[i] ?? { chunk: undefined, writes: 0, numbers: NO_NUMBERS };
      copy.chunks[i] = held;
      if (held.chunk === chunk && held.writes === (chunk?.writes ?? 0)) continue;
      const fresh = copyNumbers(chunk);
      const begin = (first + i) << CHUNK_SHIFT;
      const to = Math.min(bottom - begin, CHUNK_MASK);
      for (let at = Math.max(top - begin, 0); at <= to; at++) {
        const before = held.numbers[at] ?? NO_NUMBER;
        const after = fresh[at] ?? NO_NUMBER;
        this.setError(index, begin + at, chunk, at);
        if (before === after) continue;
        if (!Number.isNaN(before)) this.numbers.remove(before);
        if (!Number.isNaN(after)) this.numbers.add(after);
      }
      held.chunk = chunk;
      held.writes = chunk?.writes ?? 0;
      held.numbers = fresh;
    }
    copy.column = column;
    copy.writes = column?.writes ?? 0;
  }

  private setError(index: number, row: number, chunk: Chunk | undefined, at: number): void {
    const isError = chunk !== undefined && (chunk.kind(at) & TYPE_MASK) === ERROR;
    const place = index * ROW_SPAN + row;
    if (isError) this.addError(place);
    else if (this.errors.delete(place) && place === this.firstError) this.firstError = -1;
  }

  private addError(place: number): void {
    const isEarlier = this.errors.size === 0 || (this.firstError >= 0 && place < this.firstError);
    this.errors.add(place);
    if (isEarlier) this.firstError = place;
  }

  private collectErrors(column: Column | undefined, at: number): void {
    const { top, bottom, left } = this.area;
    for (let block = top >> CHUNK_SHIFT; block < (column?.chunks.length ?? 0); block++) {
      const begin = block << CHUNK_SHIFT;
      if (begin > bottom) return;
      const chunk = column?.chunks.at(block);
      if (chunk === undefined || chunk.isAllNumbers) continue;
      const to = Math.min(bottom - begin, chunk.rows - 1);
      for (let i = Math.max(top - begin, 0); i <= to; i++) {
        if ((chunk.kind(i) & TYPE_MASK) === ERROR) this.addError((at - left) * ROW_SPAN + begin + i);
      }
    }
  }

  /** Adds and removes rows at the edges. The copies are up to date, and the first block stays the same. */
  private move(sheet: Sheet, area: Area): void {
    const before = this.area;
    for (const [i, copy] of this.columns.entries()) {
      const column = sheet.columns[before.left + i];
      const wanted = blocksIn(column, area);
      const first = area.top >> CHUNK_SHIFT;
      while (copy.chunks.length < wanted) copy.chunks.push(copyChunk(column?.chunks.at(first + copy.chunks.length)));
      const put = (row: number, isIn: boolean) => this.moveRow(copy, i, row, isIn);
      for (let row = before.bottom + 1; row <= area.bottom; row++) put(row, true);
      for (let row = area.bottom + 1; row <= before.bottom; row++) put(row, false);
      for (let row = area.top; row < before.top; row++) put(row, true);
      for (let row = before.top; row < area.top; row++) put(row, false);
    }
    this.area = area;
  }

  private moveRow(copy: ColumnCopy, index: number, row: number, isIn: boolean): void {
    const held = copy.chunks[(row >> CHUNK_SHIFT) - (this.area.top >> CHUNK_SHIFT)];
    const at = row & CHUNK_MASK;
    const number = held?.numbers[at] ?? NO_NUMBER;
    if (!Number.isNaN(number)) {
      if (isIn) this.numbers.add(number);
      else this.numbers.remove(number);
    } else this.setError(index, row, isIn ? held?.chunk : undefined, at);
  }
}

const NO_NUMBERS = new Float64Array(0);
/** More than the rows of a sheet: places of errors are `column * ROW_SPAN + row`. */
const ROW_SPAN = 2 ** 21;

/** Rows between the edges of two areas of the same columns; infinite for other columns. */
export function rowsApart(a: Area, b: Area): number {
  if (a.left !== b.left || a.right !== b.right) return Number.POSITIVE_INFINITY;
  return Math.abs(a.top - b.top) + Math.abs(a.bottom - b.bottom);
}

function blocksIn(column: Column | undefined, { top, bottom }: Area): number {
  const end = Math.min((bottom >> CHUNK_SHIFT) + 1, column?.chunks.length ?? 0);
  return Math.max(0, end - (top >> CHUNK_SHIFT));
}

function copyColumn(column: Column | undefined, area: Area): ColumnCopy {
  const chunks: ChunkCopy[] = [];
  const first = area.top >> CHUNK_SHIFT;
  const blocks = blocksIn(column, area);
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
  const blocks = Math.max(copy.chunks.length, blocksIn(column, area));
  let changed = 0;
  for (let i = 0; i < blocks; i++) {
    const held = copy.chunks[i];
    const now = column?.chunks.at(firstBlock + i);
    if (now !== held?.chunk || (now?.writes ?? 0) !== (held?.writes ?? 0)) changed++;
  }
  return changed;
}

function numberIn({ chunks }: ColumnCopy, { top }: Area, row: number): number {
  return chunks[(row >> CHUNK_SHIFT) - (top >> CHUNK_SHIFT)]?.numbers[row & CHUNK_MASK] ?? NO_NUMBER;
}
