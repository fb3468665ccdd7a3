import { TextMap } from '../value/text-map.ts';

/**
 * Maximum length of a packed text, in UTF-16 units. Longer texts stay strings, because packed texts are copied at every
 * edit of their chunk.
 */
export const MAX_PACKED_LENGTH = 256;

/** The greatest code unit of one-byte texts. */
export const MAX_ONE_BYTE = 255;

/**
 * Maximum number of probes in the hash table per chunk. If it is exceeded, the texts were probably chosen to collide,
 * and are stored in a map.
 */
const MAX_PROBES = 4_096;

/** Maximum number of texts of a chunk: one per row. */
const MAX_TEXTS = 256;

/** Size of the hash table: twice the maximum number of texts. */
const TABLE_SIZE = 512;

const FREE = -1;

export const HASH_PRIME = 0x01000193;

/**
 * The code units of the chunk that is being packed. All packers share this buffer, because a chunk needs only a small
 * part of it.
 */
const UNITS = new Uint16Array(MAX_TEXTS * MAX_PACKED_LENGTH);

/** Text indexes by hash, and starts of texts, for the chunk that is being packed. */
const TABLE = new Int16Array(TABLE_SIZE);

const STARTS = new Uint32Array(MAX_TEXTS + 1);

/** The packed texts of one chunk: see `Texts.restoreDistinct`. */
interface PackedTextParts {
  readonly units: Uint8Array | Uint16Array;
  /** The start of each packed text in the units, and the end of the last text. */
  readonly starts: Uint32Array;
  /** Texts that are too long to pack. */
  readonly long: string[];
}

/**
 * Packs the texts of one chunk, each once. A single pass copies and hashes a text and checks whether one byte per unit
 * is enough. Only one packer may be in use at a time.
 */
export class TextPacker {
  private readonly table = TABLE.fill(FREE);
  private readonly starts = STARTS.fill(0, 0, 1);
  private count = 0;
  private length = 0;
  private allUnits = 0;
  private probes = 0;
  /** Indexes by text; replaces the hash table when texts collide. */
  private byText: Map<string, number> | null = null;
  private readonly long: string[] = [];
  private readonly longPlaces = new TextMap<number>();

  /**
   * Adds a text. Returns its index among the packed texts; for a long text -1 minus its index among the long texts. At
   * most 256 calls.
   */
  add(text: string): number {
    if (text.length > MAX_PACKED_LENGTH) return -1 - this.addLong(text);
    const from = this.length;
    let hash = text.length;
    let units = this.allUnits;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      UNITS[from + i] = unit;
      units |= unit;
      hash = Math.imul(hash ^ unit, HASH_PRIME);
    }
    this.allUnits = units;
    if (this.byText !== null) return this.findTextPlace(text, this.byText);
    return this.findPlace(hash ^ (hash >>> 15), from, text.length);
  }

  /** Adds a short text, given as UTF-16 units. Returns its index. */
  addUnits(text: Uint8Array | Uint16Array, start: number, end: number): number {
    const from = this.length;
    const length = end - start;
    let hash = length;
    let units = this.allUnits;
    for (let i = 0; i < length; i++) {
      const unit = text[start + i]!;
      UNITS[from + i] = unit;
      units |= unit;
      hash = Math.imul(hash ^ unit, HASH_PRIME);
    }
    this.allUnits = units;
    if (this.byText !== null) return this.findTextPlace(String.fromCharCode(...text.subarray(start, end)), this.byText);
    return this.findPlace(hash ^ (hash >>> 15), from, length);
  }

  /** Converts the negative index of a long text to its final index. Long texts follow the packed ones. */
  toFinalIndex(negativeIndex: number): number {
    return this.count - 1 - negativeIndex;
  }

  finish(): PackedTextParts {
    const { count, length } = this;
    const units = this.allUnits > MAX_ONE_BYTE ? UNITS.slice(0, length) : new Uint8Array(UNITS.subarray(0, length));
    return { units, starts: this.starts.slice(0, count + 1), long: this.long };
  }

  /** Adds a long text, which is stored as a string. Returns its index. */
  private addLong(text: string): number {
    const existingPlace = this.longPlaces.get(text);
    if (existingPlace !== undefined) return existingPlace;
    this.longPlaces.set(text, this.long.length);
    return this.long.push(text) - 1;
  }

  private findPlace(hash: number, from: number, length: number): number {
    const mask = TABLE_SIZE - 1;
    let at = hash & mask;
    for (let place = this.table[at]!; place !== FREE; place = this.table[at]!) {
      if (this.matchesUnits(place, from, length)) return place;
      this.probes++;
      at = (at + 1) & mask;
    }
    this.table[at] = this.count;
    const place = this.keepText(length);
    if (this.probes > MAX_PROBES) this.byText = this.indexTexts();
    return place;
  }

  private findTextPlace(text: string, byText: Map<string, number>): number {
    const existingPlace = byText.get(text);
    if (existingPlace !== undefined) return existingPlace;
    byText.set(text, this.count);
    return this.keepText(text.length);
  }

  /** Keeps the units that were copied last as a new text. */
  private keepText(length: number): number {
    this.length += length;
    this.starts[this.count + 1] = this.length;
    return this.count++;
  }

  /** Builds the map of texts, which is used after many collisions of hashes. */
  private indexTexts(): Map<string, number> {
    const places = new Map<string, number>();
    for (let place = 0; place < this.count; place++) {
      const units = UNITS.subarray(this.starts[place], this.starts[place + 1]);
      places.set(String.fromCharCode(...units), place);
    }
    return places;
  }

  private matchesUnits(index: number, from: number, length: number): boolean {
    const start = this.starts[index]!;
    if (this.starts[index + 1]! - start !== length) return false;
    for (let i = 0; i < length; i++) if (UNITS[start + i] !== UNITS[from + i]) return false;
    return true;
  }
}
