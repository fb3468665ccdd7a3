import { columnName } from '../grid/a1.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { AreaNode, CellNode, Coordinate, NameNode, Node, SheetPart } from './ast.ts';
import { nameKey } from './name-key.ts';
import { FUNCTION_VALUE_PREFIX, PARAMETER_PREFIX } from './prefixes.ts';
import { type Printer, REF, ROW_MARK } from './printer.ts';
import { resolveCoordinate } from './reference-bounds.ts';
import { needsQuotes, quoteExternal, quoteSheetName } from './sheet-name.ts';

/**
 * Returns the text before a reference: `Sheet1!`, `Sheet1:Sheet3!`; empty for the formula's own sheet, null for a
 * deleted one.
 */
function formatSheetPrefix(p: Printer, sheet: SheetPart | undefined): string | null {
  if (sheet === undefined) return '';
  if ('missing' in sheet) return `${quoteSheetName(sheet.missing)}!`;
  if ('external' in sheet) {
    return p.names.canContainExternal?.(sheet.external) === false ? null : `${quoteExternal(sheet.external)}!`;
  }
  if ('id' in sheet) {
    const name = p.names.getSheetName(sheet.id);
    return name === null ? null : `${quoteSheetName(name)}!`;
  }
  const from = p.names.getSheetName(sheet.from);
  const to = p.names.getSheetName(sheet.to);
  if (from === null || to === null) return null;
  return `${formatSheets(from, to)}!`;
}

/** The names of the first and the last sheet of a 3-D reference, with quotes if necessary. */
function formatSheets(from: string, to: string): string {
  const both = `${from}:${to}`;
  return needsQuotes(from) || needsQuotes(to) ? `'${both.replaceAll("'", "''")}'` : both;
}

export function formatName(p: Printer, node: NameNode): string {
  if (node.sheet === undefined) {
    if (isBound(p, node.name)) return PARAMETER_PREFIX + node.name;
    return p.file?.isFunction(node.name) ? FUNCTION_VALUE_PREFIX + node.name : node.name;
  }
  const prefix = formatSheetPrefix(p, node.sheet);
  return prefix === null ? REF : prefix + node.name;
}

/** True if a surrounding LET or LAMBDA binds the name. */
export function isBound(p: Printer, name: string | undefined): boolean {
  return p.bound.size > 0 && name !== undefined && p.bound.has(nameKey(name));
}

export function formatCellReference(p: Printer, node: CellNode): string {
  const column = formatColumn(p, node.column);
  const row = formatRow(p, node.row);
  const prefix = node.sheet === undefined ? '' : formatSheetPrefix(p, node.sheet);
  return column === null || row === null || prefix === null ? REF : prefix + column + row;
}

export function formatAreaReference(p: Printer, node: AreaNode, mark = ':'): string {
  const prefix = formatSheetPrefix(p, node.sheet);
  if (prefix === null) return REF;
  const [first, last] = node.open ? [node.top, node.bottom] : orderBounds(node.top, node.bottom, p.place.row);
  if (node.whole === 'rows') return joinBounds(prefix, mark, formatRow(p, first), formatRow(p, last));
  const columns = orderBounds(node.left, node.right, p.place.column);
  const left = formatColumn(p, columns[0]);
  const right = formatColumn(p, columns[1]);
  if (node.whole === 'columns') return joinBounds(prefix, mark, left, right);
  const top = formatRow(p, first);
  const bottom = node.open ? '' : formatRow(p, last);
  if (left === null || right === null || top === null || bottom === null) return REF;
  return `${prefix}${left}${top}${mark}${right}${bottom}`;
}

/** Orders two bounds as Excel shows them: if the first is greater, they are swapped together with their `$`. */
function orderBounds(a: Coordinate, b: Coordinate, formulaLine: number): readonly [Coordinate, Coordinate] {
  return a.absolute !== b.absolute && resolveCoordinate(a, formulaLine) > resolveCoordinate(b, formulaLine)
    ? [b, a]
    : [a, b];
}

/** True if the order of the reference's rows in the text depends on the row of the formula. */
export function hasMixedRows(node: Node): boolean {
  return node.k === 'area' && node.whole !== 'columns' && !node.open && node.top.absolute !== node.bottom.absolute;
}

/** Joins the two bounds of an area; `#REF!` if one of them is outside the grid. */
function joinBounds(prefix: string, mark: string, first: string | null, last: string | null): string {
  return first === null || last === null ? REF : `${prefix}${first}${mark}${last}`;
}

/** The text of a column; null if it is outside the grid. */
function formatColumn(p: Printer, column: Coordinate): string | null {
  const at = column.absolute ? column.at : p.place.column + column.at;
  if (at < 0 || at >= MAX_COLUMNS) return null;
  return column.absolute ? `$${columnName(at)}` : columnName(at);
}

function formatRow(p: Printer, row: Coordinate): string | null {
  if (p.rowMarks && !row.absolute) return ROW_MARK + row.at + ROW_MARK;
  const at = row.absolute ? row.at : p.place.row + row.at;
  if (at < 0 || at >= MAX_ROWS) return null;
  return row.absolute ? `$${at + 1}` : String(at + 1);
}
