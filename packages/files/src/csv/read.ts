import { stat } from 'node:fs/promises';
import {
  CellError,
  FIRST_SHEET_ID,
  getLocale,
  type KnownFormats,
  type LocaleId,
  PackedCells,
  PackedFormats,
  type Scalar,
  type WorkbookData,
} from '@cellwire/engine';
import { type ChunkSink, createChunkSender } from '../cells/chunk-sink.ts';
import { formatDateTime } from '../cells/date-time-text.ts';
import { DEFAULT_FILE_LIMITS, type FileLimits } from '../limits/limits.ts';
import { describeForeignFile } from '../outcome/foreign-format.ts';
import { LeftOut, type LeftOutItem } from '../outcome/left-out.ts';
import { type FileRefusal, isRefusal, refuseFile } from '../outcome/refusal.ts';
import type { CsvColumnType, ImportedColumn } from './column-type.ts';
import { type CsvSample, chooseDelimiter, type Delimiter } from './delimiter.ts';
import { type CsvEncoding, detectEncoding, readAsUtf8 } from './encoding.ts';
import { FieldGrid, type FieldVisitor } from './field-grid.ts';
import { FieldTyping, type ValueSink } from './field-typing.ts';
import { FieldSplitter, type NumberFieldReader } from './fields.ts';
import { NumberRowReader } from './number-rows.ts';
import { NONE } from './plain-bytes.ts';
import { findEncodingName } from './text-decoder.ts';

export interface ReadCsvOptions {
  /** The document's locale. Its words for booleans are recognised, and it decides in ambiguous cases. */
  readonly locale: LocaleId;
  /** IANA name of the time zone; `UTC` by default. */
  readonly timeZone?: string;
  /** Name of the sheet. By default `Sheet1`, with the word for “sheet” of the locale. */
  readonly sheetName?: string;
  /** The delimiter, one character; detected by default. */
  readonly delimiter?: string;
  /** Decimal mark of numbers; detected by default. */
  readonly decimal?: '.' | ',';
  /** A label for which `isTextEncoding` is true (`windows-1250`, `shift_jis`, `ibm850`); detected by default. */
  readonly encoding?: string;
  /** Types of columns, by name in the first row or by letters; detected by default. */
  readonly columns?: ReadonlyMap<string, CsvColumnType>;
  readonly limits?: FileLimits;
  /** Receives the sheet's cells while they are read, except the last ones. If absent, all cells are in the result. */
  readonly chunks?: ChunkSink;
  /** Called with the progress, from 0 to 1, at most a hundred times. */
  readonly onProgress?: (fraction: number) => void;
}

export interface CsvImport {
  readonly data: WorkbookData;
  /** Formats that are referenced by the chunks in the sink. */
  readonly formats: KnownFormats;
  readonly columns: readonly ImportedColumn[];
  readonly csv: CsvConventions;
  readonly leftOut: readonly LeftOutItem[];
}

/** How a CSV file was read, for users to check. */
export interface CsvConventions {
  /** The delimiter; `tab` for a tab, null if every line is one field. */
  readonly delimiter: string | null;
  /** Name of the encoding. */
  readonly encoding: string;
  readonly decimal: '.' | ',';
  /** Order of day and month in dates with slashes. */
  readonly dateOrder: 'dmy' | 'mdy';
  /** The first rows with their values: dates and times as ISO texts, errors as their codes. */
  readonly preview: readonly (readonly CsvPreviewValue[])[];
}

type CsvPreviewValue = string | number | boolean | null;

/**
 * Reads a CSV file (delimited by comma, semicolon, tab or `|`, in the encoding that `detectEncoding` returns) into a
 * workbook with one sheet. Fields become numbers, dates, booleans and errors if no information is lost (see
 * `FieldTyping`); all other fields are text. A field that starts with `=` is also text, because a file from another
 * program must not add formulas.
 *
 * The file is read twice instead of being kept in memory: for its encoding, and for its values with the column rules of
 * its beginning. It is read a third time if the whole file leads to other rules.
 */
export async function readCsv(path: string, options: ReadCsvOptions): Promise<CsvImport | FileRefusal> {
  const limits = options.limits ?? DEFAULT_FILE_LIMITS;
  const { size } = await stat(path);
  if (size > limits.fileBytes) {
    return refuseFile(`The file has ${size} bytes; at most ${limits.fileBytes} are read. Split it into several files.`);
  }
  // If the caller specifies the delimiter, the lines of any text file are read, also of HTML or JSON.
  const foreign = await describeForeignFile(path, options.delimiter !== undefined);
  if (foreign !== null) return refuseFile(foreign);
  const progress = new ReadProgress(size, options.onProgress);
  const { encoding: specified } = options;
  const encoding =
    specified === undefined
      ? await detectEncoding(path, options.locale, progress.addBytes)
      : { label: specified, isPlainUtf8: false, isSpecified: true };
  if (isRefusal(encoding)) return encoding;
  const sample = readSample(path, encoding, size);
  const start = chooseDelimiter(sample, options.delimiter);
  const source: CsvSource = { path, encoding, start, limits, onBytes: progress.addBytes, chunks: options.chunks };
  const typing = new FieldTyping(options.locale, start.delimiter, options.columns ?? new Map(), options.decimal);
  const learn: FieldVisitor = (row, column, bytes, from, to, quoted) =>
    typing.learnFromField(row, column, bytes.toString('utf8', from, to), quoted);
  new FieldSplitter(start, new FieldGrid(limits, learn)).writeChunk(sample.bytes.subarray(start.head));
  typing.updateRules();
  progress.startPass(1);
  const first = await readCells(source, typing);
  if (isRefusal(first)) return first;
  const isMisled = typing.updateRules();
  const missing = typing.findMissingColumn();
  if (missing !== undefined) {
    return refuseFile(`There is no column ${missing}. Use the names of the first row, or column letters.`, 'columns');
  }
  if (isMisled) await options.chunks?.clear();
  const read = isMisled ? await readCells(source, typing) : first;
  if (isRefusal(read)) return read;
  const { cells, packedFormats, preview, loneSurrogates: halves } = read;
  const name = options.sheetName ?? `${getLocale(options.locale).sheetWord}1`;
  const data: WorkbookData = {
    settings: { locale: options.locale, dateSystem: 'google', timeZone: options.timeZone ?? 'UTC' },
    names: [],
    tables: [],
    sheets: [{ name, hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells }],
  };
  const leftOut = new LeftOut();
  leftOut.addItem('halfSurrogates', halves);
  const csv: CsvConventions = {
    delimiter: start.delimiter === '\t' ? 'tab' : start.delimiter || null,
    encoding: findEncodingName(encoding.label),
    ...typing.describeConventions(),
    preview,
  };
  return {
    data,
    columns: typing.describeColumns(),
    formats: packedFormats.storedFormats(),
    csv,
    leftOut: leftOut.listItems(),
  };
}

interface CsvSource {
  readonly path: string;
  readonly encoding: CsvEncoding;
  readonly start: Delimiter;
  readonly limits: FileLimits;
  readonly onBytes: (bytes: number) => void;
  readonly chunks: ChunkSink | undefined;
}

/** Size of the beginning of the file from which the delimiter and the column rules are derived, in bytes. */
const SAMPLE_BYTES = 128 * 1024;

/** Reads the beginning of a file, `SAMPLE_BYTES` long. `size`: size of the file in bytes. */
function readSample(path: string, encoding: CsvEncoding, size: number): CsvSample {
  const pieces: Buffer[] = [];
  for (const piece of readAsUtf8(path, encoding, SAMPLE_BYTES, () => undefined)) {
    // The last character of the sample may be incomplete. Other errors are reported when the whole file is read.
    if (!isRefusal(piece)) pieces.push(Buffer.from(piece));
  }
  return { bytes: Buffer.concat(pieces), isWhole: size <= SAMPLE_BYTES };
}

interface CellsResult {
  readonly cells: PackedCells;
  readonly packedFormats: PackedFormats;
  readonly preview: CsvConventions['preview'];
  /** Number of lone surrogates that were replaced by U+FFFD. */
  readonly loneSurrogates: number;
}

/** Reads the values of the file. `typing` converts the fields, and updates its rules with each of them. */
async function readCells(source: CsvSource, typing: FieldTyping): Promise<CellsResult | FileRefusal> {
  const packedFormats = new PackedFormats();
  const give = source.chunks && createChunkSender(source.chunks, FIRST_SHEET_ID);
  const cells = new PackedCells({ packedFormats, ...(give && { give }) });
  const sink = new CellValueSink(cells, packedFormats);
  const visit: FieldVisitor = (row, column, bytes, start, end, quoted) =>
    typing.processField(row, column, bytes, start, end, quoted, sink);
  let halves = 0;
  const onHalves = (count: number) => {
    halves += count;
  };
  const grid = new FieldGrid(source.limits, visit);
  const rows = new NumberRowReader(source.start.delimiter, {
    get row() {
      return grid.row;
    },
    findNumberColumns: () => typing.findNumberColumns(grid.row),
    countFreeRows: (columns) => grid.countFreeRows(columns),
    addColumn: (column, numbers) => typing.addPlainNumbers(grid.row, column, numbers, sink),
    endRows: (count, columns) => grid.endNumberRows(count, columns),
  });
  const numbers: NumberFieldReader = {
    findNumberEnd: (bytes, start) =>
      grid.canAddField() ? typing.findNumberEnd(grid.row, grid.column, bytes, start) : NONE,
    addNumberField() {
      typing.addPlainNumber(grid.row, grid.column, sink);
      grid.countNumberField();
    },
    readRows: (bytes, start) => rows.readRows(bytes, start),
  };
  const refusal = await readFields(source, grid, numbers, onHalves);
  return refusal ?? { cells, packedFormats, preview: sink.preview, loneSurrogates: halves };
}

/** Maximum number of rows and columns of the preview, and of characters in one of its texts. */
const PREVIEW_ROWS = 5;
const MAX_PREVIEW_COLUMNS = 50;
const MAX_PREVIEW_LENGTH = 200;

class CellValueSink implements ValueSink {
  private readonly cells: PackedCells;
  private readonly packedFormats: PackedFormats;
  /** The last format. Most formatted values are dates with the same format. */
  private format: string | undefined;
  private formatId = 0;
  readonly preview: CsvPreviewValue[][] = [];

  constructor(cells: PackedCells, packedFormats: PackedFormats) {
    this.cells = cells;
    this.packedFormats = packedFormats;
  }

  addNumber(row: number, column: number, value: number): void {
    if (row < PREVIEW_ROWS) this.addPreviewValue(row, column, value);
    this.cells.putNumber(row, column, value);
  }

  addNumbers(row: number, column: number, numbers: Float64Array): void {
    for (let i = 0; row + i < PREVIEW_ROWS && i < numbers.length; i++) {
      this.addPreviewValue(row + i, column, numbers[i] as number);
    }
    this.cells.putNumbers(row, column, numbers);
  }

  addText(row: number, column: number, bytes: Buffer, start: number, end: number): void {
    if (row < PREVIEW_ROWS) this.addPreviewValue(row, column, bytes.toString('utf8', start, end));
    const isPut = this.cells.putUtf8(row, column, bytes, start, end);
    if (!isPut) this.cells.put(row, column, bytes.toString('utf8', start, end));
  }

  addValue(row: number, column: number, value: Scalar, format: string | undefined): void {
    if (format !== this.format) {
      this.formatId = this.packedFormats.ensureFormat(format);
      this.format = format;
    }
    if (row < PREVIEW_ROWS) this.addPreviewValue(row, column, value, format);
    this.cells.put(row, column, value, this.formatId);
  }

  /** Adds a value to the preview of the first rows, if its column is shown there. */
  private addPreviewValue(row: number, column: number, value: Scalar, format?: string): void {
    if (column >= MAX_PREVIEW_COLUMNS) return;
    while (this.preview.length <= row) this.preview.push([]);
    const shown = this.preview[row] as CsvPreviewValue[];
    while (shown.length < column) shown.push(null);
    shown[column] = toPreviewValue(value, format);
  }
}

/** Returns a value in the form of the preview: dates and times as ISO texts, errors as their codes. */
function toPreviewValue(value: Scalar, format: string | undefined): CsvPreviewValue {
  if (value instanceof CellError) return value.code;
  if (typeof value === 'string') return value.slice(0, MAX_PREVIEW_LENGTH).toWellFormed();
  const isMoment = typeof value === 'number' && format !== undefined;
  return (isMoment ? formatDateTime(value, format, 'google') : null) ?? value;
}

/** Maximum size of a UTF-16 unit in UTF-8, in bytes. */
const MAX_UNIT_BYTES = 3;

/** Reads the file and passes its fields to the grid. Returns why the file is refused; null on success. */
async function readFields(
  source: CsvSource,
  grid: FieldGrid,
  numbers: NumberFieldReader,
  onLoneSurrogates: (count: number) => void,
): Promise<FileRefusal | null> {
  const { path, encoding, start, limits, onBytes, chunks } = source;
  const splitter = new FieldSplitter(start, grid, numbers);
  // Quotation marks may be doubled, so a field may need twice its length plus two marks.
  const maxPending = (limits.textLength * 2 + 2) * MAX_UNIT_BYTES;
  let { head } = start;
  for (const piece of readAsUtf8(path, encoding, Number.POSITIVE_INFINITY, onBytes, onLoneSurrogates)) {
    if (isRefusal(piece)) return piece;
    splitter.writeChunk(piece.subarray(head));
    head = 0;
    if (grid.problem) return refuseFile(grid.problem);
    if (splitter.pending > maxPending) return refuseFile(describeUnclosedQuote(grid.row));
    const room = chunks?.waitForRoom() ?? null;
    if (room !== null) await room;
  }
  if (!splitter.endText()) return refuseFile(describeUnclosedQuote(grid.row));
  return grid.problem ? refuseFile(grid.problem) : null;
}

function describeUnclosedQuote(row: number): string {
  return `Row ${row + 1} has a quotation mark that is not closed, or a text that is too long. Correct the file there.`;
}

/**
 * Number of passes over the file that count as progress: one for the encoding, one for the values. A third pass is rare
 * and not counted.
 */
const PASSES = 2;

class ReadProgress {
  private readonly size: number;
  private readonly report: ((fraction: number) => void) | undefined;
  private done = 0;
  private reported = 0;

  constructor(size: number, report: ((fraction: number) => void) | undefined) {
    this.size = size;
    this.report = report;
  }

  /** Begins the progress of a pass over the file. Passes are numbered from 0. */
  startPass(pass: number): void {
    this.done = this.size * pass;
  }

  /** Counts read bytes and reports the progress from 0 to 1, at each whole percent. */
  readonly addBytes = (bytes: number): void => {
    this.done += bytes;
    const percent = Math.floor((this.done / this.size / PASSES) * 100);
    if (percent <= this.reported) return;
    this.reported = percent;
    this.report?.(percent / 100);
  };
}
