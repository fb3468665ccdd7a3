import { nameKey } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import { type Move, movedCell, movedReference } from '../grid/move.ts';
import type { Table } from './snapshot.ts';

/** A header cell that a column new to a table gets. */
export interface NewHeader {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly name: string;
}

/** A table after a move, and the headers of columns that came into it; null where it is lost. */
export function movedTable(
  table: Table,
  move: Move,
): { readonly table: Table; readonly headers: readonly NewHeader[] } | null {
  const { sheet, area } = table;
  const to = movedReference(move, { sheet, area });
  if (to === null) return null;
  if (to.sheet === sheet && sameArea(to.area, area) && !isReordered(table, move)) return { table, headers: [] };
  const headerRow = table.headerRow && !isLostRow(table, move, area.top);
  const totalsRow = table.totalsRow && !isLostRow(table, move, area.bottom);
  const columns = columnsAfter(table, to.area, move);
  const headers = columns.flatMap((name, i): readonly NewHeader[] =>
    headerRow && !table.columns.includes(name)
      ? [{ sheet: to.sheet, row: to.area.top, column: to.area.left + i, name }]
      : [],
  );
  return { table: { ...table, sheet: to.sheet, area: to.area, headerRow, totalsRow, columns }, headers };
}

function sameArea(a: Area, b: Area): boolean {
  return a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
}

function isReordered({ sheet }: Table, move: Move): boolean {
  return move.kind === 'reorder' && move.sheet === sheet && move.axis === 'columns';
}

function isLostRow({ sheet, area }: Table, move: Move, row: number): boolean {
  return move.kind === 'delete' && move.axis === 'rows' && movedCell(move, sheet, row, area.left) === null;
}

/** Names by their places: columns take theirs along, new ones get names of their own. */
function columnsAfter(table: Table, area: Area, move: Move): readonly string[] {
  if (move.kind === 'carry' || move.axis === 'rows') return table.columns;
  const held = new Map<number, string>();
  table.columns.forEach((name, i) => {
    const cell = movedCell(move, table.sheet, table.area.top, table.area.left + i);
    if (cell) held.set(cell.column, name);
  });
  const taken = new Set([...held.values()].map(nameKey));
  return Array.from({ length: area.right - area.left + 1 }, (_, i) => {
    const name = held.get(area.left + i) ?? freeName(taken);
    taken.add(nameKey(name));
    return name;
  });
}

function freeName(taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) if (!taken.has(nameKey(`Column${n}`))) return `Column${n}`;
}
