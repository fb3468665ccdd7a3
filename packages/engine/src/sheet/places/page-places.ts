import type { Chunk } from '../chunk.ts';
import { type BufferViews, findBufferViews } from './buffer-views.ts';

/** Integers for each chunk, at these offsets from its entry. */
const ENTRY_INTEGERS = 8;
const HEAD = 0;
const FORMAT = 1;
const NUMBERS = 2;
const KINDS = 3;
const STARTS = 4;
const UNITS = 5;
const PACKED_TEXTS = 6;

/** Bits of `HEAD` of a known chunk: the kind of all rows, the number of rows, and flags. */
const ROWS_SHIFT = 8;
const KIND_BITS = 0xff;
const ROWS_BITS = 0x1ff;
const HAS_KINDS = 1 << 17;
const HAS_FORMATS = 1 << 18;
const HAS_SHORTS = 1 << 19;
/** Set in every head of a known chunk, so that the head is not 0. */
const IS_KNOWN = 1 << 20;

/** A place is the index of a buffer, and in the lower bits the position in it, in units of 8 bytes. */
const BUFFER_SHIFT = 23;
const MAX_BUFFERS = 256;
const ALIGNMENT = 8;
const POSITION_BITS = 2 ** BUFFER_SHIFT - 1;

/**
 * Tells where the cells of a page of chunks are in shared memory. All places are in one array, so that a cell of a
 * random row is read without the objects of its chunk, which are in several other lines of the processor's cache.
 */
export class PagePlaces {
  private readonly chunks: readonly (Chunk | undefined)[];
  private readonly entries: Uint32Array;
  private readonly buffers: BufferViews[] = [];

  /** `chunks`: published, so that they only change as `Snapshot` describes. */
  constructor(chunks: readonly (Chunk | undefined)[]) {
    this.chunks = chunks;
    this.entries = new Uint32Array(chunks.length * ENTRY_INTEGERS);
  }

  /**
   * The entry of a chunk by its index in the page; -1 if the chunk has patches, or if its arrays are not in shared
   * memory. `Chunk.share` can change this later, so each request checks the chunk until it has an entry.
   */
  findEntry(at: number): number {
    const entry = at * ENTRY_INTEGERS;
    const head = this.entries[entry + HEAD];
    if (head === undefined) return -1;
    return head !== 0 || this.addEntry(entry, this.chunks[at]) ? entry : -1;
  }

  /** The kind of a cell; 0 for an empty cell. */
  kind(entry: number, row: number): number {
    const head = this.entries[entry + HEAD]!;
    if (row >= ((head >> ROWS_SHIFT) & ROWS_BITS)) return 0;
    if ((head & HAS_KINDS) === 0) return head & KIND_BITS;
    const place = this.entries[entry + KINDS]!;
    return this.buffers[place >>> BUFFER_SHIFT]!.bytes[((place & POSITION_BITS) << 3) + row]!;
  }

  /** The number of a filled cell; the index of a text. */
  number(entry: number, row: number): number {
    const place = this.entries[entry + NUMBERS]!;
    return this.buffers[place >>> BUFFER_SHIFT]!.numbers[(place & POSITION_BITS) + row]!;
  }

  /** The number format of a filled cell. */
  format(entry: number, row: number): number {
    const format = this.entries[entry + FORMAT]!;
    if ((this.entries[entry + HEAD]! & HAS_FORMATS) === 0) return format;
    return this.buffers[format >>> BUFFER_SHIFT]!.shorts[((format & POSITION_BITS) << 2) + row]!;
  }

  /** Number of packed texts. Texts with higher indexes must be read from the chunk. */
  packedTexts(entry: number): number {
    return this.entries[entry + PACKED_TEXTS]!;
  }

  /** The array with the UTF-16 units of the packed texts. It also contains other data. */
  textUnits(entry: number): Uint8Array | Uint16Array {
    const { shorts, bytes } = this.buffers[this.entries[entry + UNITS]! >>> BUFFER_SHIFT]!;
    return (this.entries[entry + HEAD]! & HAS_SHORTS) === 0 ? bytes : shorts;
  }

  /** The position of a packed text in `textUnits`; also the end of the text before. */
  textStart(entry: number, index: number): number {
    const place = this.entries[entry + STARTS]!;
    const start = this.buffers[place >>> BUFFER_SHIFT]!.words[((place & POSITION_BITS) << 1) + index]!;
    const shift = (this.entries[entry + HEAD]! & HAS_SHORTS) === 0 ? 3 : 2;
    return ((this.entries[entry + UNITS]! & POSITION_BITS) << shift) + start;
  }

  private addEntry(entry: number, chunk: Chunk | undefined): boolean {
    const { entries } = this;
    if (chunk === undefined) {
      entries[entry + HEAD] = IS_KNOWN;
      return true;
    }
    // A chunk with patches does not share numbers, not even with itself.
    if (!chunk.sharesNumbersWith(chunk)) return false;
    const { texts, formats } = chunk;
    const numbers = this.findPlace(chunk.numbers);
    const format = typeof formats === 'number' ? formats : this.findPlace(formats);
    if (numbers < 0 || format < 0) return false;
    const { units, starts } = texts.parts();
    const packed = starts.length - 1;
    const places = [
      numbers,
      this.findPlace(chunk.kinds),
      packed > 0 ? this.findPlace(starts) : 0,
      packed > 0 ? this.findPlace(units) : 0,
    ];
    if (places.some((place) => place < 0)) return false;
    entries[entry + FORMAT] = format;
    entries.set(places, entry + NUMBERS);
    entries[entry + PACKED_TEXTS] = packed;
    const kind = chunk.uniformKind();
    entries[entry + HEAD] =
      IS_KNOWN |
      (kind < 0 ? HAS_KINDS : kind) |
      (chunk.rows << ROWS_SHIFT) |
      (typeof formats === 'number' ? 0 : HAS_FORMATS) |
      (units instanceof Uint16Array ? HAS_SHORTS : 0);
    return true;
  }

  /** The place of an array; -1 if it has none. */
  private findPlace({ buffer, byteOffset }: ArrayBufferView<ArrayBufferLike>): number {
    const views = findBufferViews(buffer);
    const position = byteOffset / ALIGNMENT;
    if (views === null || !Number.isInteger(position) || position > POSITION_BITS) return -1;
    let index = this.buffers.indexOf(views);
    if (index < 0) {
      if (this.buffers.length === MAX_BUFFERS) return -1;
      index = this.buffers.push(views) - 1;
    }
    return (index << BUFFER_SHIFT) | position;
  }
}
