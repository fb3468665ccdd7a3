import { firstAtLeast } from '../functions/sorted.ts';

const NO_ROWS: readonly number[] = [];

/** Rows in order; most values of a column stand in one row, which needs no list. */
export type Rows = number | number[];

/** Rows with one more, which is not among them yet. A list is changed in place. */
export function withRow(rows: Rows, row: number): Rows {
  if (typeof rows === 'number') return rows < row ? [rows, row] : [row, rows];
  if ((rows[rows.length - 1] as number) < row) rows.push(row);
  else rows.splice(firstAtLeast(rows, row), 0, row);
  return rows;
}

/** Rows without one; undefined where none is left. A list is changed in place. */
export function withoutRow(rows: Rows, row: number): Rows | undefined {
  if (typeof rows === 'number') return rows === row ? undefined : rows;
  const at = firstAtLeast(rows, row);
  if (rows[at] === row) rows.splice(at, 1);
  return rows.length === 0 ? undefined : rows;
}

export function insertRow<K>(lists: Map<K, Rows>, key: K, row: number): void {
  const rows = lists.get(key);
  lists.set(key, rows === undefined ? row : withRow(rows, row));
}

export function removeRow<K>(lists: Map<K, Rows>, key: K, row: number): void {
  const rows = lists.get(key);
  const left = rows === undefined ? undefined : withoutRow(rows, row);
  if (left === undefined) lists.delete(key);
  else lists.set(key, left);
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
