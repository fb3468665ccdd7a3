import type { Conventions } from '../../functions/coerce.ts';
import type { WorkMeter } from '../../functions/context.ts';
import type { OrderedNumbers } from '../../functions/selection/ordered-numbers.ts';
import { type Area, cellCount } from '../../grid/area.ts';
import { MAX_COLUMNS } from '../../grid/limits.ts';
import { parseNumberText } from '../../locale/index.ts';
import { CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../../sheet/chunk.ts';
import type { Column, Sheet } from '../../sheet/snapshot.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { computeRowDistance, OrderedCells } from './ordered-cells.ts';
import { findFirstRow, type IndexedRows, insertRow, removeRow, toList, unionRows } from './row-lists.ts';
import { TextRows } from './text-rows.ts';

/** Requests for a column before it gets an index. Building one takes as long as a few searches. */
const REQUESTS_BEFORE_INDEX = 3;

/** Maximum rows of all indexed columns together. A row takes about 50 bytes. */
const MAX_INDEXED_ROWS = 2_000_000;
/**
 * Number of requests before a new index may replace an index that the current batch uses. The new index then serves
 * many searches.
 */
const REQUESTS_BEFORE_ROOM = 32;

/** Number of indexed rows that count as one cell of the budget. */
const ROWS_PER_CELL = 16;

const HAS_DIGIT = /[0-9]/;

type IndexKey = number | string | boolean;

/**
 * Finds the rows of a column with a value; texts in any letter case. It stays valid between recalculations: unchanged
 * chunks are the same objects, so only changed chunks are read.
 */
class ColumnIndex {
  private readonly texts = new TextRows();
  private readonly others = new Map<number | boolean, IndexedRows>();
  /**
   * Rows of texts that can be read as a number, by that number. It is built when a criterion needs it: criteria treat
   * such texts as equal to the number.
   */
  private textNumbers: Map<number, IndexedRows> | null = null;
  private synced: { readonly column: Column; readonly writes: number } | null = null;
  /** Number of updates so far. */
  private updateCount = 0;
  private chunks: (Chunk | undefined)[] = [];
  private writes: number[] = [];
  private keys: (IndexKey | undefined)[][] = [];
  private readonly conventions: Conventions;

  constructor(conventions: Conventions) {
    this.conventions = conventions;
  }

  /** Number of covered rows. */
  get size(): number {
    return this.chunks.length << CHUNK_SHIFT;
  }

  /** Updates the index. Discard it if this throws. */
  sync(column: Column, spend: (cells: number) => void): void {
    if (this.isSynced(column)) return;
    const steps = this.syncInSteps(column, spend);
    while (!steps.next().done);
  }

  /** True if the column has not changed since the last update. */
  private isSynced(column: Column): boolean {
    return this.synced?.column === column && this.synced.writes === column.writes;
  }

  /**
   * Updates the index as `sync` does, and pauses after each chunk. Call `sync` afterwards to include changes that were
   * made during the pauses.
   */
  *syncInSteps(column: Column, spend: (cells: number) => void): Generator<void, void> {
    if (this.isSynced(column)) return;
    const turn = ++this.updateCount;
    this.synced = null;
    const { chunks } = column;
    const blocks = Math.max(chunks.length, this.chunks.length);
    for (let block = 0; block < blocks; block++) {
      const chunk = chunks.at(block);
      const writes = chunk?.writes ?? 0;
      if (chunk === this.chunks[block] && writes === this.writes[block]) continue;
      spend(CHUNK_ROWS / ROWS_PER_CELL);
      this.syncChunk(block, chunk);
      this.chunks[block] = chunk;
      this.writes[block] = writes;
      yield;
      this.synced = null;
    }
    if (turn === this.updateCount) this.synced = { column, writes: column.writes };
  }

  /** Replaces the indexed values of a chunk's rows by their current values. */
  private syncChunk(block: number, chunk: Chunk | undefined): void {
    const old = this.keys[block] ?? [];
    const fresh: (IndexKey | undefined)[] = [];
    const first = block << CHUNK_SHIFT;
    const count = Math.max(old.length, chunk?.rows ?? 0);
    for (let i = 0; i < count; i++) {
      const key = chunk ? toIndexKey(chunk.value(i)) : undefined;
      fresh.push(key);
      if (key === old[i]) continue;
      if (old[i] !== undefined) this.removeKey(old[i]!, first + i);
      if (key !== undefined) this.addKey(key, first + i);
    }
    this.keys[block] = fresh;
  }

  /** Adds a row with a value to the index. */
  private addKey(key: IndexKey, row: number): void {
    if (typeof key !== 'string') return insertRow(this.others, key, row);
    this.texts.add(key, row);
    const number = this.textNumbers && this.parseTextNumber(key);
    if (this.textNumbers && number !== null) insertRow(this.textNumbers, number, row);
  }

  /** Removes a row with a value from the index. */
  private removeKey(key: IndexKey, row: number): void {
    if (typeof key !== 'string') return removeRow(this.others, key, row);
    this.texts.remove(key, row);
    const number = this.textNumbers && this.parseTextNumber(key);
    if (this.textNumbers && number !== null) removeRow(this.textNumbers, number, row);
  }

  private parseTextNumber(text: string): number | null {
    if (!HAS_DIGIT.test(text)) return null;
    return parseNumberText(text, this.conventions.locale, this.conventions.dateSystem);
  }

  /**
   * Rows of texts that can be read as numbers, by number. Reads the original spelling of each text, because some texts
   * are numbers in one letter case only.
   */
  private indexTextNumbers(): Map<number, IndexedRows> {
    const rowsByNumber = new Map<number, IndexedRows>();
    const read = new TextMap<number | null>();
    for (const [block, keys] of this.keys.entries()) {
      for (const [at, key] of keys.entries()) {
        if (typeof key !== 'string') continue;
        const cached = read.get(key);
        const number = cached === undefined ? this.parseTextNumber(key) : cached;
        read.set(key, number);
        if (number !== null) insertRow(rowsByNumber, number, (block << CHUNK_SHIFT) + at);
      }
    }
    return rowsByNumber;
  }

  private findRows(value: IndexKey): IndexedRows | undefined {
    return typeof value === 'string' ? this.texts.get(value) : this.others.get(value === 0 ? 0 : value);
  }

  /** The rows that contain a value. `numbersInTexts`: texts that look like the number match too. */
  findEqualRows(value: IndexKey, numbersInTexts: boolean): readonly number[] {
    const rows = this.findRows(value);
    if (!numbersInTexts || typeof value !== 'number') return toList(rows);
    this.textNumbers ??= this.indexTextNumbers();
    return unionRows(rows, this.textNumbers.get(value));
  }

  /** The first row from `top` on with a value; -1 for none. */
  findFirstEqualRow(value: IndexKey, top: number): number {
    return findFirstRow(this.findRows(value), top);
  }
}

/** The key of a cell's value; undefined for blanks and errors, which are not indexed. */
function toIndexKey(value: Scalar): IndexKey | undefined {
  if (value === 0) return 0;
  return value === null || isError(value) ? undefined : value;
}

/** Minimum size, in cells, of an area whose order is kept. Functions sort smaller areas as quickly. */
const MIN_ORDERED_CELLS = 128;
/** Maximum number of ordered areas kept for a column. */
const MAX_ORDERED_AREAS = 4;
/**
 * Maximum distance in rows between the edges of an ordered area and a requested area. Within this distance the ordered
 * area is moved instead of being sorted again.
 */
const MAX_MOVED_ROWS = 512;

interface ColumnIndexSlot {
  index: ColumnIndex | null;
  /** Ordered areas that begin in this column, the oldest first. */
  readonly orders: OrderedCells[];
  /** The last requested areas for which no order existed. */
  readonly requested: Area[];
  /** Number of requests since the column last had no index. */
  requests: number;
  /** Number of the last batch that used the index. */
  batch: number;
}

/** Methods of the calculation that an index calls. */
interface IndexUser extends Conventions, WorkMeter {
  spendCells(cells: number): void;
}

/** The indexes of a document's columns. A column gets one when it is searched often. */
export class ColumnIndexes {
  /** Indexes by column, in order of last use. */
  private readonly slots = new Map<number, ColumnIndexSlot>();
  private rows = 0;
  private batch = 0;

  /** Begins another batch. Indexes that it does not use may be dropped. */
  beginBatch(): void {
    this.batch++;
  }

  /**
   * Returns the updated index of a column. Null if `requests` more requests do not justify an index, or if the memory
   * for indexes is used up.
   */
  requestIndex(
    sheet: number,
    columnNumber: number,
    column: Column,
    user: IndexUser,
    requests: number,
  ): ColumnIndex | null {
    const slot = this.markSlotUsed(sheet * MAX_COLUMNS + columnNumber);
    slot.requests += requests;
    const { index } = slot;
    const rows = column.chunks.length << CHUNK_SHIFT;
    if (index === null && (slot.requests < REQUESTS_BEFORE_INDEX || !this.makeRoom(rows, slot))) return null;
    const columnIndex = index ?? new ColumnIndex({ locale: user.locale, dateSystem: user.dateSystem });
    // Drop an index that is incomplete because the budget was exhausted.
    slot.index = null;
    this.rows -= columnIndex.size;
    columnIndex.sync(column, (cells) => user.spendCells(cells));
    this.rows += columnIndex.size;
    slot.index = columnIndex;
    slot.requests = 0;
    return columnIndex;
  }

  /**
   * Returns the numbers of an area in ascending order. Null if the area is small, if it is requested for the first
   * time, or if the memory for orders is used up.
   */
  requestOrderedNumbers(sheet: Sheet, area: Area, user: IndexUser): OrderedNumbers | null {
    const cells = cellCount(area);
    if (cells < MIN_ORDERED_CELLS) return null;
    const slot = this.markSlotUsed(sheet.id * MAX_COLUMNS + area.left);
    slot.requests++;
    user.spendCells(1);
    const nearest = findNearestOrder(slot.orders, area);
    if (nearest !== null) {
      this.rows += cells - nearest.cells;
      return nearest.updateOrder(sheet, area, user);
    }
    if (!isRequestedAgain(slot.requested, area) || !this.makeRoom(cells, slot)) return null;
    if (slot.orders.length === MAX_ORDERED_AREAS) this.rows -= slot.orders.shift()!.cells;
    const order = new OrderedCells(area);
    slot.orders.push(order);
    this.rows += order.cells;
    return order.updateOrder(sheet, area, user);
  }

  /** The slot of a column, as the most recently used one. Creates it if there is none. */
  private markSlotUsed(key: number): ColumnIndexSlot {
    const existingSlot = this.slots.get(key);
    if (existingSlot?.batch === this.batch) return existingSlot;
    const slot = existingSlot ?? { index: null, orders: [], requested: [], requests: 0, batch: 0 };
    slot.batch = this.batch;
    this.slots.delete(key);
    this.slots.set(key, slot);
    return slot;
  }

  /** Drops the least recently used indexes, except that of `wanting`. Returns true if `rows` more rows then fit. */
  private makeRoom(rows: number, wanting: ColumnIndexSlot): boolean {
    const mayTake = wanting.requests >= REQUESTS_BEFORE_ROOM;
    for (const [key, indexSlot] of this.slots) {
      if (this.rows + rows <= MAX_INDEXED_ROWS || (indexSlot.batch === this.batch && !mayTake)) break;
      if (indexSlot === wanting) continue;
      this.slots.delete(key);
      this.rows -= indexSlot.index?.size ?? 0;
      for (const { cells } of indexSlot.orders) this.rows -= cells;
    }
    return this.rows + rows <= MAX_INDEXED_ROWS;
  }
}

/** The ordered area that needs the fewest steps to become the requested area; null if none is near. */
function findNearestOrder(orders: readonly OrderedCells[], area: Area): OrderedCells | null {
  let best: OrderedCells | null = null;
  let least = MAX_MOVED_ROWS + 1;
  for (const order of orders) {
    const distance = order.measureRowDistance(area);
    if (distance >= least) continue;
    best = order;
    least = distance;
  }
  return best;
}

/** True if the area, or one near it, was requested lately. Otherwise records the area. */
function isRequestedAgain(requested: Area[], area: Area): boolean {
  if (requested.some((other) => computeRowDistance(other, area) <= MAX_MOVED_ROWS)) return true;
  if (requested.length === MAX_ORDERED_AREAS) requested.shift();
  requested.push(area);
  return false;
}
