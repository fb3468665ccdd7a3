import { jsonNumberText } from '../value/json-text.ts';
import { DIGITS_ROOM, putWhole, ShortNumber } from './short-number.ts';

/** Number of bytes after the end of the text that may be overwritten, because whole words are copied. */
const SLACK = 8;
const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const FIRST_PRINTABLE = 32;
const FIRST_WIDE = 128;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
/** Maximum bytes of a UTF-16 unit in JSON: `\u0000`. */
const MAX_UNIT_BYTES = 6;
/**
 * Maximum number of bytes that are copied word by word. Longer parts are copied by native code, which has a fixed cost
 * per call.
 */
const MAX_WORD_COPY = 128;
/** The texts `{"v":` and `,"m":"` as big-endian words, and their remaining bytes. */
const V_HEAD = 0x7b227622;
const M_HEAD = 0x2c226d22;
const M_HEAD_BYTES = 6;
const COLON_QUOTE = 0x3a22;
const COLON = 0x3a;
const NULL = 0x6e756c6c;

/** Capacity that is needed for the cell of a short number, with surrounding brackets and commas. */
const NUMBER_ROOM = 2 * DIGITS_ROOM + 32;

const SHORT_ESCAPES: ReadonlyMap<number, number> = new Map(
  (
    [
      [8, 'b'],
      [9, 't'],
      [10, 'n'],
      [12, 'f'],
      [13, 'r'],
      [QUOTE, '"'],
      [BACKSLASH, '\\'],
    ] as const
  ).map(([unit, letter]) => [unit, letter.charCodeAt(0)]),
);

/** For each ASCII character: 1 if it needs no escape in a JSON string. */
const IS_PLAIN = Uint8Array.from({ length: FIRST_WIDE }, (_, unit) =>
  unit < FIRST_PRINTABLE || unit === QUOTE || unit === BACKSLASH ? 0 : 1,
);

/** Writes JSON text into bytes. */
export class JsonWriter {
  private bytes: Uint8Array<ArrayBuffer>;
  private view: DataView<ArrayBuffer>;
  private at = 0;
  private readonly digits = new ShortNumber();

  /**
   * `bytes`: the first buffer. The caller must not use it while the writer does. If it is too small, the writer
   * allocates another one.
   */
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }

  get length(): number {
    return this.at;
  }

  private reserve(bytes: number): void {
    if (this.at + bytes + SLACK > this.bytes.length) this.grow(bytes);
  }

  private grow(bytes: number): void {
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + bytes + SLACK));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  writeByte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /**
   * Writes the closing bracket of an object or list, and a comma. `closeList` removes the comma of the last element.
   */
  endContainer(bracket: number): void {
    this.reserve(2);
    this.bytes[this.at] = bracket;
    this.bytes[this.at + 1] = COMMA;
    this.at += 2;
  }

  /** Writes the closing bracket of a list with at least one element. It replaces the comma after the last element. */
  closeList(): void {
    this.bytes[this.at - 1] = CLOSE_LIST;
  }

  /** Writes an empty cell and a comma. */
  writeEmptyCell(): void {
    this.reserve(5);
    this.view.setUint32(this.at, NULL);
    this.bytes[this.at + 4] = COMMA;
    this.at += 5;
  }

  writeAscii(text: string): void {
    this.reserve(text.length);
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.at = at;
  }

  /** Copies bytes of complete JSON text. */
  writeBytes(source: Uint8Array): void {
    this.reserve(source.length);
    const { bytes } = this;
    if (source.length > MAX_WORD_COPY) bytes.set(source, this.at);
    else for (let i = 0, at = this.at; i < source.length; i++) bytes[at++] = source[i]!;
    this.at += source.length;
  }

  /** Writes a whole number, 0 ≤ n < 10^9. */
  writeWholeNumber(n: number): void {
    this.reserve(DIGITS_ROOM);
    this.at = putWhole(this.view, this.at, n);
  }

  /** Writes `{"v":1.5,"m":"1,5"` for a short number; else writes nothing and returns false. */
  writeShortNumber(value: number, mark: number): boolean {
    const { digits } = this;
    if (!digits.splitNumber(value)) return false;
    this.reserve(NUMBER_ROOM);
    const { view, at } = this;
    view.setUint32(at, V_HEAD);
    view.setUint8(at + 4, COLON);
    const length = digits.putTwice(view, at + 5, M_HEAD_BYTES, mark);
    const end = at + 5 + length;
    view.setUint32(end, M_HEAD);
    view.setUint16(end + 4, COLON_QUOTE);
    view.setUint8(end + M_HEAD_BYTES + length, QUOTE);
    this.at = end + M_HEAD_BYTES + length + 1;
    return true;
  }

  /**
   * Writes the General display of a number with more digits, if that does not need the exact decimal form; else writes
   * nothing and returns false.
   */
  writeRoundedNumber(value: number, mark: number): boolean {
    if (!this.digits.readRounded(value)) return false;
    this.reserve(DIGITS_ROOM);
    this.at = this.digits.putDigits(this.view, this.at, mark);
    return true;
  }

  /** Writes a finite number as `jsonNumberText` does. */
  writeNumber(value: number): void {
    if (!this.digits.splitNumber(value)) return this.writeAscii(jsonNumberText(value));
    this.reserve(DIGITS_ROOM);
    this.at = this.digits.putDigits(this.view, this.at, POINT);
  }

  /** Writes the bytes between two positions again. */
  writeAgain(from: number, to: number): void {
    const length = to - from;
    this.reserve(length);
    const { view, at } = this;
    if (length > MAX_WORD_COPY) this.bytes.copyWithin(at, from, to);
    else for (let i = 0; i < length; i += 4) view.setInt32(at + i, view.getInt32(from + i));
    this.at = at + length;
  }

  /** Writes a string as `JSON.stringify` does. */
  writeString(text: string): void {
    this.reserve(text.length * MAX_UNIT_BYTES + 2);
    const { bytes } = this;
    let at = this.at;
    bytes[at++] = QUOTE;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= FIRST_WIDE || IS_PLAIN[unit] === 0) {
        at = unit < FIRST_WIDE ? this.putEscaped(at, unit) : this.putWide(at, unit);
        if (at < 0) return this.writeStringWithSurrogates(text);
      } else bytes[at++] = unit;
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }

  /** Writes a string from an array of UTF-16 units. */
  writeUnits(units: Uint8Array | Uint16Array, from: number, to: number): void {
    this.reserve((to - from) * MAX_UNIT_BYTES + 2);
    const { bytes } = this;
    let at = this.at;
    bytes[at++] = QUOTE;
    for (let i = from; i < to; i++) {
      const unit = units[i]!;
      if (unit >= FIRST_WIDE || IS_PLAIN[unit] === 0) {
        at = unit < FIRST_WIDE ? this.putEscaped(at, unit) : this.putWide(at, unit);
        if (at < 0) return this.writeStringWithSurrogates(String.fromCharCode(...units.subarray(from, to)));
      } else bytes[at++] = unit;
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }

  /** Writes a quote, backslash or control character, escaped. Returns the next position. */
  private putEscaped(from: number, unit: number): number {
    const { bytes } = this;
    let at = from;
    bytes[at++] = BACKSLASH;
    const short = SHORT_ESCAPES.get(unit);
    if (short !== undefined) {
      bytes[at++] = short;
      return at;
    }
    for (const digit of `u${unit.toString(16).padStart(4, '0')}`) bytes[at++] = digit.charCodeAt(0);
    return at;
  }

  /**
   * Writes a character outside ASCII in UTF-8. Returns the next position; -1 for a surrogate, which it does not write.
   */
  private putWide(from: number, unit: number): number {
    const { bytes } = this;
    let at = from;
    if (unit < 0x800) bytes[at++] = 0xc0 | (unit >> 6);
    else if (unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE) return -1;
    else {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 63);
    }
    bytes[at++] = 0x80 | (unit & 63);
    return at;
  }

  /** Writes a string whose lone surrogates are escaped, as JSON requires. */
  private writeStringWithSurrogates(text: string): void {
    this.writeJson(JSON.stringify(text));
  }

  /** Writes complete JSON text. */
  writeJson(text: string): void {
    this.reserve(text.length * 3);
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < FIRST_WIDE) bytes[at++] = unit;
      else if (unit < FIRST_SURROGATE || unit > LAST_SURROGATE) at = this.putWide(at, unit);
      else {
        const code = text.codePointAt(i++)!;
        bytes[at++] = 0xf0 | (code >> 18);
        bytes[at++] = 0x80 | ((code >> 12) & 63);
        bytes[at++] = 0x80 | ((code >> 6) & 63);
        bytes[at++] = 0x80 | (code & 63);
      }
    }
    this.at = at;
  }

  /** Removes everything after the first `length` bytes. */
  truncate(length: number): void {
    this.at = length;
  }

  /** The current buffer. It differs from the first one if that was too small. */
  get buffer(): Uint8Array<ArrayBuffer> {
    return this.bytes;
  }

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.at);
  }
}

/** Maximum size of the buffer that is kept for the next text, in bytes. */
const MAX_SCRATCH_BYTES = 64 * 1024;
let scratch = new JsonWriter(new Uint8Array(1_024));

/** Encodes complete JSON text as bytes. A buffer for each text would cost more than writing it. */
export function encodeJson(json: string): Uint8Array {
  scratch.truncate(0);
  scratch.writeJson(json);
  const bytes = scratch.finish();
  if (scratch.buffer.length > MAX_SCRATCH_BYTES) scratch = new JsonWriter(new Uint8Array(1_024));
  return bytes;
}
