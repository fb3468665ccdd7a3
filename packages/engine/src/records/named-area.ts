import type { AreaNode, CellNode, NameNode, Node, TableNode } from '../formula/ast.ts';
import { nameKey, parse, WIRE } from '../formula/index.ts';
import { findNameInScope } from '../graph/names-in-scope.ts';
import type { OpenArea } from '../grid/area.ts';
import type { Snapshot, Table } from '../sheet/snapshot.ts';
import { columnKey } from './region.ts';

/** The cells of a table or a defined name. */
export interface NamedArea {
  /** The sheet's id. */
  readonly sheet: number;
  readonly area: OpenArea;
  /** The table, if the cells are records of a table; else null. */
  readonly table: Table | null;
}

const ORIGIN = { row: 0, column: 0 };

/**
 * Returns the cells that a text names: `Orders`, a table or a defined name that refers to cells; `Sheet!name`, a name
 * of one sheet; or a structured reference (`Orders[#All]`, `Orders[[Number]:[Sum]]`). Null for other texts.
 */
export function findNamedArea(snapshot: Snapshot, text: string): NamedArea | null {
  const table = findTable(snapshot, text);
  if (table !== null) return toTableArea(table, table.area.left, table.area.right);
  const name = snapshot.names.find(
    (definedName) => definedName.sheet === undefined && nameKey(definedName.name) === nameKey(text),
  );
  const names = { findSheetId: (sheet: string) => snapshot.sheetByName(sheet)?.id ?? -1 };
  return toNamedArea(snapshot, name?.node ?? parse(text, WIRE, ORIGIN, names));
}

function findTable(snapshot: Snapshot, name: string): Table | null {
  return snapshot.tables.find((table) => nameKey(table.name) === nameKey(name)) ?? null;
}

/** The cells that a parsed text names; null if it is no reference, name or table. */
function toNamedArea(snapshot: Snapshot, node: Node): NamedArea | null {
  switch (node.k) {
    case 'parentheses':
      return toNamedArea(snapshot, node.arg);
    case 'cell':
    case 'area':
      return toCellArea(snapshot, node);
    case 'table':
      return toStructuredArea(snapshot, node);
    case 'name':
      return findNameOnSheet(snapshot, node);
    default:
      return null;
  }
}

/** Finds the name in `Sheet!name`: a name of this sheet, or else a name of the document, as in formulas. */
function findNameOnSheet(snapshot: Snapshot, { name, sheet }: NameNode): NamedArea | null {
  if (sheet === undefined || !('id' in sheet) || !snapshot.hasSheet(sheet.id)) return null;
  const node = findNameInScope(name, sheet.id, snapshot.names)?.node;
  // Does not follow a name that refers to another name, because it may be circular.
  return node === undefined || node.k === 'name' ? null : toNamedArea(snapshot, node);
}

/** The cells of a reference to one existing sheet; null for others. */
function toCellArea(snapshot: Snapshot, node: CellNode | AreaNode): NamedArea | null {
  const { sheet } = node;
  const id = sheet !== undefined && 'id' in sheet ? sheet.id : null;
  if (id === null || !snapshot.hasSheet(id)) return null;
  if (node.k === 'cell') {
    const [top, left] = [node.row.at, node.column.at];
    return {
      sheet: id,
      area: { top, left, bottom: top, right: left, openRows: false, openColumns: false },
      table: null,
    };
  }
  const [top, bottom] = orderPair(node.top.at, node.bottom.at);
  const [left, right] = orderPair(node.left.at, node.right.at);
  const openRows = node.whole === 'columns' || node.open === true;
  return { sheet: id, area: { top, left, bottom, right, openRows, openColumns: node.whole === 'rows' }, table: null };
}

/** The two numbers in ascending order. */
function orderPair(a: number, b: number): readonly [number, number] {
  return a <= b ? [a, b] : [b, a];
}

/** The cells of a structured reference to data; null if there is no such table or column, or for its other parts. */
function toStructuredArea(snapshot: Snapshot, { table: name, items, from, to }: TableNode): NamedArea | null {
  const table = findTable(snapshot, name);
  if (table === null || !items.every((item) => item === 'all' || item === 'data')) return null;
  const { left, right } = table.area;
  if (from === undefined) return toTableArea(table, left, right);
  const [first, last] = [from, to ?? from].map((column) => {
    return table.columns.findIndex((name) => columnKey(name) === columnKey(column));
  }) as [number, number];
  return first < 0 || last < first ? null : toTableArea(table, left + first, left + last);
}

/** Returns the header and the records of a table, without its totals row. */
function toTableArea(table: Table, left: number, right: number): NamedArea {
  const { area, headerRow, totalsRow } = table;
  const top = headerRow ? area.top : area.top - 1;
  const bottom = totalsRow ? area.bottom - 1 : area.bottom;
  return { sheet: table.sheet, area: { top, left, bottom, right, openRows: false, openColumns: false }, table };
}
