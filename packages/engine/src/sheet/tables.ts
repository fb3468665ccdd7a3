import type { Node, TableNode } from '../formula/ast.ts';
import {
  createAreaNode,
  createCellNode,
  createCoordinate,
  nameKey,
  REF_ERROR,
  transformTree,
} from '../formula/index.ts';
import { type Area, area, contains } from '../grid/area.ts';
import { groupBy } from '../value/group-by.ts';
import type { Table } from './snapshot.ts';

/** The cells of a structured reference. `thisRow`: the reference means only the formula's own row of the area. */
interface TablePart {
  readonly table: Table;
  readonly area: Area;
  readonly thisRow: boolean;
}

/** Returns the part of a table that a structured reference means; null if the column or part does not exist. */
export function resolveTablePart(node: TableNode, table: Table): TablePart | null {
  const from = node.from === undefined ? 0 : findTableColumn(table, node.from);
  const to =
    node.to === undefined
      ? node.from === undefined
        ? table.columns.length - 1
        : from
      : findTableColumn(table, node.to);
  if (from < 0 || to < 0) return null;
  const left = table.area.left + Math.min(from, to);
  const right = table.area.left + Math.max(from, to);
  const dataTop = table.area.top + (table.headerRow ? 1 : 0);
  const dataBottom = table.area.bottom - (table.totalsRow ? 1 : 0);
  if (node.items.includes('thisRow')) return { table, area: area(dataTop, left, dataBottom, right), thisRow: true };
  const rows = resolveTableRows(node, table, dataTop, dataBottom);
  return rows && { table, area: area(rows.top, left, rows.bottom, right), thisRow: false };
}

/** Returns the table of a structured reference. Without a name it is the table that contains the formula's cell. */
export function findTable(
  name: string,
  cell: { readonly sheet: number; readonly row: number; readonly column: number },
  tables: readonly Table[],
): Table | undefined {
  if (name === '') return listSheetTables(cell.sheet, tables).find((t) => contains(t.area, cell.row, cell.column));
  return findTableByName(name, tables);
}

const BY_SHEET = new WeakMap<readonly Table[], ReadonlyMap<number, readonly Table[]>>();

/** Returns the tables of a sheet. The result is cached with the list. */
function listSheetTables(sheet: number, tables: readonly Table[]): readonly Table[] {
  let bySheet = BY_SHEET.get(tables);
  if (bySheet === undefined) {
    bySheet = groupBy(tables, (table) => table.sheet);
    BY_SHEET.set(tables, bySheet);
  }
  return bySheet.get(sheet) ?? [];
}

const BY_KEY = new WeakMap<readonly Table[], ReadonlyMap<string, Table>>();

/** Finds a table by name. The index is cached with the list, which never changes. */
export function findTableByName(name: string, tables: readonly Table[]): Table | undefined {
  if (tables.length === 0) return undefined;
  let byKey = BY_KEY.get(tables);
  if (!byKey) {
    // If several tables have the same name, the first one counts.
    byKey = new Map(tables.toReversed().map((table) => [nameKey(table.name), table]));
    BY_KEY.set(tables, byKey);
  }
  return byKey.get(nameKey(name));
}

const COLUMN_INDEXES = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/**
 * Returns the index of a column by name; -1 if there is none. The index is cached with the list of names, which never
 * changes.
 */
function findTableColumn({ columns }: Table, name: string): number {
  let indexes = COLUMN_INDEXES.get(columns);
  if (indexes === undefined) {
    indexes = indexColumns(columns);
    COLUMN_INDEXES.set(columns, indexes);
  }
  return indexes.get(name) ?? indexes.get(nameKey(name)) ?? -1;
}

/**
 * Returns the position of each column by its name and by the key of its name. The exact name is found without folding.
 * If several columns have one key, the first one counts.
 */
function indexColumns(columns: readonly string[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [i, column] of columns.entries()) {
    const key = nameKey(column);
    const first = indexes.get(key) ?? i;
    indexes.set(key, first);
    indexes.set(column, first);
  }
  return indexes;
}

function resolveTableRows(node: TableNode, table: Table, dataTop: number, dataBottom: number) {
  const items = node.items.length === 0 ? ['data'] : node.items;
  let top = Number.POSITIVE_INFINITY;
  let bottom = -1;
  const include = (first: number, last: number) => {
    top = Math.min(top, first);
    bottom = Math.max(bottom, last);
  };
  for (const item of items) {
    if (item === 'all') include(table.area.top, table.area.bottom);
    else if (item === 'data') include(dataTop, dataBottom);
    else if (item === 'headers' && table.headerRow) include(table.area.top, table.area.top);
    else if (item === 'totals' && table.totalsRow) include(table.area.bottom, table.area.bottom);
  }
  return bottom < 0 ? null : { top, bottom };
}

/**
 * Replaces structured references to a table by plain references. `name`: the name of the table, or empty for references
 * without a name.
 */
export function replaceTable(node: Node, table: Table, name: string, ownSheet: number): Node {
  const key = nameKey(name);
  return transformTree(node, (next) => {
    if (next.k === 'name' && next.sheet === undefined && name !== '' && nameKey(next.name) === key) {
      return createPlainReference({ k: 'table', table: name, items: [] }, table, ownSheet);
    }
    return next.k === 'table' && nameKey(next.table) === key ? createPlainReference(next, table, ownSheet) : next;
  });
}

function createPlainReference(node: TableNode, table: Table, ownSheet: number): Node {
  const part = resolveTablePart(node, table);
  if (part === null) return REF_ERROR;
  const { area: cells, thisRow } = part;
  const sheet = table.sheet === ownSheet ? undefined : { id: table.sheet };
  const fixed = (line: number) => createCoordinate(line, true);
  const [top, bottom] = thisRow
    ? [createCoordinate(0, false), createCoordinate(0, false)]
    : [fixed(cells.top), fixed(cells.bottom)];
  const isCell = cells.left === cells.right && (thisRow || cells.top === cells.bottom);
  if (isCell) return createCellNode(sheet, top, fixed(cells.left));
  return createAreaNode(sheet, top, fixed(cells.left), bottom, fixed(cells.right));
}
