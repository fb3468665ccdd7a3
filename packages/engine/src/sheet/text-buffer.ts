import { MAX_ONE_BYTE, MAX_PACKED_LENGTH, type TextPacker } from './text-packer.ts';

export function needsTwoBytes(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > MAX_ONE_BYTE) return true;
  return false;
}

/** Initial capacity in code units and in texts. */
const FIRST_UNITS = 256;

const FIRST_TEXTS = 16;

const LAST_ASCII = 127;

/**
 * The texts of a chunk under construction, one after another, possibly with repetitions. As strings they would be many
 * small objects that live until the chunk is full.
 */
export class TextBuffer {
  private units: Uint8Array | Uint16Array = new Uint8Array(FIRST_UNITS);
  /** The end of each text. */
  private ends = new Uint32Array(FIRST_TEXTS);
  private count = 0;
  private readonly long: string[] = [];

  /** Adds a text and returns its index in the buffer; negative for a long text. */
  add(text: string): number {
    if (text.length > MAX_PACKED_LENGTH) return -this.long.push(text);
    const from = this.reserve(text.length);
    if (this.units instanceof Uint8Array && needsTwoBytes(text)) this.units = Uint16Array.from(this.units);
    const { units } = this;
    for (let i = 0; i < text.length; i++) units[from + i] = text.charCodeAt(i);
    return this.endText(from + text.length);
  }

  /**
   * Adds a text in well-formed UTF-8. Returns its index; null for a long text, which the caller must add as a string.
   */
  addUtf8(bytes: Uint8Array, start: number, end: number): number | null {
    const length = end - start;
    if (length > MAX_PACKED_LENGTH) return null;
    const from = this.reserve(length);
    const { units } = this;
    let seen = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i]!;
      seen |= byte;
      units[from + i] = byte;
    }
    return this.endText(seen > LAST_ASCII ? this.decode(bytes, start, end, from) : from + length);
  }

  /** Adds the text with an index to a packer. */
  addTo(packer: TextPacker, index: number): number {
    if (index < 0) return packer.add(this.long[-1 - index]!);
    return packer.addUnits(this.units, this.getTextStart(index), this.ends[index]!);
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.long.length === 0;
  }

  /** Removes all texts. */
  clear(): void {
    this.count = 0;
    this.long.length = 0;
  }

  /** Decodes a text into the buffer and returns its end. */
  private decode(bytes: Uint8Array, start: number, end: number, from: number): number {
    let to = from;
    for (let at = start; at < end; ) {
      const point = readCodePoint(bytes, at);
      at += point < 0x80 ? 1 : point < 0x800 ? 2 : point <= LAST_UNIT ? 3 : 4;
      if (point > MAX_ONE_BYTE && this.units instanceof Uint8Array) this.units = Uint16Array.from(this.units);
      if (point > LAST_UNIT) {
        this.units[to++] = 0xd800 + ((point - LAST_UNIT - 1) >> 10);
        this.units[to++] = 0xdc00 + (point & 0x3ff);
      } else this.units[to++] = point;
    }
    return to;
  }

  private getTextStart(index: number): number {
    return index === 0 ? 0 : this.ends[index - 1]!;
  }

  /** Ensures capacity for more units and returns the position of the first one. */
  private reserve(length: number): number {
    const { units } = this;
    const from = this.getTextStart(this.count);
    if (from + length > units.length) {
      const room = 2 * (from + length);
      this.units = units instanceof Uint8Array ? new Uint8Array(room) : new Uint16Array(room);
      this.units.set(units.subarray(0, from));
    }
    return from;
  }

  private endText(end: number): number {
    if (this.count === this.ends.length) {
      const ends = new Uint32Array(2 * this.count);
      ends.set(this.ends);
      this.ends = ends;
    }
    this.ends[this.count] = end;
    return this.count++;
  }
}

/** The greatest code point that takes one UTF-16 unit. */
const LAST_UNIT = 0xffff;

/** Decodes the code point at a position. */
function readCodePoint(bytes: Uint8Array, position: number): number {
  const first = bytes[position]!;
  if (first < 0x80) return first;
  const second = bytes[position + 1]! & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  const third = bytes[position + 2]! & 0x3f;
  if (first < 0xf0) return ((first & 0xf) << 12) | (second << 6) | third;
  return ((first & 0x7) << 18) | (second << 12) | (third << 6) | (bytes[position + 3]! & 0x3f);
}
