import { findFirstAtLeast } from '../../functions/sorted.ts';
import { CHUNK_SHIFT } from '../../sheet/chunk.ts';

const NO_ROWS: readonly number[] = [];

/** Rows in order. Most values of a column occur in one row, which needs no list. */
export type IndexedRows = number | IndexedRowList;

/**
 * Rows in ascending order, grouped by chunk: adding or removing a row moves only the rows of its chunk. The list of all
 * rows is built on demand.
 */
class IndexedRowList {
  /** Numbers of the chunks that contain rows of the list, in ascending order. */
  private readonly blocks: number[] = [];
  /** The sorted rows of each chunk, in the order of `blocks`. */
  private readonly parts: number[][] = [];
  private count = 0;
  private whole: readonly number[] | null = null;

  static from(...rows: readonly number[]): IndexedRowList {
    const list = new IndexedRowList();
    for (const row of rows) list.add(row);
    return list;
  }

  get size(): number {
    return this.count;
  }

  add(row: number): void {
    this.whole = null;
    this.count++;
    const block = row >> CHUNK_SHIFT;
    const { blocks, parts } = this;
    const last = blocks.length - 1;
    const at = last < 0 || blocks[last]! < block ? last + 1 : findFirstAtLeast(blocks, block);
    if (blocks[at] !== block) {
      blocks.splice(at, 0, block);
      parts.splice(at, 0, [row]);
      return;
    }
    const part = parts[at]!;
    if (part[part.length - 1]! < row) part.push(row);
    else part.splice(findFirstAtLeast(part, row), 0, row);
  }

  remove(row: number): void {
    const { blocks, parts } = this;
    const at = findFirstAtLeast(blocks, row >> CHUNK_SHIFT);
    const part = parts[at];
    const place = part ? findFirstAtLeast(part, row) : 0;
    if (part?.[place] !== row) return;
    this.whole = null;
    this.count--;
    part.splice(place, 1);
    if (part.length > 0) return;
    blocks.splice(at, 1);
    parts.splice(at, 1);
  }

  /** Returns the first row from `top` on; -1 for none. */
  findFirstRow(top: number): number {
    const { blocks, parts } = this;
    const at = findFirstAtLeast(blocks, top >> CHUNK_SHIFT);
    const part = parts[at];
    if (part === undefined) return -1;
    if (part[part.length - 1]! >= top) return part[findFirstAtLeast(part, top)]!;
    return parts[at + 1]?.[0] ?? -1;
  }

  /** All rows in ascending order. The returned list does not change later. */
  toArray(): readonly number[] {
    this.whole ??= this.parts.length === 1 ? this.parts[0]!.slice() : this.parts.flat();
    return this.whole;
  }
}

/** Adds a row that the list does not contain. May change the list in place. */
export function addRow(rows: IndexedRows, row: number): IndexedRows {
  if (typeof rows === 'number') return IndexedRowList.from(rows, row);
  rows.add(row);
  return rows;
}

/** Removes a row; undefined if none is left. May change the list in place. */
export function deleteRow(rows: IndexedRows, row: number): IndexedRows | undefined {
  if (typeof rows === 'number') return rows === row ? undefined : rows;
  rows.remove(row);
  return rows.size === 0 ? undefined : rows;
}

/** A map from keys to the rows that contain them. */
interface RowsByKey<K> {
  get(key: K): IndexedRows | undefined;
  set(key: K, rows: IndexedRows): unknown;
  delete(key: K): unknown;
}

export function insertRow<K>(lists: RowsByKey<K>, key: K, row: number): void {
  const rows = lists.get(key);
  lists.set(key, rows === undefined ? row : addRow(rows, row));
}

export function removeRow<K>(lists: RowsByKey<K>, key: K, row: number): void {
  const rows = lists.get(key);
  const left = rows === undefined ? undefined : deleteRow(rows, row);
  if (left === undefined) lists.delete(key);
  else lists.set(key, left);
}

export function toList(rows: IndexedRows | undefined): readonly number[] {
  if (rows === undefined) return NO_ROWS;
  return typeof rows === 'number' ? [rows] : rows.toArray();
}

/** Returns the first row from `top` on; -1 for none. */
export function findFirstRow(rows: IndexedRows | undefined, top: number): number {
  if (rows === undefined) return -1;
  if (typeof rows === 'number') return rows >= top ? rows : -1;
  return rows.findFirstRow(top);
}

/** The rows of two lists, in order. */
export function unionRows(a: IndexedRows | undefined, b: IndexedRows | undefined): readonly number[] {
  if (a === undefined) return toList(b);
  if (b === undefined) return toList(a);
  return toList(a)
    .concat(toList(b))
    .sort((x, y) => x - y);
}
