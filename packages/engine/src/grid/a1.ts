import type { Area, OpenArea } from './area.ts';
import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';

const NAMES: string[] = [];

/** The letters of a zero-based column: `0` → `A`, `16383` → `XFD`. */
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

/**
 * The zero-based index of a column from its letters: `A` → `0`, `xfd` → `16383`; -1 if the text is not a column of the
 * grid.
 */
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

/** An area in A1 form. A single cell has one corner: `B2`, `A1:C3`. */
export function areaText(a: Area): string {
  const first = cellText(a.top, a.left);
  return a.top === a.bottom && a.left === a.right ? first : `${first}:${cellText(a.bottom, a.right)}`;
}

interface RangeCorner {
  readonly row: number | null;
  readonly column: number | null;
}

const DOLLAR = 0x24;

/**
 * Parses a column, a row or both, each with an optional `$`. Reads character by character, because it must be fast:
 * every request contains a range.
 */
function parseCorner(text: string): RangeCorner | null {
  const column = parseColumn(text, skipDollar(text, 0));
  const row = parseRow(text, column === null ? skipDollar(text, 0) : skipDollar(text, column.end));
  const end = row?.end ?? column?.end ?? -1;
  if (end !== text.length || (column !== null && column.index >= MAX_COLUMNS)) return null;
  if (row !== null && row.index >= MAX_ROWS) return null;
  return { row: row?.index ?? null, column: column?.index ?? null };
}

/** The position after a `$` at this position; the position itself if there is none. */
function skipDollar(text: string, position: number): number {
  return text.charCodeAt(position) === DOLLAR ? position + 1 : position;
}

/** A zero-based row or column, which may be outside the grid, and the end of its text. */
interface ParsedLine {
  readonly index: number;
  readonly end: number;
}

/** Parses a column; null if there is no letter, or more letters than a column can have. */
function parseColumn(text: string, start: number): ParsedLine | null {
  let index = 0;
  let end = start;
  for (; end < text.length; end++) {
    const letter = text.charCodeAt(end) & ~32;
    if (letter < 65 || letter > 90) break;
    index = index * 26 + letter - 64;
  }
  return end === start || end > start + 3 ? null : { index: index - 1, end };
}

/** Parses a row number; null if there is no digit, a leading zero, or more digits than a row can have. */
function parseRow(text: string, start: number): ParsedLine | null {
  let number = 0;
  let end = start;
  for (; end < text.length; end++) {
    const digit = text.charCodeAt(end) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return number === 0 || text.charCodeAt(start) === 48 || end > start + 7 ? null : { index: number - 1, end };
}

/**
 * Parses an A1 range without a sheet name: `B2`, `A1:C3`, `C3:A1`, `A:C`, `2:4`, `A5:C`, `$a$1`. Returns null for
 * anything else, including cells outside the grid.
 */
export function parseArea(text: string): OpenArea | null {
  const colon = text.indexOf(':');
  if (colon < 0) {
    const cell = parseCorner(text);
    if (!cell || cell.row === null || cell.column === null) return null;
    const { row, column } = cell;
    return { top: row, left: column, bottom: row, right: column, openRows: false, openColumns: false };
  }
  const first = parseCorner(text.slice(0, colon));
  const last = parseCorner(text.slice(colon + 1));
  if (!first || !last) return null;
  return createOpenArea(first, last);
}

function createOpenArea(first: RangeCorner, last: RangeCorner): OpenArea | null {
  const columns = orderBounds(first.column, last.column, MAX_COLUMNS);
  const rows = orderBounds(first.row, last.row, MAX_ROWS);
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

/**
 * Returns the bounds of a range on one axis. If one bound is missing, the range is open at the end (`A5:C`); if both
 * are missing, it is the whole axis (`A:C`).
 */
function orderBounds(first: number | null, last: number | null, size: number) {
  if (first !== null && last !== null) return { from: Math.min(first, last), to: Math.max(first, last), open: false };
  if (first === null && last !== null) return { from: last, to: size - 1, open: true };
  return { from: first ?? 0, to: size - 1, open: true };
}
