import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CellError, type DateSystem, isDateFormat, partsOf, type Scalar } from '@cellwire/engine';
import { CHUNK_BYTES } from '../limits.ts';
import { needsQuotes } from './typing.ts';

export interface CsvCell {
  readonly value: Scalar;
  /** Number format code; absent for General. It matters for dates alone. */
  readonly format?: string;
}

export interface WriteCsvOptions {
  readonly dateSystem: DateSystem;
  /** `,` by default. */
  readonly delimiter?: ',' | ';' | '\t' | '|';
  /** Decimal mark, `.` by default; `;` and `,` together are what Excel expects where the comma is the decimal mark. */
  readonly decimal?: '.' | ',';
  /** A byte order mark, by which Excel knows UTF-8. Left out by default. */
  readonly bom?: boolean;
}

export interface CsvWritten {
  readonly rows: number;
  /** Cells that hold something. */
  readonly cells: number;
}

/**
 * Writes the rows of one sheet, from its first row, as CSV in UTF-8 with CRLF line ends (RFC 4180): raw values, so
 * that `readCsv` gives the same ones. Numbers have all their digits and no groups; dates are ISO (`2026-12-31`,
 * `2026-12-31 18:30:00`), times `18:30:00`, to the millisecond; truth values are TRUE and FALSE, errors their codes.
 * A text that could be taken for any of these stands in quotation marks, values never do. Texts that start with `=`
 * are written as they are; a spreadsheet program that opens the file may run them as formulas.
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
  let text = options.bom ? '\ufeff' : '';
  for (const row of rows) {
    text += `${row.map((cell) => fieldOf(cell, options, delimiter)).join(delimiter)}\r\n`;
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
  if (typeof value === 'string') return textField(value, delimiter);
  return dateField(value, cell?.format, options.dateSystem) ?? numberField(value, options.decimal ?? '.', delimiter);
}

/** First characters of values and errors, months before a day, and the short words of letters for truth values. */
const LOOKS_TYPED = /^\s*[-+.,\d#(\p{Sc}]|^\s*\p{L}{3,10}\.? \d|^\s*\p{L}{4,9}\s*$|^\s|\s$/u;

function textField(text: string, delimiter: string): string {
  const quotes = LOOKS_TYPED.test(text) || needsQuotes(text, delimiter);
  return quotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Whole numbers from here on have more digits than a number keeps, and would be read as codes. */
const MAX_WHOLE = 1e15;

function numberField(value: number, decimal: '.' | ',', delimiter: string): string {
  const text = Math.abs(value) >= MAX_WHOLE ? value.toExponential() : String(value);
  if (decimal === '.') return text;
  const local = text.replace('.', ',');
  return local.includes(delimiter) ? `"${local}"` : local;
}

/** The last day of year 9999 and the day after the first that all date systems show. */
const MIN_DATE = 1;
const MAX_YEAR = 9999;

/** A date or time as text, or null for a number that its format cannot show as one. */
function dateField(value: number, format: string | undefined, system: DateSystem): string | null {
  if (format === undefined || !isDateFormat(format) || value < 0) return null;
  const { year, month, day, hour, minute, second, millisecond } = partsOf(value, system);
  const fraction = millisecond === 0 ? '' : `.${digits(millisecond, 3)}`;
  const time = `${digits(hour, 2)}:${digits(minute, 2)}:${digits(second, 2)}${fraction}`;
  if (value < MIN_DATE) return time;
  if (year > MAX_YEAR || format.includes('[')) return null;
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return time === '00:00:00' ? date : `${date} ${time}`;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
