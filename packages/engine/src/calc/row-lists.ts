import { firstAtLeast } from '../functions/sorted.ts';

/** Rows in order; most values of a column stand in one row, which needs no list. */
export type Rows = number | number[];

/** Rows with one more, which is not among them yet. A list is changed in place. */
export function withRow(rows: Rows, row: number): Rows {
  if (typeof rows === 'number') return rows < row ? [rows, row] : [row, rows];
  if ((rows[rows.length - 1] as number) < row) rows.push(row);
  else rows.splice(firstAtLeast(rows, row), 0, row);
  return rows;
}

/** Rows without one; null where none is left. A list is changed in place. */
export function withoutRow(rows: Rows, row: number): Rows | null {
  if (typeof rows === 'number') return rows === row ? null : rows;
  const at = firstAtLeast(rows, row);
  if (rows[at] === row) rows.splice(at, 1);
  return rows.length === 0 ? null : rows;
}

export function insertRow<K>(lists: Map<K, Rows>, key: K, row: number): void {
  const rows = lists.get(key);
  if (typeof rows !== 'object') lists.set(key, rows === undefined ? row : withRow(rows, row));
  else withRow(rows, row);
}

export function removeRow<K>(lists: Map<K, Rows>, key: K, row: number): void {
  const rows = lists.get(key);
  if (rows !== undefined && withoutRow(rows, row) === null) lists.delete(key);
}

export function listOf(rows: Rows | undefined): readonly number[] {
  if (rows === undefined) return NO_ROWS;
  return typeof rows === 'number' ? [rows] : rows;
}

/** A list of its own. */
export function union(a: Rows | undefined, b: Rows): Rows {
  if (a === undefined) return typeof b === 'number' ? b : b.slice();
  return listOf(a)
    .concat(listOf(b))
    .sort((x, y) => x - y);
}

const NO_ROWS: readonly number[] = [];
