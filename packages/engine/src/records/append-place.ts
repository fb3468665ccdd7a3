import type { Snapshot, Table } from '../sheet/snapshot.ts';
import type { Region } from './region.ts';

/** Position at which records are appended. */
export interface AppendPlace {
  /** The first row to write, zero-based. */
  readonly row: number;
  /** The row above, whose formulas are filled down; null if that row is not a record. */
  readonly above: number | null;
  /** Rows to insert before writing, so that cells below a table move down. */
  readonly inserted: { readonly at: number; readonly count: number } | null;
}

/**
 * Returns the position below the last filled row of the region's columns. In a table, it is below the last filled row
 * of the table, and above its totals row and all rows below.
 */
export function appendPlace(snapshot: Snapshot, region: Region, table: Table | null, count: number): AppendPlace {
  const columns = snapshot.sheetById(region.sheet)?.columns ?? [];
  const columnIndexes = table === null ? region.columns.map(({ column }) => column) : listColumns(table);
  const filled = Math.max(0, ...columnIndexes.map((column) => columns[column]?.filledRows() ?? 0));
  const first = region.header + 1;
  if (table === null) {
    const row = Math.max(filled, first);
    return { row, above: row > first ? row - 1 : null, inserted: null };
  }
  const end = table.area.bottom + (table.totalsRow ? 0 : 1);
  const row = Math.max(first, findEndOfFilled(snapshot, region.sheet, columnIndexes, first, Math.min(end, filled)));
  const missing = row + count - end;
  const isInTheWay = table.totalsRow || filled > end;
  const inserted = missing > 0 && isInTheWay ? { at: end, count: missing } : null;
  return { row, above: row > first ? row - 1 : null, inserted };
}

/** The numbers of a table's columns. */
function listColumns({ area: { left, right } }: Table): readonly number[] {
  return Array.from({ length: right - left + 1 }, (_, i) => left + i);
}

/** Returns one past the last row before `end` with content in the columns; `first` if there is none. */
function findEndOfFilled(
  snapshot: Snapshot,
  sheetId: number,
  columns: readonly number[],
  first: number,
  end: number,
): number {
  const sheet = snapshot.sheetById(sheetId);
  for (let row = end - 1; row >= first; row--) {
    if (columns.some((column) => (sheet?.kind(row, column) ?? 0) !== 0)) return row + 1;
  }
  return first;
}
