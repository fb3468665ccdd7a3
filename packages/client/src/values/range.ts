import { CellwireError } from '../errors/errors.ts';

/** A block of cells. `row` and `column` count from 1. Without `rows` or `columns` it extends to the sheet's end. */
export interface Block {
  readonly row?: number;
  readonly column?: number;
  readonly rows?: number;
  readonly columns?: number;
}

const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

const PLAIN_NAME = /^[\p{L}\d_]+$/u;
const CELL = /^[a-z]{1,3}\d+$/i;
const NUMBER = /^\d+(?:e\d+)?$/i;

/**
 * Returns the A1 text of a range in a sheet. Quotes the sheet's name if necessary.
 *
 * `range("O'Brien & co", 'A1:C')` is `'O''Brien & co'!A1:C`; `range('Orders', { row: 2, column: 1, columns: 3 })` is
 * `Orders!A2:C`.
 */
export function range(sheet: string, cells: string | Block = {}): string {
  const a1 = typeof cells === 'string' ? cells : formatBlock(cells);
  return a1 === '' ? quoteSheetName(sheet) : `${quoteSheetName(sheet)}!${a1}`;
}

function quoteSheetName(name: string): string {
  const isPlain = PLAIN_NAME.test(name) && !CELL.test(name) && !NUMBER.test(name);
  return isPlain ? name : `'${name.replaceAll("'", "''")}'`;
}

/** Formats a block; an empty text for the whole sheet, whose name alone is a range. */
function formatBlock({ row, column, rows, columns }: Block): string {
  const top = requireNumberInRange(row, 'row', MAX_ROWS);
  const left = requireNumberInRange(column, 'column', MAX_COLUMNS);
  const bottom = rows === undefined ? null : top + requireNumberInRange(rows, 'rows', MAX_ROWS) - 1;
  const right = columns === undefined ? null : left + requireNumberInRange(columns, 'columns', MAX_COLUMNS) - 1;
  if (right === null && left === 1 && bottom !== null) return `${top}:${bottom}`;
  if (right === null && left === 1 && top === 1) return '';
  const last = formatColumn(right ?? MAX_COLUMNS);
  if (bottom === null) return `${formatColumn(left)}${top === 1 ? '' : top}:${last}`;
  const first = `${formatColumn(left)}${top}`;
  return rows === 1 && columns === 1 ? first : `${first}:${last}${bottom}`;
}

function requireNumberInRange(value: number | undefined, name: string, max: number): number {
  const number = value ?? 1;
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new CellwireError(`range: ${name} must be a whole number from 1 to ${max}`);
}

function formatColumn(column: number): string {
  let letters = '';
  for (let remaining = column; remaining > 0; remaining = Math.floor((remaining - 1) / 26)) {
    letters = String.fromCharCode(65 + ((remaining - 1) % 26)) + letters;
  }
  return letters;
}
