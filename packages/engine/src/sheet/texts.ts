import { PackedTexts } from './packed-texts.ts';
import type { SharedMemory } from './shared-memory.ts';
import { needsTwoBytes } from './text-buffer.ts';
import { HASH_PRIME, MAX_PACKED_LENGTH, type TextPacker } from './text-packer.ts';

// The packed parts of a chunk without packed texts. Measuring a document reads the parts of all its chunks.
const NO_UNITS = new Uint8Array(0);
const NO_STARTS = new Uint32Array(1);

/**
 * The distinct texts of one chunk. Short texts are packed in one array of code units, because a JavaScript string needs
 * many bytes in addition to its characters. Recent and long texts are strings. Cells refer to texts by index.
 */
export class Texts {
  static readonly NONE = new Texts(null, []);

  private readonly packed: PackedTexts | null;
  /**
   * Texts with indexes from `packed.count` on. New texts are added at the end, and only while a draft owns the chunk.
   */
  private readonly extra: string[];

  private constructor(packed: PackedTexts | null, extra: string[]) {
    this.packed = packed;
    this.extra = extra;
  }

  /** Creates texts from packed parts. `starts` has one element more than the number of packed texts. */
  static restore(units: Uint8Array | Uint16Array, starts: Uint32Array, extra: string[]): Texts {
    return new Texts(starts.length > 1 ? new PackedTexts(units, starts, false) : null, extra);
  }

  /** Creates texts from packed parts that contain no two equal texts. */
  static restoreDistinct(units: Uint8Array | Uint16Array, starts: Uint32Array, extra: string[]): Texts {
    return new Texts(starts.length > 1 ? new PackedTexts(units, starts, true) : null, extra);
  }

  /** True if all texts are packed and each occurs once. */
  get areDistinct(): boolean {
    return this.extra.length === 0 && this.packed !== null && this.packed.areDistinct;
  }

  /** The arguments for `restore`. */
  parts(): {
    readonly units: Uint8Array | Uint16Array;
    readonly starts: Uint32Array;
    readonly extra: readonly string[];
  } {
    const { packed, extra } = this;
    return packed
      ? { units: packed.units, starts: packed.starts, extra }
      : { units: NO_UNITS, starts: NO_STARTS, extra };
  }

  /** Returns all texts packed in memory that several threads share. Their indexes do not change. */
  share(memory: SharedMemory): Texts {
    if (this === Texts.NONE) return this;
    const { units, starts } = this.extra.length === 0 ? this.parts() : this.packAll();
    const moved = new PackedTexts(memory.array(units), memory.array(starts), this.areDistinct);
    return this.extra.length === 0 && moved.units === units ? this : new Texts(moved, []);
  }

  /** Maximum number of bytes that `share` needs. */
  get sharedBytes(): number {
    const { units, starts, extra } = this.parts();
    let bytes = units.byteLength + starts.byteLength;
    for (const text of extra) bytes += 2 * text.length + 4;
    return extra.length === 0 ? bytes : bytes + units.length;
  }

  /** True if all texts are the same objects as the texts of an earlier chunk. */
  isSameAs(before: Texts): boolean {
    return this.packed === before.packed && this.extra.length === 0 && before.extra.length === 0;
  }

  /** True if every text of an earlier chunk has the same index in this one. */
  isExtensionOf(before: Texts): boolean {
    return this.packed === before.packed && before.extra.every((text, i) => text === this.extra[i]);
  }

  private packAll(): { readonly units: Uint8Array | Uint16Array; readonly starts: Uint32Array } {
    const packed = this.parts();
    const length = this.extra.reduce((total, text) => total + text.length, packed.units.length);
    const wide = packed.units instanceof Uint16Array || this.extra.some(needsTwoBytes);
    const units = wide ? new Uint16Array(length) : new Uint8Array(length);
    const starts = new Uint32Array(this.count + 1);
    units.set(packed.units);
    starts.set(packed.starts);
    let at = packed.units.length;
    let index = packed.starts.length;
    for (const text of this.extra) {
      for (let i = 0; i < text.length; i++) units[at++] = text.charCodeAt(i);
      starts[index++] = at;
    }
    return { units, starts };
  }

  get count(): number {
    return (this.packed?.count ?? 0) + this.extra.length;
  }

  get unpackedCount(): number {
    return this.extra.length;
  }

  get(index: number): string {
    const packed = this.packed;
    if (packed === null) return this.extra[index]!;
    return index < packed.count ? packed.get(index) : this.extra[index - packed.count]!;
  }

  /** True for an empty text. Does not create a string. */
  isEmpty(index: number): boolean {
    const { packed } = this;
    if (packed === null || index >= packed.count) return this.get(index) === '';
    return packed.starts[index] === packed.starts[index + 1];
  }

  /** The length of a text in UTF-16 units. Does not create a string. */
  textLength(index: number): number {
    const { packed } = this;
    if (packed === null || index >= packed.count) return this.get(index).length;
    return packed.starts[index + 1]! - packed.starts[index]!;
  }

  /**
   * Returns a text that is read once. The decoded string is not cached, because scanning a whole document would
   * otherwise fill the memory.
   */
  decodeOnce(index: number): string {
    const { packed } = this;
    return packed !== null && index < packed.count ? packed.decodeText(index) : this.get(index);
  }

  /** Returns a hash of a text; equal for equal texts. */
  hashText(index: number): number {
    const { packed } = this;
    if (packed === null || index >= packed.count) return 0;
    const { units, starts } = packed;
    const end = starts[index + 1]!;
    let hash = 0;
    for (let at = starts[index]!; at < end; at++) hash = Math.imul(hash ^ units[at]!, HASH_PRIME);
    return hash ^ (hash >>> 15);
  }

  /** Returns a hash of the text's UTF-16 units. It does not depend on whether the text is packed. */
  digestText(index: number): number {
    const { packed } = this;
    const isPacked = packed !== null && index < packed.count;
    const start = isPacked ? packed.starts[index]! : 0;
    const end = isPacked ? packed.starts[index + 1]! : 0;
    let hash = 0;
    if (isPacked) for (let at = start; at < end; at++) hash = Math.imul(hash ^ packed.units[at]!, HASH_PRIME);
    else {
      const text = this.get(index);
      for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_PRIME);
    }
    return hash ^ (hash >>> 15);
  }

  /** True if the text with an index equals `text`. Does not create a string. */
  isText(index: number, text: string): boolean {
    const { packed } = this;
    if (packed === null || index >= packed.count) return this.get(index) === text;
    const { units, starts } = packed;
    const start = starts[index]!;
    if (starts[index + 1]! - start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (units[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** True if the text with an index equals a text of ASCII characters, given as bytes. Does not create a string. */
  isAsciiText(index: number, bytes: Uint8Array, from: number, end: number): boolean {
    const { packed } = this;
    if (packed === null || index >= packed.count) return isSameAscii(this.get(index), bytes, from, end);
    const { units, starts } = packed;
    const start = starts[index]!;
    if (starts[index + 1]! - start !== end - from) return false;
    for (let at = from; at < end; at++) if (units[start + at - from] !== bytes[at]) return false;
    return true;
  }

  /**
   * True if a text equals a text of another object, both given by their indexes. Does not create strings if both are
   * packed.
   */
  isSameText(index: number, other: Texts, otherIndex: number): boolean {
    const { packed } = this;
    const others = other.packed;
    if (packed === null || index >= packed.count) return other.isText(otherIndex, this.get(index));
    if (others === null || otherIndex >= others.count) return this.isText(index, other.get(otherIndex));
    return packed.hasSameText(index, others, otherIndex);
  }

  /** Returns a function for many reads in a row. Do not store it, because it keeps decoded texts in memory. */
  createReader(): (index: number) => string {
    const { packed } = this;
    if (packed === null) return (index) => this.get(index);
    const decoded = packed.decodeAll();
    return (index) => (index < packed.count ? packed.decodeFrom(decoded, index) : this.get(index));
  }

  /** Adds a text to a packer. Does not create a string if it is short and packed. */
  addTo(packer: TextPacker, index: number): number {
    const { packed } = this;
    if (packed === null || index >= packed.count) return packer.add(this.get(index));
    const start = packed.starts[index]!;
    const end = packed.starts[index + 1]!;
    return end - start > MAX_PACKED_LENGTH
      ? packer.add(packed.decodeText(index))
      : packer.addUnits(packed.units, start, end);
  }

  /** Adds a text to a draft's own copy and returns its index. */
  addText(text: string): number {
    this.extra.push(text);
    return this.count - 1;
  }

  /** Returns a copy to which a draft may add texts; the packed part is shared. */
  copy(): Texts {
    return new Texts(this.packed, this.extra.slice());
  }
}

function isSameAscii(text: string, bytes: Uint8Array, from: number, end: number): boolean {
  if (text.length !== end - from) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[from + i]) return false;
  return true;
}
