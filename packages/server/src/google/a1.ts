import { columnName, splitSheetPrefix } from '@cellwire/engine';

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

export const WHOLE_SHEET: OpenRange = { top: 0, left: 0, bottom: null, right: null };

/** The parsed text of a range. */
interface RangeParts {
  /** Null: the text names no sheet. */
  readonly sheet: string | null;
  /** Null: the text is not an A1 range. It may be the name of a range or, without a sheet, of a sheet. */
  readonly range: OpenRange | null;
  /** The text after the sheet's name. */
  readonly text: string;
}

/** Null: the text cannot be a range or a name. */
export function parseA1(text: string): RangeParts | null {
  const parts = splitSheetPrefix(text);
  if (parts === null) return null;
  const { sheet, rest } = parts;
  if (rest === '') return { sheet, range: WHOLE_SHEET, text: '' };
  return { sheet, range: parseArea(rest) ?? parseR1C1(rest), text: rest };
}

const CORNERS = /^\$?([A-Za-z]{1,3})?\$?(\d{1,8})?(?::\$?([A-Za-z]{1,3})?\$?(\d{1,8})?)?$/;

/** Rows and columns by number. Google's methods accept only absolute references in this notation. */
const R1C1 = /^[Rr](\d{1,8})[Cc](\d{1,8})(?::[Rr](\d{1,8})[Cc](\d{1,8}))?$/;

function parseR1C1(text: string): OpenRange | null {
  const numbers = R1C1.exec(text)?.slice(1);
  if (numbers === undefined) return null;
  const [top = 0, left = 0, bottom = top, right = left] = numbers.map((digits) =>
    digits === undefined ? undefined : Number(digits) - 1,
  );
  if (Math.min(top, left, bottom, right) < 0) return null;
  return {
    top: Math.min(top, bottom),
    bottom: Math.max(top, bottom),
    left: Math.min(left, right),
    right: Math.max(left, right),
  };
}

/** Parses A1 text such as `B2`, `A1:C3`, `A:C` or `2:5`, without a sheet; null if it is none. */
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
  if (top === -1 || bottom === -1) return null;
  const [first, last] = orderEnds(top, bottom);
  const [firstColumn, end] = orderEnds(left, right);
  return { top: first, bottom: last, left: firstColumn, right: end };
}

/** The first and the last of two indexes, which may be given in any order; an absent end is open. */
function orderEnds(start: number | null, end: number | null): readonly [first: number, last: number | null] {
  if (start === null || end === null) return [start ?? 0, end];
  return [Math.min(start, end), Math.max(start, end)];
}

/**
 * The index of a column, from 0; null if absent. Programs write `A1:ZZZ` for all columns: letters may name a column
 * that no grid has.
 */
function parseColumnLetters(letters: string | undefined): number | null {
  if (letters === undefined) return null;
  return [...letters.toUpperCase()].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** The index of a row, from 0; null if absent, -1 if it is not a row. */
function parseRowDigits(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits) - 1;
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

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const LOOKS_LIKE_CELL = /^(?:[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*|[Rr]\d*|[Cc]\d*)$/;

/** Quotes names that contain special characters or look like a cell. */
export function quoteName(name: string): string {
  const isPlain = PLAIN_NAME.test(name) && !LOOKS_LIKE_CELL.test(name);
  return isPlain ? name : `'${name.replaceAll("'", "''")}'`;
}
