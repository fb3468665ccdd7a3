import { CR, isDigit, LF, MINUS, SPACE } from './plain-bytes.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TAB = 0x09;
const NOTHING = Buffer.alloc(0);
/** Special value that differs from all bytes. */
const NO_BYTE = -1;

/** Number of bytes that are searched one by one, because a call of native code would take longer. */
const MAX_SEARCHED_SINGLY = 48;

/** Returns the position of the next quotation mark; -1 if there is none. */
function findQuote(bytes: Buffer, from: number): number {
  const limit = Math.min(bytes.length, from + MAX_SEARCHED_SINGLY);
  for (let at = from; at < limit; at++) if (bytes[at] === QUOTE) return at;
  return limit === bytes.length ? -1 : bytes.indexOf(QUOTE, limit);
}

/** True if two bytes are a backslash and an escaped quotation mark or backslash. */
function isEscapedByte(byte: number | undefined, next: number | undefined): boolean {
  return byte === BACKSLASH && (next === QUOTE || next === BACKSLASH);
}

/** Receives the fields of a CSV text in order. */
export interface FieldHandler {
  /**
   * Receives a field: UTF-8 from `start` to `end`, valid only during the call. `quoted`: it had quotation marks.
   * `isBroken`: there was text after the closing mark. `isPadded`: there were blanks before the opening mark.
   */
  addField(bytes: Buffer, start: number, end: number, quoted: boolean, isBroken: boolean, isPadded: boolean): void;
  endRow(): void;
}

/** Reads numbers directly, because finding the end of a field first would examine its bytes twice. */
export interface NumberFieldReader {
  /** Returns the end of the number at `start`; negative if the field must be reported to the handler. */
  findNumberEnd(bytes: Buffer, start: number): number;
  /** Receives the number that `findNumberEnd` found. Called instead of `addField` if the field ends after the number. */
  addNumberField(): void;
  /** Reads rows of numbers from `start`, the beginning of a row. Returns the position after them. */
  readRows(bytes: Buffer, start: number): number;
}

/** How a CSV text separates and quotes its fields. */
export interface FieldForm {
  /** The delimiter; empty if every line is one field. */
  readonly delimiter: string;
  /** True if blanks at the beginning of a field separate it from the delimiter: `1, "a, b"`. */
  readonly hasPaddedQuotes?: boolean;
  /** True if a backslash in a quoted field precedes a quotation mark or a backslash of the text: `"a \\"b\\""`. */
  readonly hasBackslashes?: boolean;
}

/**
 * Splits CSV text (RFC 4180) in UTF-8, given in chunks, into fields. Lenient: rows may differ in length, line ends may
 * be CRLF, LF or CR in one file, blanks after a closing quotation mark are left out, and other text after it belongs to
 * the field. No library is used: libraries that report quotation marks, which typing needs, are many times slower, and
 * they create strings, which numbers and most texts do not need.
 */
export class FieldSplitter {
  /** The incomplete field at the end of the last chunk. */
  private partialField: Buffer = NOTHING;
  private joined: Buffer = NOTHING;
  /** True if the last delimiter must be followed by a field, which may be empty. */
  private due = false;
  /** First byte of the delimiter, and the remaining bytes. */
  private readonly delimiter: number;
  private readonly more: Buffer;
  private readonly hasPaddedQuotes: boolean;
  private readonly hasBackslashes: boolean;
  private readonly handler: FieldHandler;
  private readonly numbers: NumberFieldReader | null;
  private unescaped: Buffer = NOTHING;

  constructor(
    { delimiter, hasPaddedQuotes = false, hasBackslashes = false }: FieldForm,
    handler: FieldHandler,
    numbers: NumberFieldReader | null = null,
  ) {
    const bytes = Buffer.from(delimiter);
    this.hasPaddedQuotes = hasPaddedQuotes;
    this.hasBackslashes = hasBackslashes;
    this.delimiter = bytes[0] ?? NO_BYTE;
    this.more = bytes.subarray(1);
    this.handler = handler;
    // Numbers would contain such a delimiter.
    this.numbers = isDigit(this.delimiter) || this.delimiter === MINUS ? null : numbers;
  }

  /** Size of the incomplete field, in bytes. */
  get pending(): number {
    return this.partialField.length;
  }

  writeChunk(piece: Buffer): void {
    this.splitFields(this.partialField.length === 0 ? piece : this.joinPieces(this.partialField, piece), false);
  }

  /** Joins two pieces in memory that the next call uses again. */
  private joinPieces(first: Buffer, second: Buffer): Buffer {
    const length = first.length + second.length;
    if (this.joined.length < length) this.joined = Buffer.allocUnsafeSlow(2 * length);
    first.copy(this.joined);
    second.copy(this.joined, first.length);
    return this.joined.subarray(0, length);
  }

  /** Ends the text. Returns false if a quotation mark is not closed; the last field is then not reported. */
  endText(): boolean {
    this.splitFields(this.partialField, true);
    if (this.partialField.length > 0) return false;
    if (this.due) {
      this.handler.addField(NOTHING, 0, 0, false, false, false);
      this.handler.endRow();
    }
    this.due = false;
    return true;
  }

  /** Splits bytes into fields. Keeps an incomplete field for the next chunk unless it is the final one. */
  private splitFields(bytes: Buffer, isFinal: boolean): void {
    let at = 0;
    while (at < bytes.length) {
      if (!this.due && this.numbers !== null) {
        at = this.numbers.readRows(bytes, at);
        if (at === bytes.length) break;
      }
      let end = this.splitNumber(bytes, at);
      if (end < 0) end = this.splitField(bytes, at, isFinal);
      if (end < 0) break;
      at = this.endField(bytes, end);
    }
    // The chunk's memory may be reused for the next one.
    this.partialField = Buffer.from(bytes.subarray(at));
  }

  /** Reports a number and returns the position of its end; negative if the field is no plain number. */
  private splitNumber(bytes: Buffer, start: number): number {
    const first = bytes[start] as number;
    if (this.numbers === null || !(isDigit(first) || first === MINUS)) return -1;
    const end = this.numbers.findNumberEnd(bytes, start);
    if (end < 0 || end + 1 >= bytes.length) return -1;
    const byte = bytes[end];
    const isEnd = byte === LF || byte === CR || (byte === this.delimiter && this.more.length === 0);
    if (!isEnd) return -1;
    this.numbers.addNumberField();
    return end;
  }

  /** Reports the field and returns the position of its end; -1 if the text ends before. */
  private splitField(bytes: Buffer, start: number, isFinal: boolean): number {
    if (bytes[start] === QUOTE) return this.splitQuotedField(bytes, start, isFinal, false);
    if (!this.hasPaddedQuotes) return this.splitPlainField(bytes, start, isFinal);
    const first = this.skipBlanks(bytes, start, bytes.length);
    if (first === bytes.length && !isFinal) return -1;
    return bytes[first] === QUOTE
      ? this.splitQuotedField(bytes, first, isFinal, first > start)
      : this.splitPlainField(bytes, first, isFinal);
  }

  private isBlank(byte: number | undefined): boolean {
    return (byte === SPACE || byte === TAB) && byte !== this.delimiter;
  }

  /** Returns the position of the first byte that is not a blank; `end` if there is none before it. */
  private skipBlanks(bytes: Buffer, from: number, end: number): number {
    let at = from;
    while (at < end && this.isBlank(bytes[at])) at++;
    return at;
  }

  /** Reports an unquoted field. Returns the position of its end; negative if the end is in the next chunk. */
  private splitPlainField(bytes: Buffer, start: number, isFinal: boolean): number {
    const end = this.findTerminator(bytes, start, isFinal);
    if (end >= 0) this.handler.addField(bytes, start, end, false, false, false);
    return end;
  }

  /**
   * Splits a field that begins with a quotation mark. `isPadded`: there are blanks before the mark. Such a field is
   * plain if text follows the closing mark.
   */
  private splitQuotedField(bytes: Buffer, start: number, isFinal: boolean, isPadded: boolean): number {
    const first = start + 1;
    let close = findQuote(bytes, first);
    let hasMarks = false;
    for (let length = 0; close >= 0; close = findQuote(bytes, close + length)) {
      length = this.measureMark(bytes, first, close);
      if (length === 0) break;
      hasMarks = true;
    }
    if (close < 0 && isFinal && isPadded) return this.splitPlainField(bytes, start, isFinal);
    if (close < 0 || (close + 1 === bytes.length && !isFinal)) return -1;
    const end = this.findTerminator(bytes, close + 1, isFinal);
    if (end < 0) return -1;
    const isBroken = this.skipBlanks(bytes, close + 1, end) < end;
    if (isBroken && isPadded) return this.splitPlainField(bytes, start, isFinal);
    const hasEscapes = hasMarks || (this.hasBackslashes && bytes.subarray(first, close).includes(BACKSLASH));
    if (!isBroken && !hasEscapes) this.handler.addField(bytes, first, close, true, false, isPadded);
    else {
      const length = this.unescapeField(bytes, first, close, isBroken ? end : close + 1);
      this.handler.addField(this.unescaped, 0, length, true, isBroken, isPadded);
    }
    return end;
  }

  /**
   * Copies the text of a quoted field to `unescaped`: the bytes between the marks, then the bytes after the closing mark
   * up to `end`. Returns the length of the text. The next field uses the same memory.
   */
  private unescapeField(bytes: Buffer, first: number, close: number, end: number): number {
    if (this.unescaped.length < end - first) this.unescaped = Buffer.allocUnsafeSlow(2 * (end - first));
    const { unescaped, hasBackslashes } = this;
    let length = 0;
    for (let at = first; at < close; at++) {
      const next = bytes[at + 1];
      const isEscaped = bytes[at] === QUOTE ? next === QUOTE : hasBackslashes && isEscapedByte(bytes[at], next);
      if (isEscaped && at + 1 < close) at++;
      unescaped[length++] = bytes[at] as number;
    }
    return length + bytes.copy(unescaped, length, close + 1, end);
  }

  /** Length of a quotation mark within a text: 2 if it is doubled, 1 after a backslash; 0 if it closes the field. */
  private measureMark(bytes: Buffer, first: number, offset: number): number {
    let backslashes = 0;
    if (this.hasBackslashes)
      while (offset - backslashes > first && bytes[offset - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 1) return 1;
    return bytes[offset + 1] === QUOTE ? 2 : 0;
  }

  /** Returns the position of the next delimiter or line end; -1 if it may be in the next chunk. */
  private findTerminator(bytes: Buffer, from: number, isFinal: boolean): number {
    const { delimiter } = this;
    const { length } = bytes;
    const more = this.more.length;
    for (let i = from; i < length; i++) {
      const byte = bytes[i] as number;
      if (byte === LF) return i;
      if (byte === CR) return i + 1 < length || isFinal ? i : -1;
      if (byte !== delimiter) continue;
      if (more === 0 || this.isDelimiter(bytes, i)) return i;
      if (i + more >= length && !isFinal) return -1;
    }
    return isFinal ? length : -1;
  }

  private isDelimiter(bytes: Buffer, offset: number): boolean {
    const { delimiter, more } = this;
    return (
      bytes[offset] === delimiter && (more.length === 0 || more.every((byte, i) => bytes[offset + 1 + i] === byte))
    );
  }

  /** Processes the end of a field, and returns the position of the next one. */
  private endField(bytes: Buffer, end: number): number {
    this.due = this.isDelimiter(bytes, end);
    if (this.due) return end + 1 + this.more.length;
    this.handler.endRow();
    return bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1;
  }
}
