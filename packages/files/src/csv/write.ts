import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CellError, type DateSystem, errorByCode, LOCALE_IDS, localeOf, type Scalar } from '@cellwire/engine';
import { momentText } from '../cells/moment-text.ts';
import { CHUNK_BYTES } from '../limits/limits.ts';
import { dateShape } from './date-shape.ts';
import { numberShapes } from './number-shape.ts';

export interface CsvCell {
  readonly value: Scalar;
  /** Number format code; absent for General. It matters for dates alone. */
  readonly format?: string;
}

/** How values are written. */
export interface CsvFormat {
  /** `,` by default. */
  readonly delimiter?: ',' | ';' | '\t' | '|';
  /** Decimal mark, `.` by default; `;` and `,` together are what Excel expects where the comma is the decimal mark. */
  readonly decimal?: '.' | ',';
  /** A byte order mark, by which Excel knows UTF-8. Left out by default. */
  readonly bom?: boolean;
}

export interface WriteCsvOptions extends CsvFormat {
  readonly dateSystem: DateSystem;
  /** Fields of every row; rows with fewer cells are filled up. By default a row has as many fields as cells. */
  readonly columns?: number;
}

interface CsvWritten {
  readonly rows: number;
  /** Cells that hold something. */
  readonly cells: number;
}

/**
 * Writes the rows of one sheet, from its first row, as CSV in UTF-8 with CRLF line ends (RFC 4180): raw values, so
 * that `readCsv` gives the same ones. Numbers have all their digits and no groups; dates and times are ISO
 * (`momentText`); truth values are TRUE and FALSE, errors their codes. A text that a reader would take for any of these
 * stands in quotation marks, values never do. Texts that start with `=` are written as they are; a spreadsheet program
 * that opens the file may run them as formulas.
 */
export async function writeCsv(
  path: string,
  rows: Iterable<readonly (CsvCell | null)[]>,
  options: WriteCsvOptions,
): Promise<CsvWritten> {
  const partial = `${path}.part`;
  const written = { rows: 0, cells: 0 };
  try {
    await pipeline(Readable.from(csvChunks(rows, options, written)), createWriteStream(partial));
    await rename(partial, path);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function* csvChunks(
  rows: Iterable<readonly (CsvCell | null)[]>,
  options: WriteCsvOptions,
  written: { rows: number; cells: number },
): Generator<Buffer> {
  const delimiter = options.delimiter ?? ',';
  const { columns = 0 } = options;
  const emptyRow = `${delimiter.repeat(Math.max(columns - 1, 0))}\r\n`;
  let text = options.bom ? '\ufeff' : '';
  for (const row of rows) {
    if (row.length === 0) text += emptyRow;
    else {
      const rest = columns > row.length ? delimiter.repeat(columns - row.length) : '';
      text += `${row.map((cell) => fieldOf(cell, options, delimiter)).join(delimiter)}${rest}\r\n`;
    }
    written.rows++;
    for (const cell of row) if (cell !== null && cell.value !== null) written.cells++;
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

function fieldOf(cell: CsvCell | null, options: WriteCsvOptions, delimiter: string): string {
  const value = cell?.value ?? null;
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (value instanceof CellError) return value.code;
  if (typeof value === 'string') return textField(value);
  const moment = cell?.format === undefined ? null : momentText(value, cell.format, options.dateSystem);
  return moment ?? numberField(value, options.decimal ?? '.', delimiter);
}

/** Any mark that a reader may take for the delimiter: quoted ones say nothing, whatever the file's own is. */
const NEEDS_QUOTES = /[",;|\t\r\n]/;
/** Longer texts are never taken for a value. */
const MAX_VALUE_LENGTH = 40;
/** Words for truth values in any locale, in upper case. */
const BOOLEAN_WORDS: ReadonlySet<string> = new Set([
  'TRUE',
  'FALSE',
  ...LOCALE_IDS.flatMap((locale) => [...localeOf(locale).trueWords, ...localeOf(locale).falseWords]),
]);

function textField(text: string): string {
  const needsQuotes = NEEDS_QUOTES.test(text) || text.trim().length < text.length || isLikeValue(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

const HAS_DIGIT = /\d/;

/** True if `readCsv`, in whatever locale, reads the text as a number, date, truth value or error. */
function isLikeValue(text: string): boolean {
  if (text.length > MAX_VALUE_LENGTH) return false;
  if (HAS_DIGIT.test(text)) return numberShapes(text).length > 0 || dateShape(text) !== null;
  return text.startsWith('#') ? errorByCode(text) !== undefined : BOOLEAN_WORDS.has(text.toUpperCase());
}

/** Whole numbers from here on have more digits than a number keeps, and would be read as codes. */
const MAX_WHOLE = 1e15;

function numberField(value: number, decimal: '.' | ',', delimiter: string): string {
  const text = Math.abs(value) >= MAX_WHOLE ? value.toExponential() : String(value);
  if (decimal === '.') return text;
  const local = text.replace('.', ',');
  return local.includes(delimiter) ? `"${local}"` : local;
}
