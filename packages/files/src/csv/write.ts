import { open, rename, rm } from 'node:fs/promises';
import { CellError, type DateSystem, errorByCode, getLocale, LOCALE_IDS, type Scalar } from '@cellwire/engine';
import { formatDateTime, isMomentFormat } from '../cells/date-time-text.ts';
import { parseDateShape } from './date-shape.ts';
import { startsLikeValue, startsMonth } from './field-text.ts';
import { FieldWriter } from './field-writer.ts';
import { parseNumberShapes } from './number-shape.ts';

/** Consecutive rows of a sheet. */
export interface CsvBlock {
  readonly rows: number;
  /** Cells by column; null for a column without cells. */
  readonly columns: readonly (CsvColumn | null)[];
}

/** The cells of a block that are in one column. Rows count from the first row of the block. */
export interface CsvColumn {
  /** All cells from the first row on, if they are numbers with the same format; else null. */
  readonly numbers: Float64Array | null;
  value(row: number): Scalar;
  /** Number format code; empty for General. Only date formats matter. */
  format(row: number): string;
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
  /** Number of fields in every row. By default a row ends with its last filled cell. */
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
export async function writeCsv(path: string, blocks: Iterable<CsvBlock>, options: WriteCsvOptions): Promise<CsvExport> {
  const partial = `${path}.part`;
  const written = { rows: 0, cells: 0, datesAsNumbers: 0 };
  try {
    await using file = await open(partial, 'w');
    // One part is written while the next one is formatted.
    let writing = Promise.resolve();
    for (const bytes of writeCsvChunks(blocks, options, written)) {
      await writing;
      writing = file.appendFile(bytes);
      // The promise is awaited before the next part, or not at all if formatting fails.
      writing.catch(() => undefined);
    }
    await writing;
    await rename(partial, path);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/** Yields the bytes of the file in parts. A part stays unchanged while the next part is formatted. */
function* writeCsvChunks(
  blocks: Iterable<CsvBlock>,
  options: WriteCsvOptions,
  counts: ExportCounts,
): Generator<Uint8Array> {
  const { delimiter = ',', decimal = '.' } = options;
  const writer = new FieldWriter(delimiter, decimal);
  if (options.bom) writer.writeText(BYTE_ORDER_MARK);
  for (const block of blocks) {
    const numbers = block.columns.map(findPlainNumbers);
    const hasAllFields = block.columns.length === (options.columns ?? block.columns.length);
    if (hasAllFields && areFull(numbers, block.rows)) yield* writeNumberBlock(writer, numbers, block.rows, counts);
    else yield* writeBlock(writer, block, numbers, options, counts);
    counts.rows += block.rows;
  }
  yield writer.takeBytes();
}

/** Writes a block whose cells are all numbers. */
function* writeNumberBlock(
  writer: FieldWriter,
  columns: readonly Float64Array[],
  rows: number,
  counts: ExportCounts,
): Generator<Uint8Array> {
  for (let row = 0; row < rows; ) {
    row = writer.writeNumberRows(columns, row, rows);
    if (writer.isFull) yield writer.takeBytes();
  }
  counts.cells += rows * columns.length;
}

/** Writes a block. `numberColumns`: the result of `findPlainNumbers` for each column. */
function* writeBlock(
  writer: FieldWriter,
  { rows, columns }: CsvBlock,
  numberColumns: readonly (Float64Array | null)[],
  options: WriteCsvOptions,
  counts: ExportCounts,
): Generator<Uint8Array> {
  for (let row = 0; row < rows; row++) {
    const width = options.columns ?? countFields(columns, row);
    for (let column = 0; column < width; column++) {
      if (column > 0) writer.writeDelimiter();
      const numbers = numberColumns[column];
      if (numbers) counts.cells += writePlainNumber(writer, numbers, row);
      else writeCell(writer, columns[column], row, options, counts);
    }
    writer.endRow();
    if (writer.isFull) yield writer.takeBytes();
  }
}

/** True if every column has a number in each row. */
function areFull(columns: readonly (Float64Array | null)[], rows: number): columns is readonly Float64Array[] {
  return columns.length > 0 && columns.every((numbers) => numbers !== null && numbers.length >= rows);
}

/** The number of fields up to the last filled cell of a row. */
function countFields(columns: readonly (CsvColumn | null)[], row: number): number {
  return columns.findLastIndex((cells) => cells !== null && cells.value(row) !== null) + 1;
}

/** The numbers of a column if none of them is written as a date or time; else null. */
function findPlainNumbers(cells: CsvColumn | null): Float64Array | null {
  return cells === null || isMomentFormat(cells.format(0)) ? null : cells.numbers;
}

/** Writes the number of a row, if it has one. Returns the number of cells in the row: 0 or 1. */
function writePlainNumber(writer: FieldWriter, numbers: Float64Array, row: number): number {
  const number = numbers[row];
  if (number === undefined) return 0;
  writer.writeNumber(number);
  return 1;
}

function writeCell(
  writer: FieldWriter,
  cells: CsvColumn | null | undefined,
  row: number,
  options: WriteCsvOptions,
  counts: ExportCounts,
): void {
  const value = cells?.value(row) ?? null;
  if (!cells || value === null) return;
  counts.cells++;
  if (typeof value === 'number') writeFormattedNumber(writer, value, cells.format(row), options, counts);
  else if (typeof value === 'boolean') writer.writeText(value ? 'TRUE' : 'FALSE');
  else writer.writeText(value instanceof CellError ? value.code : formatTextField(value));
}

/** Writes a number as a date or time if its format shows one. */
function writeFormattedNumber(
  writer: FieldWriter,
  value: number,
  format: string,
  options: WriteCsvOptions,
  counts: ExportCounts,
): void {
  const moment = formatDateTime(value, format, options.dateSystem);
  if (moment !== null) {
    writer.writeText(moment);
    return;
  }
  if (isMomentFormat(format)) counts.datesAsNumbers++;
  writer.writeNumber(value);
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

/** A text as a field. It is quoted if a reader would otherwise split it or take it for a number or date. */
function formatTextField(text: string): string {
  const needsQuotes = NEEDS_QUOTES.test(text) || text.trim().length < text.length || isLikeValue(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

const HAS_DIGIT = /\d/;

/** True if `readCsv`, in any locale, would read the text as a number, date, boolean or error. */
function isLikeValue(text: string): boolean {
  if (text.length > MAX_VALUE_LENGTH) return false;
  if (text.startsWith('#')) return errorByCode(text) !== undefined;
  if (HAS_DIGIT.test(text)) {
    // `readCsv` reads every other text with a digit as text. Most texts end here.
    if (!startsLikeValue(text) && !startsMonth(text)) return false;
    return parseNumberShapes(text).length > 0 || parseDateShape(text) !== null;
  }
  return BOOLEAN_WORDS.has(text.toUpperCase());
}
