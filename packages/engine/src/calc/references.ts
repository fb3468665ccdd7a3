import type { AreaNode, CellNode, SheetPart, TableNode } from '../formula/ast.ts';
import { pickAt } from '../functions/formats.ts';
import { Lambda, Matrix, Reference, type SheetArea, type Value } from '../functions/value.ts';
import { resolveCoordinate } from '../graph/precedent.ts';
import { resolveSheetPart } from '../graph/sheet-parts.ts';
import { intersection } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { findTable, findTableByName, resolveTablePart } from '../sheet/tables.ts';
import { NULL_ERROR, REF, VALUE } from '../value/errors.ts';
import type { Code, Evaluation } from './evaluation.ts';

/** Compiles the value of a cell, which is read directly without a Reference. */
export function compileCell(node: CellNode): Code {
  const { row, column, sheet } = node;
  if (sheet && !('id' in sheet)) {
    const reference = compileCellReference(node);
    return (e, env) => e.dereference(reference(e, env));
  }
  const id = sheet ? sheet.id : null;
  return (e) => {
    const r = row.absolute ? row.at : e.row + row.at;
    const c = column.absolute ? column.at : e.column + column.at;
    if (r < 0 || c < 0 || r >= MAX_ROWS || c >= MAX_COLUMNS) return REF;
    return e.readCell(id ?? e.sheet, r, c);
  };
}

/** Compiles a Reference to one cell. */
export function compileCellReference(node: CellNode): Code {
  return (e) => {
    const row = resolveCoordinate(node.row, e.row);
    const column = resolveCoordinate(node.column, e.column);
    return createReferenceInSheets(e, node.sheet, row, column, row, column);
  };
}

export function compileArea(node: AreaNode): Code {
  return (e) => {
    const top = resolveCoordinate(node.top, e.row);
    const bottom = resolveCoordinate(node.bottom, e.row);
    const left = resolveCoordinate(node.left, e.column);
    const right = resolveCoordinate(node.right, e.column);
    return createReferenceInSheets(
      e,
      node.sheet,
      Math.min(top, bottom),
      Math.min(left, right),
      Math.max(top, bottom),
      Math.max(left, right),
    );
  };
}

/**
 * Creates a reference to an area of the named sheets; `#REF!` if it is outside the grid or a sheet is hidden from the
 * writer.
 */
function createReferenceInSheets(
  e: Evaluation,
  part: SheetPart | undefined,
  top: number,
  left: number,
  bottom: number,
  right: number,
): Value {
  if (top < 0 || left < 0 || bottom >= MAX_ROWS || right >= MAX_COLUMNS) return REF;
  if (!part) return e.isReadRefused(e.sheet) ? REF : new Reference([{ sheet: e.sheet, top, left, bottom, right }]);
  const areas = resolveSheetPart(part, e.sheet, e).map((sheet) => ({ sheet, top, left, bottom, right }));
  // A reference reveals sizes and formats even if its cells are not read. No reference is therefore made to a sheet
  // that the writer may not read.
  return areas.length === 0 || areas.some(({ sheet }) => e.isReadRefused(sheet))
    ? REF
    : new Reference(areas as [SheetArea, ...SheetArea[]]);
}

export function compileTable(node: TableNode): Code {
  return (e) => resolveTable(e, node);
}

/** The value of a structured reference: a reference to cells of the table, or an error. */
function resolveTable(e: Evaluation, node: TableNode): Value {
  const table = findTable(node.table, e, e.tables);
  if (!table || !e.canNameSheet(table.sheet)) return REF;
  const part = resolveTablePart(node, table);
  if (!part) return REF;
  const { left, right, top, bottom } = part.area;
  if (!part.thisRow) return new Reference([{ sheet: part.table.sheet, top, left, bottom, right }]);
  if (e.row < top || e.row > bottom) return VALUE;
  return new Reference([{ sheet: part.table.sheet, top: e.row, left, bottom: e.row, right }]);
}

/**
 * Returns the cells below the header of a table, for a formula that contains only the table's name; null if there is no
 * such table.
 */
export function resolveTableName(e: Evaluation, name: string): Value | null {
  if (!findTableByName(name, e.tables)) return null;
  return resolveTable(e, { k: 'table', table: name, items: [] });
}

/**
 * The operator `@`: returns the cell of a range in the formula's own row or column, or the first element of an array.
 */
export function intersectImplicitly(e: Evaluation, value: Value): Value {
  if (value instanceof Matrix) return pickAt(e, value, 0);
  if (value instanceof Lambda || !(value instanceof Reference)) return value;
  const [only, ...others] = value.areas;
  if (others.length > 0) return VALUE;
  const { sheet, top, left, bottom, right } = only;
  const row = top === bottom ? top : e.row >= top && e.row <= bottom ? e.row : -1;
  const column = left === right ? left : e.column >= left && e.column <= right ? e.column : -1;
  if (row < 0 || column < 0) return VALUE;
  return new Reference([{ sheet, top: row, left: column, bottom: row, right: column }]);
}

/** The operator `#` (`A1#`): returns the area that spilled from A1. */
export function resolveSpill(e: Evaluation, value: Value): Value {
  if (!(value instanceof Reference)) return value instanceof Matrix || value instanceof Lambda ? REF : (value ?? REF);
  const [{ sheet, top, left }] = value.areas;
  e.readCell(sheet, top, left);
  const spilled = e.workbook.findSpillArea(sheet, top, left);
  return spilled ? new Reference([spilled]) : REF;
}

export function spanReferences(a: Reference, b: Reference): Value {
  const [x] = a.areas;
  const [y] = b.areas;
  if (a.areas.length > 1 || b.areas.length > 1 || x.sheet !== y.sheet) return VALUE;
  return new Reference([
    {
      sheet: x.sheet,
      top: Math.min(x.top, y.top),
      left: Math.min(x.left, y.left),
      bottom: Math.max(x.bottom, y.bottom),
      right: Math.max(x.right, y.right),
    },
  ]);
}

export function unionReferences(a: Reference, b: Reference): Value {
  return new Reference([...a.areas, ...b.areas]);
}

export function intersectReferences(a: Reference, b: Reference): Value {
  const common: SheetArea[] = [];
  for (const x of a.areas) {
    for (const y of b.areas) {
      const cut = x.sheet === y.sheet ? intersection(x, y) : null;
      if (cut) common.push({ ...cut, sheet: x.sheet });
    }
  }
  return common.length === 0 ? NULL_ERROR : new Reference(common as [SheetArea, ...SheetArea[]]);
}
