import { compareTexts } from '../functions/order.ts';
import type { LocaleId } from '../locale/locales.ts';
import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { compareFilled } from './compare-filled.ts';
import { sortCutTexts } from './cut-texts.ts';
import { computePlainKey } from './plain-keys.ts';
import { NUMBERS_PER_STEP, sortAscending } from './radix-sort.ts';
import { SortedRows } from './sorted-rows.ts';

/** Maximum number of rows with values of a type other than the main one. They are sorted at each request. */
const MAX_OTHERS = 256;
/** If more than one in this number of chunks changed, the whole column is sorted again. */
const CHANGES_WORTH_SORTING = 8;
/** Number of changed chunks between two pauses: up to 4,096 rows are moved. */
const CHUNKS_PER_STEP = 16;

/**
 * The filled rows of a column in the order of their values. The main type of the column is numbers, or texts of plain
 * characters. After changes of the document only changed chunks are read again, as in `ColumnHashes`.
 */
export class ColumnOrder {
  private readonly first: number;
  private readonly locale: LocaleId;
  private mainType = NUMBER;
  private sorted = new SortedRows();
  /** Filled rows with values of a type other than the main one. */
  private readonly others = new Set<number>();
  private chunks: (Chunk | undefined)[] = [];
  private synced: Column | null = null;
  /** Number of updates so far. */
  private updateCount = 0;
  private usable = true;

  /** `first`: the first row of the index; earlier rows are ignored. */
  constructor(first: number, locale: LocaleId) {
    this.first = first;
    this.locale = locale;
  }

  /** Number of covered rows. */
  get size(): number {
    return this.chunks.length << CHUNK_SHIFT;
  }

  /** False if too many values of the column are of other types, or cannot be ordered by plain characters. */
  get isUsable(): boolean {
    return this.usable;
  }

  /** True if the order contains the current values of the column. */
  isSyncedWith(column: Column): boolean {
    return this.synced === column;
  }

  /** Updates the order. Pauses regularly; check `isSyncedWith` after it. */
  *updateInSteps(column: Column): Generator<void, void> {
    if (this.synced === column || !this.usable) return;
    const turn = ++this.updateCount;
    this.synced = null;
    const { chunks } = column;
    yield* chunks.makeInSteps();
    if (turn !== this.updateCount) return;
    const changed: number[] = [];
    const blocks = Math.max(chunks.length, this.chunks.length);
    for (let block = 0; block < blocks; block++) if (chunks.at(block) !== this.chunks[block]) changed.push(block);
    if (changed.length * CHANGES_WORTH_SORTING > blocks) yield* this.build(column);
    else {
      for (const [i, block] of changed.entries()) {
        this.replaceChunk(block, chunks.at(block));
        if (!this.usable) return;
        if (i % CHUNKS_PER_STEP !== CHUNKS_PER_STEP - 1) continue;
        yield;
        if (turn !== this.updateCount) return;
      }
      this.chunks.length = chunks.length;
    }
    if (turn === this.updateCount) this.synced = column;
  }

  /** Builds the order from the rows of a column from `first` on, unless it is unusable. Pauses regularly. */
  private *build(column: Column): Generator<void, void> {
    const turn = this.updateCount;
    const chunks = column.chunks.toList();
    const mainType = yield* this.findMajorityType(chunks);
    const unsorted = {
      numbers: new Float64Array(chunks.length << CHUNK_SHIFT),
      rows: new Uint32Array(chunks.length << CHUNK_SHIFT),
    };
    let count = 0;
    const others: number[] = [];
    let visited = 0;
    for (const [block, chunk] of chunks.entries()) {
      if (chunk === undefined) continue;
      const { kinds, numbers } = chunk;
      const start = block << CHUNK_SHIFT;
      const keysByText = mainType === TEXT ? new Float64Array(chunk.texts.count).fill(-1) : NO_KEYS;
      for (let at = Math.max(0, this.first - start); at < kinds.length; at++) {
        const type = kinds[at]! & TYPE_MASK;
        const number = numbers[at]!;
        if (type !== mainType) {
          if (isFilled(chunk, at)) others.push(start + at);
          continue;
        }
        let key = number;
        if (type === TEXT) {
          if (chunk.texts.isEmpty(number)) continue;
          if (keysByText[number] === -1) {
            keysByText[number] = computePlainKey(chunk.texts, number, this.locale);
            visited += chunk.texts.textLength(number);
            if (visited >= NUMBERS_PER_STEP) {
              visited = 0;
              yield;
            }
          }
          key = keysByText[number]!;
          if (Number.isNaN(key)) return this.makeUnusable();
        }
        unsorted.numbers[count] = key;
        unsorted.rows[count++] = start + at;
      }
      if (others.length > MAX_OTHERS) return this.makeUnusable();
      visited += kinds.length;
      if (visited < NUMBERS_PER_STEP) continue;
      visited = 0;
      yield;
    }
    const { numbers: keys, rows } = yield* sortAscending({
      numbers: unsorted.numbers.subarray(0, count),
      rows: unsorted.rows.subarray(0, count),
    });
    const isSorted =
      mainType !== TEXT || (yield* sortCutTexts({ chunks, locale: this.locale }, { numbers: keys, rows }));
    if (turn !== this.updateCount) return;
    if (!isSorted) return this.makeUnusable();
    this.mainType = mainType;
    this.chunks = chunks;
    this.others.clear();
    for (const row of others) this.others.add(row);
    const compare = (a: number, b: number) => compareRows(this.chunks, a, b, this.locale);
    this.sorted = mainType === TEXT ? SortedRows.fromSorted(keys, rows, compare) : SortedRows.fromSorted(keys, rows);
  }

  /** Returns the more frequent of the types number and text. */
  private *findMajorityType(chunks: readonly (Chunk | undefined)[]): Generator<void, number> {
    let excess = 0;
    let visited = 0;
    for (const chunk of chunks) {
      for (const kind of chunk?.kinds ?? []) {
        const type = kind & TYPE_MASK;
        if (type === NUMBER) excess++;
        else if (type === TEXT) excess--;
      }
      visited += chunk?.rows ?? 0;
      if (visited < NUMBERS_PER_STEP) continue;
      visited = 0;
      yield;
    }
    return excess >= 0 ? NUMBER : TEXT;
  }

  /** Drops all rows, because the column has too many values of other types or texts that cannot be ordered by keys. */
  private makeUnusable(): void {
    this.usable = false;
    this.chunks = [];
    this.sorted = new SortedRows();
    this.others.clear();
  }

  /** Replaces the rows of a chunk whose values changed. */
  private replaceChunk(block: number, chunk: Chunk | undefined): void {
    const before = this.chunks[block];
    const start = block << CHUNK_SHIFT;
    const rows = findChangedRows(before, chunk).filter((at) => start + at >= this.first);
    if (before !== undefined) for (const at of rows) this.removeRow(before, at, start + at);
    // `compare` reads the values of rows from these chunks, so they must be up to date.
    this.chunks[block] = chunk;
    if (chunk !== undefined) for (const at of rows) this.addRow(chunk, at, start + at);
    if (this.others.size > MAX_OTHERS) this.makeUnusable();
  }

  /** Removes a row by its value in the old chunk. */
  private removeRow(chunk: Chunk, chunkRow: number, row: number): void {
    if (this.others.delete(row) || !isFilled(chunk, chunkRow)) return;
    this.sorted.remove(this.computeSortKey(chunk, chunkRow), row);
  }

  /** Adds a row by its value in the new chunk. */
  private addRow(chunk: Chunk, chunkRow: number, row: number): void {
    if (!this.usable || !isFilled(chunk, chunkRow)) return;
    if ((chunk.kind(chunkRow) & TYPE_MASK) !== this.mainType) {
      this.others.add(row);
      return;
    }
    const key = this.computeSortKey(chunk, chunkRow);
    if (Number.isNaN(key)) this.makeUnusable();
    else this.sorted.add(key, row);
  }

  /** A number that orders a cell among cells of the main type; NaN for a text without one. */
  private computeSortKey(chunk: Chunk, chunkRow: number): number {
    const number = chunk.number(chunkRow);
    return this.mainType === TEXT ? computePlainKey(chunk.texts, number, this.locale) : number;
  }

  /**
   * Returns the rows whose values of a type are within all bounds, in the order of the values. Null if there are more
   * than `limit`, or if the index does not contain all values of this type.
   */
  findRowsWithin(type: 'number' | 'text', bounds: readonly ValueBound[], limit: number): Uint32Array | null {
    if (type !== (this.mainType === NUMBER ? 'number' : 'text')) return null;
    const { sorted, chunks } = this;
    let from = 0;
    let end = sorted.length;
    for (const { sign, isWithin } of bounds) {
      const holds = type === 'number' ? isWithin : (_: number, row: number) => isWithin(readText(chunks, row));
      const isBelow = (key: number, row: number) => !holds(key, row);
      if (sign > 0) from = Math.max(from, sorted.countFirst(isBelow));
      else end = Math.min(end, sorted.countFirst(holds));
    }
    if (end - from > limit) return null;
    const rows = new Uint32Array(Math.max(0, end - from));
    sorted.copyRows(from, end, rows);
    return rows;
  }

  /**
   * Returns the rows with the given numbers, each of which must occur once. Null if there are more rows than `limit`, or if
   * the index is not of numbers.
   */
  findRowsOf(numbers: readonly number[], limit: number): Uint32Array | null {
    if (this.mainType !== NUMBER) return null;
    const { sorted } = this;
    const ranges: { readonly from: number; readonly end: number }[] = [];
    let count = 0;
    for (const number of numbers) {
      const from = sorted.countFirst((key) => key < number);
      const end = sorted.countFirst((key) => key <= number);
      count += end - from;
      if (count > limit) return null;
      ranges.push({ from, end });
    }
    const rows = new Uint32Array(count);
    let place = 0;
    for (const { from, end } of ranges) {
      sorted.copyRows(from, end, rows, place);
      place += end - from;
    }
    return rows;
  }

  /**
   * Returns the rows at positions `from` to `end - 1` of the order that `sortRows` has for this column only. Null if
   * these include rows without values, which come last.
   */
  readPage(from: number, end: number, isDescending: boolean): Uint32Array | null {
    const total = this.sorted.length + this.others.size;
    if (end > total) return null;
    const { before, after } = this.splitOthers(isDescending);
    const page = new Uint32Array(end - from);
    const middle = before.length;
    const last = middle + this.sorted.length;
    for (let at = from; at < Math.min(end, middle); at++) page[at - from] = before[at]!;
    const [start, stop] = [Math.max(from, middle), Math.min(end, last)];
    if (start < stop) {
      const [first, past] = [start - middle, stop - middle];
      if (isDescending) this.copyDescending(first, past, page, start - from);
      else this.sorted.copyRows(first, past, page, start - from);
    }
    for (let at = Math.max(from, last); at < end; at++) page[at - from] = after[at - last]!;
    return page;
  }

  /**
   * Extends a range of positions so that it contains whole groups of equal values. Null if it includes rows of other
   * types or without values.
   */
  extendToGroups(from: number, end: number, isDescending: boolean): GroupPlaces | null {
    const { length } = this.sorted;
    if (this.others.size > 0 || end > length) return null;
    const [low, high] = isDescending ? [length - end, length - 1 - from] : [from, end - 1];
    const bottom = this.sorted.findEqualRange(low);
    const isOne = high < bottom.end;
    const top = isOne ? bottom : this.sorted.findEqualRange(high);
    if (!isDescending) return { first: bottom.first, end: top.end, isOne };
    return { first: length - top.end, end: length - bottom.first, isOne };
  }

  /** Returns the rows of other types that come before and after the rows of the main type. */
  private splitOthers(isDescending: boolean): {
    readonly before: readonly number[];
    readonly after: readonly number[];
  } {
    if (this.others.size === 0) return NO_OTHERS;
    const cellAt = (row: number) => this.chunks[row >> CHUNK_SHIFT]?.value(row & CHUNK_MASK) ?? null;
    const rows = [...this.others].sort(
      (a, b) => compareFilled(cellAt(a), cellAt(b), isDescending, this.locale) || a - b,
    );
    const main = this.mainType === NUMBER ? 0 : 'x';
    const isBefore = (row: number) => compareFilled(cellAt(row), main, isDescending, this.locale) < 0;
    return { before: rows.filter(isBefore), after: rows.filter((row) => !isBefore(row)) };
  }

  /** Copies rows in descending order; rows with equal values stay in ascending order. */
  private copyDescending(from: number, end: number, target: Uint32Array, offset: number): void {
    const { sorted } = this;
    const { length } = sorted;
    for (let done = from; done < end; ) {
      // The rows with the same value as the row at this position, counted from the end.
      const equal = sorted.findEqualRange(length - 1 - done);
      const skipped = done - (length - equal.end);
      const count = Math.min(equal.end - equal.first - skipped, end - done);
      sorted.copyRows(equal.first + skipped, equal.first + skipped + count, target, offset + done - from);
      done += count;
    }
  }
}

/** Range of positions that begins and ends with a group of equal values. */
interface GroupPlaces {
  readonly first: number;
  readonly end: number;
  /** True if the positions cover exactly one group. */
  readonly isOne: boolean;
}

/** A lower bound (`sign` 1) or an upper bound (`sign` -1) of values. */
export interface ValueBound {
  readonly sign: 1 | -1;
  /** True if a value of the bound's type is within the bound. */
  isWithin(value: number | string): boolean;
}

const NO_KEYS = new Float64Array(0);
const NO_OTHERS = { before: [], after: [] };

/** True if the cell has a value. An empty text counts as an empty cell. */
function isFilled(chunk: Chunk, chunkRow: number): boolean {
  const type = chunk.kind(chunkRow) & TYPE_MASK;
  return type !== EMPTY && !(type === TEXT && chunk.texts.isEmpty(chunk.number(chunkRow)));
}

/** The rows of a chunk whose cells differ. */
function findChangedRows(before: Chunk | undefined, after: Chunk | undefined): readonly number[] {
  if (before !== undefined && after !== undefined) return after.findChangedRows(before);
  return Array.from({ length: (before ?? after)?.rows ?? 0 }, (_, at) => at);
}

/** Compares the texts in two rows. */
function compareRows(chunks: readonly (Chunk | undefined)[], a: number, b: number, locale: LocaleId): number {
  if (a === b) return 0;
  return compareTexts(readText(chunks, a), readText(chunks, b), locale);
}

function readText(chunks: readonly (Chunk | undefined)[], row: number): string {
  const chunk = chunks[row >> CHUNK_SHIFT]!;
  return chunk.texts.decodeOnce(chunk.number(row & CHUNK_MASK));
}
