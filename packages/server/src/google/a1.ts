import { columnIndex, columnName, MAX_COLUMNS, MAX_ROWS, splitSheetPrefix } from '@cellwire/engine';

/**
 * An area in which a side may be open, which means that it extends to the end of the grid. Bounds start at 0 and are
 * inclusive.
 */
export interface OpenRange {
  readonly top: number;
  readonly left: number;
  /** Null: up to the end of the grid. */
  readonly bottom: number | null;
  readonly right: number | null;
}

export const WHOLE: OpenRange = { top: 0, left: 0, bottom: null, right: null };

/** The parsed text of a range. */
interface RangeParts {
  /** Null: the text names no sheet. */
  readonly sheet: string | null;
  readonly isQuoted: boolean;
  /** Null: the text is not an A1 range. It may be the name of a sheet or of a range. */
  readonly range: OpenRange | null;
  readonly text: string;
}

/** Null: the text cannot be a range or a name. */
export function parseA1(text: string): RangeParts | null {
  const parts = splitSheetPrefix(text);
  if (parts === null) return null;
  const { sheet, quoted, rest } = parts;
  if (rest === '') return { sheet, isQuoted: quoted, range: WHOLE, text: '' };
  const range = parseArea(rest);
  if (sheet !== null && range === null) return null;
  return { sheet, isQuoted: quoted, range, text: rest };
}

const CORNERS = /^\$?([A-Za-z]{1,3})?\$?(\d{1,8})?(?::\$?([A-Za-z]{1,3})?\$?(\d{1,8})?)?$/;

function parseArea(text: string): OpenRange | null {
  const found = CORNERS.exec(text);
  if (found === null) return null;
  const [, column, row, lastColumn, lastRow] = found;
  const isPair = text.includes(':');
  if (!isPair && (column === undefined || row === undefined)) return null;
  if (isPair && ((column ?? row) === undefined || (lastColumn ?? lastRow) === undefined)) return null;
  const left = parseColumnLetters(column);
  const right = isPair ? parseColumnLetters(lastColumn) : left;
  const top = parseRowDigits(row);
  const bottom = isPair ? parseRowDigits(lastRow) : top;
  if ([left, right, top, bottom].includes(-1)) return null;
  const [first, last] = orderEnds(top, bottom);
  const [firstColumn, end] = orderEnds(left, right);
  return { top: first, bottom: last, left: firstColumn, right: end };
}

/** The ends may be given in any order; an absent end is open. */
function orderEnds(start: number | null, end: number | null): readonly [first: number, last: number | null] {
  if (start === null || end === null) return [start ?? 0, end];
  return [Math.min(start, end), Math.max(start, end)];
}

/** -1: the number is beyond the largest possible grid. */
function parseColumnLetters(letters: string | undefined): number | null {
  if (letters === undefined) return null;
  const index = columnIndex(letters.toUpperCase());
  return index >= 0 && index < MAX_COLUMNS ? index : -1;
}

function parseRowDigits(digits: string | undefined): number | null {
  if (digits === undefined) return null;
  const row = Number(digits) - 1;
  return row >= 0 && row < MAX_ROWS ? row : -1;
}

/** Bounds within a grid, both inclusive. */
export interface ClosedRange {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Formats a range as `Sheet1!A1:B2`, and a single cell as `Sheet1!A1`. */
export function formatA1Range(sheetName: string, { top, left, bottom, right }: ClosedRange): string {
  const first = `${columnName(left)}${top + 1}`;
  const isCell = top === bottom && left === right;
  return `${quoteName(sheetName)}!${isCell ? first : `${first}:${columnName(right)}${bottom + 1}`}`;
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LOOKS_LIKE_CELL = /^(?:[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*|[Rr]\d*|[Cc]\d*|TRUE|FALSE|true|false)$/;

/** Quotes names that contain special characters or look like a cell. */
export function quoteName(name: string): string {
  const isPlain = PLAIN_NAME.test(name) && !LOOKS_LIKE_CELL.test(name);
  return isPlain ? name : `'${name.replaceAll("'", "''")}'`;
}
