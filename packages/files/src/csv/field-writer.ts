import { DIGITS_ROOM, ShortNumber } from '@cellwire/engine';
import { CSV_CHUNK_BYTES } from '../limits/limits.ts';
import { NONE } from './plain-bytes.ts';
import { putShortDecimal } from './short-decimal.ts';

/** The first integer that may have more digits than a number represents. Readers would take such integers for codes. */
const MAX_WHOLE = 1e15;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;
/** Maximum length of a text that is copied character by character. Native code has a fixed cost per call. */
const MAX_SHORT_TEXT = 64;
const FIRST_WIDE = 128;
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/** Writes fields of a CSV file as UTF-8. */
export class FieldWriter {
  private buffer = Buffer.allocUnsafe(CSV_CHUNK_BYTES);
  /** The memory of the bytes that `takeBytes` returned last. */
  private takenBuffer = Buffer.allocUnsafe(CSV_CHUNK_BYTES);
  private view = createView(this.buffer);
  private at = 0;
  private readonly digits = new ShortNumber();
  private readonly delimiterByte: number;
  private readonly decimalByte: number;
  /** True if a decimal mark would end the field. */
  private readonly mustQuoteDecimals: boolean;

  constructor(delimiter: string, decimal: '.' | ',') {
    this.delimiterByte = delimiter.charCodeAt(0);
    this.decimalByte = decimal.charCodeAt(0);
    this.mustQuoteDecimals = decimal === delimiter;
  }

  writeDelimiter(): void {
    this.reserveBytes(1);
    this.buffer[this.at++] = this.delimiterByte;
  }

  endRow(): void {
    this.reserveBytes(2);
    this.buffer[this.at++] = CARRIAGE_RETURN;
    this.buffer[this.at++] = LINE_FEED;
  }

  /** Writes a number with all its digits, without groups. */
  writeNumber(value: number): void {
    this.reserveBytes(DIGITS_ROOM);
    const end = this.mustQuoteDecimals ? NONE : putShortDecimal(this.buffer, this.at, value, this.decimalByte);
    if (end === NONE) this.writeOtherNumber(value);
    else this.at = end;
  }

  /** Writes a number that `putShortDecimal` does not write. */
  private writeOtherNumber(value: number): void {
    this.reserveBytes(DIGITS_ROOM);
    if (!this.mustQuoteDecimals && this.digits.splitNumber(value)) {
      this.at = this.digits.putDigits(this.view, this.at, this.decimalByte);
      return;
    }
    const text = Math.abs(value) >= MAX_WHOLE ? value.toExponential() : String(value);
    const local = text.replace('.', String.fromCharCode(this.decimalByte));
    this.writeText(this.mustQuoteDecimals && local !== text ? `"${local}"` : local);
  }

  /**
   * Writes rows of numbers, from row `first` to row `end`, exclusive. `columns`: the numbers by column. Stops early if the
   * bytes should be taken. Returns the row after the last written row.
   */
  writeNumberRows(columns: readonly Float64Array[], first: number, end: number): number {
    const { delimiterByte, decimalByte } = this;
    let row = first;
    while (row < end && !this.isFull) {
      this.reserveBytes(columns.length * (DIGITS_ROOM + 1) + 2);
      let { buffer, at } = this;
      for (const numbers of columns) {
        const value = numbers[row] as number;
        const next = this.mustQuoteDecimals ? NONE : putShortDecimal(buffer, at, value, decimalByte);
        if (next === NONE) {
          this.at = at;
          this.writeOtherNumber(value);
          ({ buffer, at } = this);
        } else at = next;
        buffer[at++] = delimiterByte;
      }
      this.at = at - 1;
      this.endRow();
      row++;
    }
    return row;
  }

  writeText(text: string): void {
    this.reserveBytes(text.length * MAX_UNIT_BYTES);
    const copied = text.length > MAX_SHORT_TEXT ? 0 : this.copyAscii(text);
    if (copied < text.length) this.at += this.buffer.write(copied === 0 ? text : text.slice(copied), this.at);
  }

  /** Writes the ASCII characters at the beginning of a text. Returns their number. */
  private copyAscii(text: string): number {
    const { buffer, at } = this;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= FIRST_WIDE) {
        this.at += i;
        return i;
      }
      buffer[at + i] = unit;
    }
    this.at += text.length;
    return text.length;
  }

  /** True if the bytes should be taken: another row would probably not fit. */
  get isFull(): boolean {
    return this.at > CSV_CHUNK_BYTES / 2;
  }

  /** Returns the bytes written since the last call. They stay unchanged until the next call. */
  takeBytes(): Uint8Array {
    const bytes = this.buffer.subarray(0, this.at);
    [this.buffer, this.takenBuffer] = [this.takenBuffer, this.buffer];
    this.view = createView(this.buffer);
    this.at = 0;
    return bytes;
  }

  /** Grows the buffer so that this many bytes fit. */
  private reserveBytes(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(grown, 0, 0, this.at);
    this.buffer = grown;
    this.view = createView(grown);
  }
}

function createView({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): DataView<ArrayBuffer> {
  return new DataView(buffer, byteOffset, byteLength);
}
