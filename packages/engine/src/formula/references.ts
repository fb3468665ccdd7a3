import { columnIndex } from '../grid/a1.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { Coordinate, Node, SheetPart } from './ast.ts';
import {
  COLON,
  DOLLAR,
  DOT,
  EXCLAMATION,
  HASH,
  isDigit,
  isWordPart,
  LEFT_BRACKET,
  LEFT_PARENTHESIS,
  letterNumber,
  ZERO,
} from './characters.ts';
import {
  createAreaNode,
  createCellNode,
  createColumnsNode,
  createCoordinate,
  createOpenAreaNode,
  createRowsNode,
  createTrimNode,
} from './nodes.ts';
import { COLUMN_AXIS, getCodeAt, ROW_AXIS, type Scan, skipBlanksFrom } from './scan.ts';

/** One corner of a reference in the text. A corner without letters is a row, one without digits a column. */
class TextCorner {
  /** Row of the corner, zero-based; -1 if it has none (`A:A`). */
  row = -1;
  column = -1;
  rowAbsolute = false;
  columnAbsolute = false;
  lettersFrom = 0;
  lettersTo = 0;
  digitsFrom = 0;
  end = 0;
}

// Reused by each call of `parseReference`. This saves two allocations per reference.
const first = new TextCorner();
const second = new TextCorner();

const MAX_LETTERS = 3;

/** Reads a corner at a position into `corner`; returns false if there is none. */
function readCorner(s: Scan, position: number, corner: TextCorner): boolean {
  let p = position;
  let code = getCodeAt(s, p);
  const dollar = code === DOLLAR;
  if (dollar) code = getCodeAt(s, ++p);
  corner.lettersFrom = p;
  let column = 0;
  for (let letter = letterNumber(code); letter > 0; letter = letterNumber(code)) {
    column = column * 26 + letter;
    code = getCodeAt(s, ++p);
    if (p - corner.lettersFrom > MAX_LETTERS) return false;
  }
  corner.lettersTo = p;
  const lettered = p > corner.lettersFrom;
  if (column > MAX_COLUMNS) return false;
  const rowDollar = lettered && code === DOLLAR;
  if (rowDollar) code = getCodeAt(s, ++p);
  corner.digitsFrom = p;
  let row = 0;
  if (code !== ZERO) {
    while (isDigit(code) && row <= MAX_ROWS) {
      row = row * 10 + code - ZERO;
      code = getCodeAt(s, ++p);
    }
  }
  if (row > MAX_ROWS || (row === 0 && (rowDollar || !lettered))) return false;
  if (isNoReferenceEnd(code) && !isTrimmingColon(s, p)) return false;
  corner.row = row - 1;
  corner.column = column - 1;
  corner.columnAbsolute = lettered && dollar;
  corner.rowAbsolute = lettered ? rowDollar : dollar;
  corner.end = p;
  return true;
}

/**
 * True for a character that shows that the preceding word is not a reference: `LOG10(`, `A1!`, `AB12[`, `A1B`, `A0`.
 */
function isNoReferenceEnd(code: number): boolean {
  return (
    (code !== 0 && isWordPart(code)) ||
    code === LEFT_PARENTHESIS ||
    code === EXCLAMATION ||
    code === LEFT_BRACKET ||
    code === DOLLAR
  );
}

/** True if `.:` is at a position: blank edges of the range are removed (`A1.:A9`). */
export function isTrimmingColon(s: Scan, position: number): boolean {
  return getCodeAt(s, position) === DOT && getCodeAt(s, position + 1) === COLON;
}

/**
 * Parses a cell, an area, whole columns or rows, or an open area at the cursor. Returns null and does not move the
 * cursor if there is none. `afterColon`: parses one corner only, because `F():A1:B2` is left-associative.
 */
export function parseReference(s: Scan, sheet: SheetPart | undefined, afterColon: boolean): Node | null {
  if (!readCorner(s, s.pos, first)) return null;
  const isCell = first.row >= 0 && first.column >= 0;
  if (isCell && afterColon) return createCell(s, sheet);
  const trimsStart = isTrimmingColon(s, first.end);
  const colon = trimsStart ? first.end + 1 : skipBlanksFrom(s, first.end);
  const trimsEnd = getCodeAt(s, colon + 1) === DOT;
  if (getCodeAt(s, colon) !== COLON || !readCorner(s, skipBlanksFrom(s, colon + (trimsEnd ? 2 : 1)), second)) {
    return isCell ? createCell(s, sheet) : null;
  }
  const area = createArea(s, sheet);
  if (area === null) return isCell ? createCell(s, sheet) : null;
  return createTrimNode(area, trimsStart, trimsEnd);
}

function createCell(s: Scan, sheet: SheetPart | undefined): Node {
  s.pos = first.end;
  const column = toColumnCoordinate(s, first);
  return createCellNode(sheet, toRowCoordinate(s, first), column);
}

/** Creates the area between the two corners in `first` and `second`. */
function createArea(s: Scan, sheet: SheetPart | undefined): Node | null {
  const hasRows = first.row >= 0 && second.row >= 0;
  const hasColumns = first.column >= 0 && second.column >= 0;
  if (hasRows && hasColumns) {
    // In `A1:B2#` the `#` belongs to `B2`.
    if (getCodeAt(s, second.end) === HASH) return null;
    s.pos = second.end;
    // The corners are converted in the order of the text, because the skeleton lists them in this order.
    const firstColumn = toColumnCoordinate(s, first);
    const firstRow = toRowCoordinate(s, first);
    const columns = orderCoordinates(firstColumn, toColumnCoordinate(s, second));
    const rows = orderCoordinates(firstRow, toRowCoordinate(s, second));
    return createAreaNode(sheet, rows[0], columns[0], rows[1], columns[1]);
  }
  if (hasRows && first.column < 0 && second.column < 0) {
    s.pos = second.end;
    const rows = orderCoordinates(toRowCoordinate(s, first), toRowCoordinate(s, second));
    return createRowsNode(sheet, rows[0], rows[1]);
  }
  if (!hasColumns) return null;
  s.pos = second.end;
  const firstColumn = toColumnCoordinate(s, first);
  const firstRow = first.row >= 0 ? toRowCoordinate(s, first) : null;
  const columns = orderCoordinates(firstColumn, toColumnCoordinate(s, second));
  if (firstRow === null && second.row < 0) return createColumnsNode(sheet, columns[0], columns[1]);
  return createOpenAreaNode(sheet, firstRow ?? toRowCoordinate(s, second), columns[0], columns[1]);
}

function toRowCoordinate(s: Scan, corner: TextCorner): Coordinate {
  if (corner.rowAbsolute) return createCoordinate(corner.row, true);
  const offset = corner.row - s.place.row;
  s.spans?.push(corner.digitsFrom, corner.end, ROW_AXIS, offset);
  return createCoordinate(offset, false);
}

function toColumnCoordinate(s: Scan, corner: TextCorner): Coordinate {
  if (corner.columnAbsolute) return createCoordinate(corner.column, true);
  const offset = corner.column - s.place.column;
  s.spans?.push(corner.lettersFrom, corner.lettersTo, COLUMN_AXIS, offset);
  return createCoordinate(offset, false);
}

/**
 * Orders the bounds of a reference as its node requires. Two relative or two absolute bounds are ascending. Of an
 * absolute and a relative bound the absolute one comes first, because their order depends on the cell.
 */
function orderCoordinates(a: Coordinate, b: Coordinate): readonly [Coordinate, Coordinate] {
  const isSwapped = a.absolute === b.absolute ? a.at > b.at : b.absolute;
  return isSwapped ? [b, a] : [a, b];
}

/** True if a bare word next to a `:` would be read as a column. */
export function looksLikeColumn(word: string): boolean {
  return columnIndex(word) >= 0;
}
