import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { AreaNode, CellNode, Coordinate } from './ast.ts';
import { createAreaNode, createCellNode, createColumnsNode, createRowsNode } from './nodes.ts';
import type { FormulaCell } from './scan.ts';

/**
 * Matches a corner: `R5`, `R[-1]`, `R`, the same with `C`, or a row followed by a column. Numbers have at most seven
 * digits.
 */
const CORNER = /^(?:R(\d{1,7}|\[[+-]?\d{1,7}\])?)?(?:C(\d{1,7}|\[[+-]?\d{1,7}\])?)?$/i;

interface R1C1Corner {
  readonly row: Coordinate | null;
  readonly column: Coordinate | null;
}

/**
 * Parses a reference in R1C1 style without a sheet: `R1C1`, `R[-1]C`, `R2C1:R[3]C4`, whole rows `R3` and columns
 * `C1:C2`. Null for anything else, including cells outside the grid.
 */
export function parseR1C1(text: string, cell: FormulaCell): CellNode | AreaNode | null {
  const colon = text.indexOf(':');
  const first = parseCorner(colon < 0 ? text : text.slice(0, colon), cell);
  const last = colon < 0 ? first : parseCorner(text.slice(colon + 1), cell);
  if (first === null || last === null) return null;
  if (first.row && last.row && first.column && last.column) {
    if (colon < 0) return createCellNode(undefined, first.row, first.column);
    const rows = orderCoordinates(first.row, last.row, cell.row);
    const columns = orderCoordinates(first.column, last.column, cell.column);
    return createAreaNode(undefined, rows[0], columns[0], rows[1], columns[1]);
  }
  if (first.row && last.row && !first.column && !last.column) {
    const rows = orderCoordinates(first.row, last.row, cell.row);
    return createRowsNode(undefined, rows[0], rows[1]);
  }
  if (first.column && last.column && !first.row && !last.row) {
    const columns = orderCoordinates(first.column, last.column, cell.column);
    return createColumnsNode(undefined, columns[0], columns[1]);
  }
  return null;
}

function parseCorner(text: string, cell: FormulaCell): R1C1Corner | null {
  const match = CORNER.exec(text);
  if (match === null || text === '') return null;
  const hasRow = text.charAt(0).toUpperCase() === 'R';
  const hasColumn = text.toUpperCase().includes('C');
  const row = hasRow ? parseCoordinate(match[1], cell.row, MAX_ROWS) : null;
  const column = hasColumn ? parseCoordinate(match[2], cell.column, MAX_COLUMNS) : null;
  if ((hasRow && row === null) || (hasColumn && column === null)) return null;
  return { row, column };
}

/**
 * Parses one coordinate: `5` is absolute and counts from 1, `[-1]` is an offset, nothing is the cell's own row or
 * column.
 */
function parseCoordinate(text: string | undefined, formulaLine: number, size: number): Coordinate | null {
  const absolute = text !== undefined && !text.startsWith('[');
  const at = text === undefined ? 0 : absolute ? Number(text) - 1 : Number(text.slice(1, -1));
  const position = absolute ? at : formulaLine + at;
  return position >= 0 && position < size ? { at, absolute } : null;
}

/**
 * Orders two bounds for the formula's cell. For other cells the ends of a range with an absolute and a relative bound
 * may swap.
 */
function orderCoordinates(a: Coordinate, b: Coordinate, formulaLine: number): readonly [Coordinate, Coordinate] {
  const first = a.absolute ? a.at : formulaLine + a.at;
  const last = b.absolute ? b.at : formulaLine + b.at;
  return first > last ? [b, a] : [a, b];
}
