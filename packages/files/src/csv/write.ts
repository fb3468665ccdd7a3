import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CellError, type DateSystem, errorByCode, getLocale, LOCALE_IDS, type Scalar } from '@cellwire/engine';
import { formatDateTime, isMomentFormat } from '../cells/date-time-text.ts';
import { CHUNK_BYTES } from '../limits/limits.ts';
import { parseDateShape } from './date-shape.ts';
import { parseNumberShapes } from './number-shape.ts';

export interface CsvCell {
  readonly value: Scalar;
  /** Number format code; absent for General. Only date formats matter. */
  readonly format?: string;
}

/** The form in which values are written. */
export interface CsvFormat {
  /** The delimiter; `,` by default. */
  readonly delimiter?: ',' | ';' | '\t' | '|';
  /** Decimal mark, `.` by default. Excel expects `;` with `,` in locales with a decimal comma. */
  readonly decimal?: '.' | ',';
  /** True to write a byte order mark, by which Excel recognises UTF-8. False by default. */
  readonly bom?: boolean;
}

export interface WriteCsvOptions extends CsvFormat {
  readonly dateSystem: DateSystem;
  /** Number of fields in every row; shorter rows are padded. By default a row has as many fields as cells. */
  readonly columns?: number;
}

interface CsvExport {
  readonly rows: number;
  /** Cells that are not empty. */
  readonly cells: number;
  /** Number of numbers in cells with a date format for which no date exists. They are written as numbers. */
  readonly datesAsNumbers: number;
}

type ExportCounts = { -readonly [name in keyof CsvExport]: CsvExport[name] };

/**
 * Writes the rows of one sheet as CSV in UTF-8 with CRLF line ends (RFC 4180). `readCsv` reads the same values. Numbers
 * have all digits and no groups; dates and times are ISO texts (`formatMomentText`); booleans are TRUE and FALSE,
 * errors their codes. A text that could be read as another kind of value is quoted; other values never are. Texts that
 * start with `=` are written unchanged: a spreadsheet program that opens the file may evaluate them as formulas.
 */
export async function writeCsv(
  path: string,
  rows: Iterable<readonly (CsvCell | null)[]>,
  options: WriteCsvOptions,
): Promise<CsvExport> {
  const partial = `${path}.part`;
  const written = { rows: 0, cells: 0, datesAsNumbers: 0 };
  try {
    await pipeline(Readable.from(writeCsvChunks(rows, options, written)), createWriteStream(partial));
    await rename(partial, path);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function* writeCsvChunks(
  rows: Iterable<readonly (CsvCell | null)[]>,
  options: WriteCsvOptions,
  written: ExportCounts,
): Generator<Buffer> {
  const delimiter = options.delimiter ?? ',';
  const { columns = 0 } = options;
  const emptyRow = `${delimiter.repeat(Math.max(columns - 1, 0))}\r\n`;
  let text = options.bom ? '\ufeff' : '';
  for (const row of rows) {
    if (row.length === 0) text += emptyRow;
    else {
      const rest = columns > row.length ? delimiter.repeat(columns - row.length) : '';
      text += `${row.map((cell) => formatCsvField(cell, options, written)).join(delimiter)}${rest}\r\n`;
    }
    written.rows++;
    for (const cell of row) if (cell !== null && cell.value !== null) written.cells++;
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

function formatCsvField(cell: CsvCell | null, options: WriteCsvOptions, written: ExportCounts): string {
  const value = cell?.value ?? null;
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (value instanceof CellError) return value.code;
  if (typeof value === 'string') return formatTextField(value);
  const { decimal = '.', delimiter = ',' } = options;
  const format = cell?.format ?? '';
  const moment = formatDateTime(value, format, options.dateSystem);
  if (moment === null && isMomentFormat(format)) written.datesAsNumbers++;
  return moment ?? formatNumberField(value, decimal, delimiter);
}

/** Matches any character that may be a delimiter for the reader. Quoting such a text is always safe. */
const NEEDS_QUOTES = /[",;|\t\r\n]/;
/** Maximum length of a text that could be read as a value, in characters. */
const MAX_VALUE_LENGTH = 40;
/** Words for booleans in all locales, in upper case. */
const BOOLEAN_WORDS: ReadonlySet<string> = new Set([
  'TRUE',
  'FALSE',
  ...LOCALE_IDS.flatMap((locale) => [...getLocale(locale).trueWords, ...getLocale(locale).falseWords]),
]);

function formatTextField(text: string): string {
  const needsQuotes = NEEDS_QUOTES.test(text) || text.trim().length < text.length || isLikeValue(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

const HAS_DIGIT = /\d/;

/** True if `readCsv`, in any locale, would read the text as a number, date, boolean or error. */
function isLikeValue(text: string): boolean {
  if (text.length > MAX_VALUE_LENGTH) return false;
  if (text.startsWith('#')) return errorByCode(text) !== undefined;
  if (HAS_DIGIT.test(text)) return parseNumberShapes(text).length > 0 || parseDateShape(text) !== null;
  return BOOLEAN_WORDS.has(text.toUpperCase());
}

/** The first integer that may have more digits than a number represents. Readers would take such integers for codes. */
const MAX_WHOLE = 1e15;

function formatNumberField(value: number, decimal: '.' | ',', delimiter: string): string {
  const text = Math.abs(value) >= MAX_WHOLE ? value.toExponential() : String(value);
  if (decimal === '.') return text;
  const local = text.replace('.', ',');
  return local.includes(delimiter) ? `"${local}"` : local;
}
