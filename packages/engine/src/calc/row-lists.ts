import { firstAtLeast } from '../functions/sorted.ts';
import { CHUNK_SHIFT } from '../sheet/chunk.ts';

const NO_ROWS: readonly number[] = [];

/** Rows in order. Most values of a column occur in one row, which needs no list. */
export type Rows = number | RowList;

/**
 * Rows in order, grouped by chunk: adding or removing one moves only rows of its chunk. The whole list is made on
 * demand.
 */
class RowList {
  /** Chunks that contain some of the rows, in order. */
  private readonly blocks: number[] = [];
  /** A sorted list of rows for each of these chunks. */
  private readonly parts: number[][] = [];
  private count = 0;
  private whole: readonly number[] | null = null;

  static of(...rows: readonly number[]): RowList {
    const list = new RowList();
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
    const at = last < 0 || blocks[last]! < block ? last + 1 : firstAtLeast(blocks, block);
    if (blocks[at] !== block) {
      blocks.splice(at, 0, block);
      parts.splice(at, 0, [row]);
      return;
    }
    const part = parts[at]!;
    if (part[part.length - 1]! < row) part.push(row);
    else part.splice(firstAtLeast(part, row), 0, row);
  }

  remove(row: number): void {
    const { blocks, parts } = this;
    const at = firstAtLeast(blocks, row >> CHUNK_SHIFT);
    const part = parts[at];
    const place = part ? firstAtLeast(part, row) : 0;
    if (part?.[place] !== row) return;
    this.whole = null;
    this.count--;
    part.splice(place, 1);
    if (part.length > 0) return;
    blocks.splice(at, 1);
    parts.splice(at, 1);
  }

  /** The first row from `top` on; -1 for none. */
  first(top: number): number {
    const { blocks, parts } = this;
    const at = firstAtLeast(blocks, top >> CHUNK_SHIFT);
    const part = parts[at];
    if (part === undefined) return -1;
    if (part[part.length - 1]! >= top) return part[firstAtLeast(part, top)]!;
    return parts[at + 1]?.[0] ?? -1;
  }

  /** All rows of the key, in order. The returned list does not change later. */
  all(): readonly number[] {
    this.whole ??= this.parts.length === 1 ? this.parts[0]!.slice() : this.parts.flat();
    return this.whole;
  }
}

/** Adds a new row. May change the list in place. */
export function addRow(rows: Rows, row: number): Rows {
  if (typeof rows === 'number') return RowList.of(rows, row);
  rows.add(row);
  return rows;
}

/** Removes a row; undefined if none is left. May change the list in place. */
export function deleteRow(rows: Rows, row: number): Rows | undefined {
  if (typeof rows === 'number') return rows === row ? undefined : rows;
  rows.remove(row);
  return rows.size === 0 ? undefined : rows;
}

/** A map from keys to the rows that contain them. */
interface RowsByKey<K> {
  get(key: K): Rows | undefined;
  set(key: K, rows: Rows): unknown;
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

export function toList(rows: Rows | undefined): readonly number[] {
  if (rows === undefined) return NO_ROWS;
  return typeof rows === 'number' ? [rows] : rows.all();
}

/** The first row from `top` on; -1 for none. */
export function firstRow(rows: Rows | undefined, top: number): number {
  if (rows === undefined) return -1;
  if (typeof rows === 'number') return rows >= top ? rows : -1;
  return rows.first(top);
}

/** The rows of two lists, in order. */
export function unionRows(a: Rows | undefined, b: Rows | undefined): readonly number[] {
  if (a === undefined) return toList(b);
  if (b === undefined) return toList(a);
  return toList(a)
    .concat(toList(b))
    .sort((x, y) => x - y);
}
