import { CHUNK_ROWS } from '@cellwire/engine';
import {
  CR,
  GROUP_DIGITS,
  isDigit,
  LF,
  MAX_DIGITS,
  MAX_SHORT_DIGITS,
  MINUS,
  NONE,
  POWERS,
  ZERO,
} from './plain-bytes.ts';

/** Maximum number of columns of rows that are read at once. Their values need two KiB of memory a column. */
const MAX_ROW_COLUMNS = 256;
/** After a row that does not consist of numbers only, this many rows are read field by field. */
const SKIPPED_ROWS = 16;
const NINE = 9;

/** Tells which numbers of a column add no evidence to it. Whole numbers add none. */
export interface NumberColumn {
  /** The byte of the decimal mark; `NONE` if numbers with a decimal mark add evidence. */
  readonly mark: number;
  /** True if numbers whose mark is certainly a decimal mark add no evidence. */
  readonly canBeCertain: boolean;
  /** True if numbers whose mark could also separate groups add no evidence. */
  readonly canBeEither: boolean;
}

/** Receives rows of numbers. */
interface NumberRowHandler {
  /** The number of the next row. */
  readonly row: number;
  /** The columns of the file if all of them contain numbers; else null. */
  findNumberColumns(): readonly NumberColumn[] | null;
  /** The largest number of rows that can follow without exceeding a limit. `columns`: their number of columns. */
  countFreeRows(columns: number): number;
  /** Receives the numbers of a column in consecutive rows, which are valid only during the call. */
  addColumn(column: number, numbers: Float64Array): void;
  /** Ends the rows whose columns were added. */
  endRows(rows: number, columns: number): void;
}

/**
 * Reads rows that consist of numbers only, many at a time: the fields of most large files. Passing on each number alone
 * takes three times as long.
 */
export class NumberRowReader {
  private readonly delimiter: number;
  private readonly handler: NumberRowHandler;
  /** The numbers of the rows by column; each column has `CHUNK_ROWS` places. */
  private numbers = new Float64Array(0);
  private marks = new Int16Array(0);
  private certain = new Uint8Array(0);
  private either = new Uint8Array(0);
  /** The position after the rows that `readRows` read last. */
  private end = 0;
  /** The first row that may be read here. Earlier rows are read field by field. */
  private firstRow = 0;

  constructor(delimiter: string, handler: NumberRowHandler) {
    this.delimiter = toByte(delimiter);
    this.handler = handler;
  }

  /** Reads rows from `start`, the beginning of a row. Returns the position after them. */
  readRows(bytes: Uint8Array, start: number): number {
    const { handler } = this;
    if (handler.row < this.firstRow) return start;
    const columns = handler.findNumberColumns();
    if (columns === null || columns.length > MAX_ROW_COLUMNS) {
      this.firstRow = handler.row + SKIPPED_ROWS;
      return start;
    }
    this.setColumns(columns);
    // An incomplete row at the end is read with the next bytes.
    const limit = bytes.lastIndexOf(LF);
    let at = start;
    while (at <= limit) {
      const room = Math.min(CHUNK_ROWS - (handler.row % CHUNK_ROWS), handler.countFreeRows(columns.length));
      const rows = this.readBlock(bytes, at, limit, room);
      at = this.end;
      for (let column = 0; column < columns.length && rows > 0; column++) {
        const place = column * CHUNK_ROWS;
        handler.addColumn(column, this.numbers.subarray(place, place + rows));
      }
      if (rows > 0) handler.endRows(rows, columns.length);
      if (rows < room || room <= 0) {
        this.firstRow = at > limit ? handler.row : handler.row + SKIPPED_ROWS;
        break;
      }
    }
    return at;
  }

  private setColumns(columns: readonly NumberColumn[]): void {
    if (this.marks.length !== columns.length) {
      this.numbers = new Float64Array(columns.length * CHUNK_ROWS);
      this.marks = new Int16Array(columns.length);
      this.certain = new Uint8Array(columns.length);
      this.either = new Uint8Array(columns.length);
    }
    for (const [i, { mark, canBeCertain, canBeEither }] of columns.entries()) {
      this.marks[i] = mark;
      this.certain[i] = canBeCertain ? 1 : 0;
      this.either[i] = canBeEither ? 1 : 0;
    }
  }

  /**
   * Reads up to `room` rows from `start` into `numbers`, and sets `end`. `limit`: position of the last line feed.
   * Returns the number of rows.
   */
  private readBlock(bytes: Uint8Array, start: number, limit: number, room: number): number {
    const { numbers, marks, delimiter } = this;
    const width = marks.length;
    let row = 0;
    let rowStart = start;
    for (; row < room && rowStart <= limit; row++) {
      let at = rowStart;
      let column = 0;
      for (; column < width; column++) {
        // All reads end at `limit` at the latest, because a line feed is no part of a number.
        let digit = (bytes[at] as number) - ZERO;
        const isNegative = digit === MINUS - ZERO;
        if (isNegative) digit = (bytes[++at] as number) - ZERO;
        const first = at;
        let value = 0;
        while (digit >= 0 && digit <= NINE) {
          value = (Math.imul(value, 10) + digit) | 0;
          digit = (bytes[++at] as number) - ZERO;
        }
        const whole = at - first;
        if (whole === 0 || (whole > 1 && bytes[first] === ZERO)) break;
        let decimals = 0;
        if (digit + ZERO === marks[column]) {
          const mark = at;
          digit = (bytes[++at] as number) - ZERO;
          while (digit >= 0 && digit <= NINE) {
            value = (Math.imul(value, 10) + digit) | 0;
            digit = (bytes[++at] as number) - ZERO;
          }
          decimals = at - mark - 1;
          if (decimals === 0) break;
          const isEither = decimals === GROUP_DIGITS && whole <= GROUP_DIGITS && bytes[first] !== ZERO;
          if ((isEither ? this.either : this.certain)[column] === 0) break;
        }
        let size = value;
        if (whole + decimals > MAX_SHORT_DIGITS) {
          if (whole + decimals > MAX_DIGITS) break;
          size = readDigits(bytes, first, at);
        }
        if (decimals > 0) size /= POWERS[decimals] as number;
        const end = digit + ZERO;
        if (column < width - 1) {
          if (end !== delimiter) break;
        } else if (end === CR) {
          if (bytes[++at] !== LF) break;
        } else if (end !== LF) break;
        at++;
        numbers[column * CHUNK_ROWS + row] = isNegative ? -size : size;
      }
      if (column < width) break;
      rowStart = at;
    }
    this.end = rowStart;
    return row;
  }
}

/** The byte of a delimiter; `NONE` if there is none, or if it has several bytes. */
function toByte(delimiter: string): number {
  const bytes = Buffer.from(delimiter);
  return bytes.length === 1 ? (bytes[0] as number) : NONE;
}

/** The integer of the digits from `start` to `end`. Other bytes are left out. */
function readDigits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (isDigit(byte)) value = value * 10 + byte - ZERO;
  }
  return value;
}
