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

/** Number of requests for a chunk without an entry before it is tried again. */
const REQUESTS_BEFORE_RETRY = 63;

/** Bits of `HEAD` of a known chunk: the kind of all rows, the number of rows, and flags. */
const ROWS_SHIFT = 8;
const KIND_BITS = 0xff;
const ROWS_BITS = 0x1ff;
const HAS_KINDS = 1 << 17;
const HAS_FORMATS = 1 << 18;
const HAS_SHORTS = 1 << 19;
/** The highest bit of such a head. Smaller heads are of chunks without an entry. */
const IS_KNOWN = 1 << 20;

/** A place is the index of a buffer, and in the lower bits the position in it, in units of 8 bytes. */
const BUFFER_SHIFT = 23;
const MAX_BUFFERS = 256;
const ALIGNMENT = 8;
const POSITION_BITS = 2 ** BUFFER_SHIFT - 1;

/**
 * Where the cells of a page of chunks are in memory, in one array. A cell at a random place is then read without the
 * objects of its chunk, each of which is another line of the processor's cache.
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

  /** The entry of a chunk by its index in the page; -1 if its arrays are not final, or not in shared memory. */
  findEntry(at: number): number {
    const entry = at * ENTRY_INTEGERS;
    const head = this.entries[entry + HEAD];
    if (head === undefined) return -1;
    if (head >= IS_KNOWN) return entry;
    return this.tryAddEntry(entry, head, this.chunks[at]) ? entry : -1;
  }

  /** `wait`: number of requests to come before the chunk is tried again, because its arrays can move to shared memory. */
  private tryAddEntry(entry: number, wait: number, chunk: Chunk | undefined): boolean {
    if (wait === 0 && this.addEntry(entry, chunk)) return true;
    this.entries[entry + HEAD] = wait === 0 ? REQUESTS_BEFORE_RETRY : wait - 1;
    return false;
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
    // Rows that changed are stored outside the arrays until these are merged. Such a chunk shares nothing.
    if (!chunk.sharesNumbersWith(chunk)) return false;
    const numbers = this.findPlace(chunk.numbers);
    if (numbers < 0) return false;
    const { texts, formats } = chunk;
    const { units, starts } = texts.parts();
    const packed = starts.length - 1;
    const places = [
      numbers,
      this.findPlace(chunk.kinds),
      packed > 0 ? this.findPlace(starts) : 0,
      packed > 0 ? this.findPlace(units) : 0,
    ];
    const format = typeof formats === 'number' ? formats : this.findPlace(formats);
    if (format < 0 || places.some((place) => place < 0)) return false;
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
