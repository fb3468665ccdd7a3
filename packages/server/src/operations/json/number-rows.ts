import { MAX_BODY_LISTS } from '../../limits/http.ts';
import { COMMA, findEndOfText, LIST, LIST_END, QUOTE, skipBlanks } from './json-bytes.ts';
import { NO_NUMBER, NumberScanner } from './number-scanner.ts';

/** Bytes that are read between two pauses. */
const BYTES_PER_STEP = 32 * 1024;
/** Maximum bytes of a row, which is read without a pause. Longer rows are parsed like other values. */
const MAX_ROW_BYTES = 512 * 1024;
/** Maximum bytes before the rows. */
const MAX_BYTES_BEFORE = 1_024;

/** A list of rows of numbers in a JSON text: its value, and its offsets. */
export interface NumberRows {
  readonly rows: readonly (readonly number[])[];
  /** Offset of the opening bracket. */
  readonly start: number;
  /** Offset of the closing bracket. */
  readonly end: number;
}

/**
 * Reads the first list of lists in a JSON text if they contain only numbers, with pauses. For a large block of numbers
 * this takes half of the time of scanning and parsing it. Null if no such list begins near the beginning of the text, if
 * it contains other values or integers that a number cannot represent exactly, if it is not valid JSON, or if it has
 * more rows than a body may have lists.
 */
export function* readNumberRows(bytes: Buffer): Generator<void, NumberRows | null> {
  const start = findListOfLists(bytes.subarray(0, MAX_BYTES_BEFORE));
  if (start === null) return null;
  const reader = new RowReader();
  const rows: (readonly number[])[] = [];
  let at = start;
  let pause = start + BYTES_PER_STEP;
  // No row that begins before the pause needs more bytes.
  let piece = bytes.subarray(0, pause + MAX_ROW_BYTES);
  do {
    if (at >= pause) {
      yield;
      pause = at + BYTES_PER_STEP;
      piece = bytes.subarray(0, pause + MAX_ROW_BYTES);
    }
    at = skipBlanks(piece, at + 1);
    const row = piece[at] === LIST ? reader.readRow(piece, at) : null;
    if (row === null || rows.length === MAX_BODY_LISTS) return null;
    rows.push(row);
    at = skipBlanks(piece, reader.end);
  } while (piece[at] === COMMA);
  return piece[at] === LIST_END ? { rows, start, end: at } : null;
}

/** Offset of the first list that begins with a list, outside of strings; null if there is none. */
function findListOfLists(bytes: Uint8Array): number | null {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) at = findEndOfText(bytes, at);
    else if (bytes[at] === LIST && bytes[skipBlanks(bytes, at + 1)] === LIST) return at;
  }
  return null;
}

/** Reads single rows. */
class RowReader {
  /** The offset after the last row. */
  end = 0;
  /** The length of the last row, for which the next row is allocated: a list that grows leaves garbage. */
  private width = 0;
  private readonly numbers = new NumberScanner();

  /** The row whose bracket is at an offset; null if it is empty, too long or contains other values than numbers. */
  readRow(bytes: Buffer, start: number): readonly number[] | null {
    const { numbers } = this;
    const row = new Array<number>(this.width);
    let count = 0;
    let at = start;
    do {
      at = numbers.scan(bytes, skipBlanks(bytes, at + 1));
      if (at === NO_NUMBER) return null;
      if (numbers.isLong) return this.parseRow(bytes, start);
      row[count++] = numbers.number;
      at = skipBlanks(bytes, at);
    } while (bytes[at] === COMMA);
    if (bytes[at] !== LIST_END) return null;
    row.length = count;
    this.width = count;
    this.end = at + 1;
    return row;
  }

  /** Reads a row with long numbers. `JSON.parse` rounds them in a fraction of the time of `Number`. */
  private parseRow(bytes: Buffer, start: number): readonly number[] | null {
    this.end = bytes.indexOf(LIST_END, start) + 1;
    const row = parseList(bytes.toString('latin1', start, this.end));
    return row?.every(isExactNumber) ? row : null;
  }
}

/** The list in a JSON text; null if the text is not valid. */
function parseList(text: string): readonly unknown[] | null {
  try {
    return JSON.parse(text) as readonly unknown[];
  } catch {
    return null;
  }
}

/** True for a number that is no integer beyond ±(2^53 − 1). */
function isExactNumber(value: unknown): value is number {
  return typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
