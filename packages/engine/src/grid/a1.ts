import type { Area, OpenArea } from './area.ts';
import { area } from './area.ts';
import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';

const NAMES: string[] = [];

/** `0` → `A`, `16383` → `XFD`. */
export function columnName(column: number): string {
  let name = NAMES[column];
  if (name === undefined) {
    name = '';
    for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26)) {
      name = String.fromCharCode(65 + ((n - 1) % 26)) + name;
    }
    NAMES[column] = name;
  }
  return name;
}

/** `A` → `0`, `xfd` → `16383`; -1 where the text names no column of the grid. */
export function columnIndex(name: string): number {
  if (name.length === 0 || name.length > 3) return -1;
  let n = 0;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i) & ~32;
    if (code < 65 || code > 90) return -1;
    n = n * 26 + code - 64;
  }
  return n <= MAX_COLUMNS ? n - 1 : -1;
}

/** The zero-based cell in A1 form: `(0, 0)` → `A1`. */
export function cellText(row: number, column: number): string {
  return columnName(column) + (row + 1);
}

/** An area in A1 form; a single cell is written once: `B2`, `A1:C3`. */
export function areaText(a: Area): string {
  const first = cellText(a.top, a.left);
  return a.top === a.bottom && a.left === a.right ? first : `${first}:${cellText(a.bottom, a.right)}`;
}

const CORNER = /^\$?([A-Za-z]{1,3})?\$?([1-9][0-9]{0,6})?$/;

interface Corner {
  readonly row: number | null;
  readonly column: number | null;
}

function parseCorner(text: string): Corner | null {
  const match = CORNER.exec(text);
  if (!match || (match[1] === undefined && match[2] === undefined)) return null;
  if (text.startsWith('$$') || text.endsWith('$')) return null;
  if (match[1] === undefined && text.indexOf('$') > 0) return null;
  const column = match[1] === undefined ? null : columnIndex(match[1]);
  const row = match[2] === undefined ? null : Number(match[2]) - 1;
  if (column === -1 || (row !== null && row >= MAX_ROWS)) return null;
  return { row, column };
}

/**
 * Reads an A1 range without a sheet name: `B2`, `A1:C3`, `C3:A1`, `A:C`, `2:4`, `A5:C`, `$a$1`.
 * Returns null for anything else, cells beyond the grid included.
 */
export function parseArea(text: string): OpenArea | null {
  const colon = text.indexOf(':');
  if (colon < 0) {
    const cell = parseCorner(text);
    if (!cell || cell.row === null || cell.column === null) return null;
    return { ...area(cell.row, cell.column, cell.row, cell.column), openRows: false, openColumns: false };
  }
  const first = parseCorner(text.slice(0, colon));
  const last = parseCorner(text.slice(colon + 1));
  if (!first || !last) return null;
  return spanned(first, last);
}

function spanned(first: Corner, last: Corner): OpenArea | null {
  const columns = axis(first.column, last.column, MAX_COLUMNS);
  const rows = axis(first.row, last.row, MAX_ROWS);
  if (!columns || !rows || (columns.open && rows.open)) return null;
  return {
    top: rows.from,
    left: columns.from,
    bottom: rows.to,
    right: columns.to,
    openRows: rows.open,
    openColumns: columns.open,
  };
}

/** One side of a range. A bound missing at one end opens that end (`A5:C`), at both ends the whole axis (`A:C`). */
function axis(first: number | null, last: number | null, size: number) {
  if (first !== null && last !== null) return { from: Math.min(first, last), to: Math.max(first, last), open: false };
  if (first === null && last !== null) return { from: last, to: size - 1, open: true };
  return { from: first ?? 0, to: size - 1, open: true };
}
