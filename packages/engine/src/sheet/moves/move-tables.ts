import { nameKey } from '../../formula/index.ts';
import { type Area, isSameArea } from '../../grid/area.ts';
import { type Move, moveCell, shiftReference, touchesBlock } from '../../grid/move.ts';
import type { Table } from '../snapshot.ts';

/** The header cell of a column that a move added to a table. */
export interface NewHeader {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly name: string;
}

type HeaderPosition = Omit<NewHeader, 'name'>;

/** A table after a move. */
export interface MovedTable {
  readonly table: Table;
  /** The headers of new columns. */
  readonly headers: readonly NewHeader[];
  /** Header cells that are overwritten by other moved cells. */
  readonly others: readonly HeaderPosition[];
}

/** Returns a table after a move; null if it is deleted. */
export function moveTable(table: Table, move: Move): MovedTable | null {
  const { sheet, area } = table;
  const to = shiftReference(move, { sheet, area });
  if (to === null) return null;
  const isInPlace = to.sheet === sheet && isSameArea(to.area, area);
  const isReordered = move.kind === 'reorder' && touchesBlock(move, table);
  if (isInPlace && !isReordered) return { table, headers: [], others: findReplacedHeaders(table, move) };
  const top = table.headerRow ? moveHeaderRow(table, move, to.area) : null;
  const headerRow = top !== null;
  const totalsRow = table.totalsRow && moveRow(table, move, area.bottom) === to.area.bottom;
  const columns = moveColumnNames(table, to.area, move);
  const areaAfter = headerRow ? { ...to.area, top } : to.area;
  const headers = columns.flatMap((name, i): readonly NewHeader[] =>
    headerRow && !table.columns.includes(name) ? [{ sheet: to.sheet, row: top, column: areaAfter.left + i, name }] : [],
  );
  const after = { ...table, sheet: to.sheet, area: areaAfter, headerRow, totalsRow, columns };
  return { table: isUnmoved(table, after) ? table : after, headers, others: [] };
}

/** True if a move did not change a table. */
function isUnmoved(a: Table, b: Table): boolean {
  const areRows = a.headerRow === b.headerRow && a.totalsRow === b.totalsRow;
  return (
    areRows && a.sheet === b.sheet && isSameArea(a.area, b.area) && a.columns.every((name, i) => name === b.columns[i])
  );
}

/**
 * Returns the row of a table's headers after a move. Rows above it leave the table. Null if the header row moved below
 * the other rows or out of the table.
 */
function moveHeaderRow(table: Table, move: Move, { top, bottom }: Area): number | null {
  const row = moveRow(table, move, table.area.top);
  return row === top || (row !== null && row > top && row < bottom) ? row : null;
}

function moveRow({ sheet, area }: Table, move: Move, row: number): number | null {
  if (move.kind !== 'carry' && move.axis === 'columns') return row;
  return moveCell(move, sheet, row, area.left)?.row ?? null;
}

/** Returns the header cells of a table that are overwritten by moved cells. The table itself does not move. */
function findReplacedHeaders({ sheet, area, headerRow }: Table, move: Move): readonly HeaderPosition[] {
  const { top, left, right } = area;
  if (!headerRow || !touchesBlock(move, { sheet, area: { ...area, bottom: top } })) return [];
  const places = Array.from({ length: right - left + 1 }, (_, i) => ({ sheet, row: top, column: left + i }));
  return places.filter(({ column }) => {
    const to = moveCell(move, sheet, top, column);
    return to === null || to.sheet !== sheet || to.row !== top || to.column !== column;
  });
}

/** Returns the column names after a move: existing columns keep their names, added columns get new ones. */
function moveColumnNames(table: Table, area: Area, move: Move): readonly string[] {
  if (move.kind === 'carry' || move.axis === 'rows') return table.columns;
  const namesByColumn = new Map<number, string>();
  table.columns.forEach((name, i) => {
    const cell = moveCell(move, table.sheet, table.area.top, table.area.left + i);
    if (cell) namesByColumn.set(cell.column, name);
  });
  const used = new Set([...namesByColumn.values()].map(nameKey));
  return Array.from({ length: area.right - area.left + 1 }, (_, i) => {
    const name = namesByColumn.get(area.left + i) ?? findFreeName(used);
    used.add(nameKey(name));
    return name;
  });
}

function findFreeName(usedNames: ReadonlySet<string>): string {
  for (let n = 1; ; n++) if (!usedNames.has(nameKey(`Column${n}`))) return `Column${n}`;
}
