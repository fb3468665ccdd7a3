import { TextMap } from '../value/text-map.ts';
import type { SharedMemory } from './shared-memory.ts';

/** Texts longer than this stay JavaScript strings: packing them would copy them at every edit of their chunk. */
const LONGEST_PACKED = 256;
/** Texts are put together from pieces of so many code units: an argument list has a bound. */
const PIECE = 4096;
/** One-byte texts hold code units up to this. */
const LAST_ONE_BYTE = 255;

/**
 * The distinct texts of one chunk. Short ones lie packed in one array of code units (a JavaScript string takes many
 * bytes beyond its characters), recent and long ones are strings. Cells refer to them by index.
 */
export class Texts {
  static readonly NONE = new Texts(null, []);

  private readonly packed: PackedTexts | null;
  /** Indexes from `packed.count` on. Only appended to, and only while the chunk is owned by a draft. */
  private readonly extra: string[];

  private constructor(packed: PackedTexts | null, extra: string[]) {
    this.packed = packed;
    this.extra = extra;
  }

  /** Texts whose packed part is at hand: `starts` has one entry more than there are packed texts. */
  static restored(units: Uint8Array | Uint16Array, starts: Uint32Array, extra: string[]): Texts {
    return new Texts(starts.length > 1 ? new PackedTexts(units, starts, false) : null, extra);
  }

  /** The same, each text once. */
  static distinct(units: Uint8Array | Uint16Array, starts: Uint32Array, extra: string[]): Texts {
    return new Texts(starts.length > 1 ? new PackedTexts(units, starts, true) : null, extra);
  }

  /** Whether all are packed, each once. */
  get areDistinct(): boolean {
    return this.extra.length === 0 && this.packed !== null && this.packed.areDistinct;
  }

  /** The parts that `restored` takes. */
  parts(): {
    readonly units: Uint8Array | Uint16Array;
    readonly starts: Uint32Array;
    readonly extra: readonly string[];
  } {
    const { packed, extra } = this;
    return packed
      ? { units: packed.units, starts: packed.starts, extra }
      : { units: new Uint8Array(0), starts: new Uint32Array(1), extra };
  }

  /** All of them packed, in memory that threads share; their indexes stay. */
  shared(memory: SharedMemory): Texts {
    if (this === Texts.NONE) return this;
    const { units, starts } = this.extra.length === 0 ? this.parts() : this.packedWhole();
    const moved = new PackedTexts(memory.array(units), memory.array(starts), this.areDistinct);
    return this.extra.length === 0 && moved.units === units ? this : new Texts(moved, []);
  }

  /** Bytes that `shared` asks for at most. */
  get sharedBytes(): number {
    const { units, starts, extra } = this.parts();
    let bytes = units.byteLength + starts.byteLength;
    for (const text of extra) bytes += 2 * text.length + 4;
    return extra.length === 0 ? bytes : bytes + units.length;
  }

  /** Whether these are the very texts of an earlier chunk. */
  areThoseOf(before: Texts): boolean {
    return this.packed === before.packed && this.extra.length === 0 && before.extra.length === 0;
  }

  /** Whether every text of an earlier chunk is here under the same index. */
  goesOnFrom(before: Texts): boolean {
    return this.packed === before.packed && before.extra.every((text, i) => text === this.extra[i]);
  }

  private packedWhole(): { readonly units: Uint8Array | Uint16Array; readonly starts: Uint32Array } {
    const held = this.parts();
    const length = this.extra.reduce((total, text) => total + text.length, held.units.length);
    const wide = held.units instanceof Uint16Array || this.extra.some(isWide);
    const units = wide ? new Uint16Array(length) : new Uint8Array(length);
    const starts = new Uint32Array(this.count + 1);
    units.set(held.units);
    starts.set(held.starts);
    let at = held.units.length;
    let index = held.starts.length;
    for (const text of this.extra) {
      for (let i = 0; i < text.length; i++) units[at++] = text.charCodeAt(i);
      starts[index++] = at;
    }
    return { units, starts };
  }

  get count(): number {
    return (this.packed?.count ?? 0) + this.extra.length;
  }

  get unpacked(): number {
    return this.extra.length;
  }

  get(index: number): string {
    const packed = this.packed;
    if (packed === null) return this.extra[index] as string;
    return index < packed.count ? packed.get(index) : (this.extra[index - packed.count] as string);
  }

  /** Whether a text has no characters: told without making it a string. */
  isEmpty(index: number): boolean {
    const { packed } = this;
    if (packed === null || index >= packed.count) return this.get(index) === '';
    return packed.starts[index] === packed.starts[index + 1];
  }

  /** A text that is looked at once: it is not kept decoded, which whoever goes through all of a document would fill memory with. */
  passing(index: number): string {
    const { packed } = this;
    return packed !== null && index < packed.count ? packed.decode(index) : this.get(index);
  }

  /** A number that equal texts share. */
  hash(index: number): number {
    const { packed } = this;
    if (packed === null || index >= packed.count) return 0;
    const { units, starts } = packed;
    const end = starts[index + 1] as number;
    let hash = 0;
    for (let at = starts[index] as number; at < end; at++) hash = Math.imul(hash ^ (units[at] as number), HASH_PRIME);
    return hash ^ (hash >>> 15);
  }

  /** Whether this is the text of an index: told without making that a string. */
  isText(index: number, text: string): boolean {
    const { packed } = this;
    if (packed === null || index >= packed.count) return this.get(index) === text;
    const { units, starts } = packed;
    const start = starts[index] as number;
    if ((starts[index + 1] as number) - start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (units[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** Whether it is the same text as one of others, by their indexes: told without making either a string. */
  isTextOf(index: number, other: Texts, otherIndex: number): boolean {
    const { packed } = this;
    const others = other.packed;
    if (packed === null || index >= packed.count) return other.isText(otherIndex, this.get(index));
    if (others === null || otherIndex >= others.count) return this.isText(index, other.get(otherIndex));
    return packed.holdsSame(index, others, otherIndex);
  }

  /** Reads many texts in a row. To be used at once: it holds on to decoded texts. */
  reader(): (index: number) => string {
    const { packed } = this;
    if (packed === null) return (index) => this.get(index);
    const decoded = packed.strings();
    return (index) => (index < packed.count ? packed.from(decoded, index) : this.get(index));
  }

  /** Gives a text to a chunk in the making: without making it a string, where it is short and packed. */
  addTo(packer: TextPacker, index: number): number {
    const { packed } = this;
    if (packed === null || index >= packed.count) return packer.add(this.get(index));
    const start = packed.starts[index] as number;
    const end = packed.starts[index + 1] as number;
    return end - start > LONGEST_PACKED ? packer.add(packed.decode(index)) : packer.addUnits(packed.units, start, end);
  }

  /** Adds a text to a draft's own copy and returns its index. */
  add(text: string): number {
    this.extra.push(text);
    return this.count - 1;
  }

  /** A copy that a draft may add to; the packed part is shared. */
  copy(): Texts {
    return new Texts(this.packed, this.extra.slice());
  }
}

class PackedTexts {
  readonly count: number;
  readonly units: Uint8Array | Uint16Array;
  /** Start of each text in `units`, and the end of the last. */
  readonly starts: Uint32Array;
  /** Whether each is known to be there once. */
  readonly areDistinct: boolean;
  /** Decoded texts, as long as memory allows: decoding anew at every read would be dear. */
  private decoded: WeakRef<string[]> | null = null;

  constructor(units: Uint8Array | Uint16Array, starts: Uint32Array, areDistinct: boolean) {
    this.units = units;
    this.starts = starts;
    this.areDistinct = areDistinct;
    this.count = starts.length - 1;
  }

  get(index: number): string {
    return this.from(this.strings(), index);
  }

  /** The decoded texts, with gaps; `from` fills them. Many reads in a row need not ask for them each time. */
  strings(): string[] {
    let decoded = this.decoded?.deref();
    if (decoded === undefined) {
      decoded = new Array<string>(this.count);
      this.decoded = new WeakRef(decoded);
    }
    return decoded;
  }

  from(decoded: string[], index: number): string {
    let text = decoded[index];
    if (text === undefined) {
      text = this.decode(index);
      decoded[index] = text;
    }
    return text;
  }

  holdsSame(index: number, { units, starts }: PackedTexts, other: number): boolean {
    const start = this.starts[index] as number;
    const length = (this.starts[index + 1] as number) - start;
    const from = starts[other] as number;
    if ((starts[other + 1] as number) - from !== length) return false;
    for (let i = 0; i < length; i++) if (this.units[start + i] !== units[from + i]) return false;
    return true;
  }

  decode(index: number): string {
    const from = this.starts[index] as number;
    const to = this.starts[index + 1] as number;
    let text = '';
    for (let at = from; at < to; at += PIECE) {
      const piece = this.units.subarray(at, Math.min(to, at + PIECE));
      text += String.fromCharCode.apply(null, piece as unknown as number[]);
    }
    return text;
  }
}

function isWide(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > LAST_ONE_BYTE) return true;
  return false;
}

/** Code units that the texts of a chunk in the making have room for at first, and texts. */
const FIRST_UNITS = 256;
const FIRST_TEXTS = 16;
const LAST_ASCII = 127;

/**
 * The texts of a chunk in the making one after another, each as often as it came: as strings they would be many small
 * objects, all of which live until the chunk is full.
 */
export class LooseTexts {
  private units: Uint8Array | Uint16Array = new Uint8Array(FIRST_UNITS);
  /** Where each text ends. */
  private ends = new Uint32Array(FIRST_TEXTS);
  private count = 0;
  private readonly long: string[] = [];

  /** The text's place here. */
  add(text: string): number {
    if (text.length > LONGEST_PACKED) return -this.long.push(text);
    const from = this.reserve(text.length);
    if (this.units instanceof Uint8Array && isWide(text)) this.units = Uint16Array.from(this.units);
    const { units } = this;
    for (let i = 0; i < text.length; i++) units[from + i] = text.charCodeAt(i);
    return this.end(from + text.length);
  }

  /** The same of a text in UTF-8, which is well-formed; null for a long one. */
  addUtf8(bytes: Uint8Array, start: number, end: number): number | null {
    const length = end - start;
    if (length > LONGEST_PACKED) return null;
    const from = this.reserve(length);
    const { units } = this;
    let seen = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i] as number;
      seen |= byte;
      units[from + i] = byte;
    }
    return this.end(seen > LAST_ASCII ? this.decode(bytes, start, end, from) : from + length);
  }

  /** Adds a text, by its place here, to others. */
  addTo(packer: TextPacker, place: number): number {
    if (place < 0) return packer.add(this.long[-1 - place] as string);
    return packer.addUnits(this.units, this.start(place), this.ends[place] as number);
  }

  /** Forgets all texts. */
  clear(): void {
    this.count = 0;
    this.long.length = 0;
  }

  /** Writes the units of a text; where it ends. */
  private decode(bytes: Uint8Array, start: number, end: number, from: number): number {
    let to = from;
    for (let at = start; at < end; ) {
      const point = pointAt(bytes, at);
      at += point < 0x80 ? 1 : point < 0x800 ? 2 : point <= LAST_UNIT ? 3 : 4;
      if (point > LAST_ONE_BYTE && this.units instanceof Uint8Array) this.units = Uint16Array.from(this.units);
      if (point > LAST_UNIT) {
        this.units[to++] = 0xd800 + ((point - LAST_UNIT - 1) >> 10);
        this.units[to++] = 0xdc00 + (point & 0x3ff);
      } else this.units[to++] = point;
    }
    return to;
  }

  private start(place: number): number {
    return place === 0 ? 0 : (this.ends[place - 1] as number);
  }

  /** Where so many units more have room. */
  private reserve(length: number): number {
    const { units } = this;
    const from = this.start(this.count);
    if (from + length > units.length) {
      const room = 2 * (from + length);
      this.units = units instanceof Uint8Array ? new Uint8Array(room) : new Uint16Array(room);
      this.units.set(units.subarray(0, from));
    }
    return from;
  }

  private end(end: number): number {
    if (this.count === this.ends.length) {
      const ends = new Uint32Array(2 * this.count);
      ends.set(this.ends);
      this.ends = ends;
    }
    this.ends[this.count] = end;
    return this.count++;
  }
}

/** Characters beyond it take two units. */
const LAST_UNIT = 0xffff;

/** The character that begins there. */
function pointAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return first;
  const second = (bytes[at + 1] as number) & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  const third = (bytes[at + 2] as number) & 0x3f;
  if (first < 0xf0) return ((first & 0xf) << 12) | (second << 6) | third;
  return ((first & 0x7) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] as number) & 0x3f);
}

/** Looks into the table for one chunk: texts that take more collide on purpose, and go into a map. */
const MOST_PROBES = 4_096;

/** Texts that a chunk can hold: one a row. */
const MOST_TEXTS = 256;
/** Places of the packer's table: twice as many as there can be texts. */
const TABLE_PLACES = 512;
const FREE = -1;
const HASH_PRIME = 0x01000193;

/** The code units of the chunk that is being packed; shared, since packing one needs a small part of it. */
const ROOM = new Uint16Array(MOST_TEXTS * LONGEST_PACKED);
/** Places by hash, and where texts begin, of that chunk. */
const PLACES = new Int16Array(TABLE_PLACES);
const STARTS = new Uint32Array(MOST_TEXTS + 1);

/**
 * Packs the texts of one chunk, each once. Copying, hashing and looking whether a byte a unit will do are one pass over
 * the text; one packer at a time.
 */
export class TextPacker {
  private readonly table = PLACES.fill(FREE);
  private readonly starts = STARTS.fill(0, 0, 1);
  private count = 0;
  private length = 0;
  private allUnits = 0;
  private probes = 0;
  /** Places by text, in the table's stead where texts collide in it. */
  private byText: Map<string, number> | null = null;
  private readonly long: string[] = [];
  private readonly longPlaces = new TextMap<number>();

  /** The text's place among the packed ones, or -1 - its place among the long ones. At most 256 times. */
  add(text: string): number {
    if (text.length > LONGEST_PACKED) return -1 - this.addLong(text);
    const from = this.length;
    let hash = text.length;
    let units = this.allUnits;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      ROOM[from + i] = unit;
      units |= unit;
      hash = Math.imul(hash ^ unit, HASH_PRIME);
    }
    this.allUnits = units;
    if (this.byText !== null) return this.placeOfText(text, this.byText);
    return this.placeOf(hash ^ (hash >>> 15), from, text.length);
  }

  /** The same of a short text by its code units. */
  addUnits(text: Uint8Array | Uint16Array, start: number, end: number): number {
    const from = this.length;
    const length = end - start;
    let hash = length;
    let units = this.allUnits;
    for (let i = 0; i < length; i++) {
      const unit = text[start + i] as number;
      ROOM[from + i] = unit;
      units |= unit;
      hash = Math.imul(hash ^ unit, HASH_PRIME);
    }
    this.allUnits = units;
    if (this.byText !== null) return this.placeOfText(String.fromCharCode(...text.subarray(start, end)), this.byText);
    return this.placeOf(hash ^ (hash >>> 15), from, length);
  }

  /** Long texts come after the packed ones, by the index that this gives for a negative place. */
  indexOfLong(place: number): number {
    return this.count - 1 - place;
  }

  finish(): Texts {
    const { count, length } = this;
    if (count === 0 && this.long.length === 0) return Texts.NONE;
    const units = this.allUnits > LAST_ONE_BYTE ? ROOM.slice(0, length) : new Uint8Array(ROOM.subarray(0, length));
    return Texts.distinct(units, this.starts.slice(0, count + 1), this.long);
  }

  private addLong(text: string): number {
    const known = this.longPlaces.get(text);
    if (known !== undefined) return known;
    this.longPlaces.set(text, this.long.length);
    return this.long.push(text) - 1;
  }

  private placeOf(hash: number, from: number, length: number): number {
    const mask = TABLE_PLACES - 1;
    let at = hash & mask;
    for (let place = this.table[at] as number; place !== FREE; place = this.table[at] as number) {
      if (this.holds(place, from, length)) return place;
      this.probes++;
      at = (at + 1) & mask;
    }
    this.table[at] = this.count;
    const place = this.take(length);
    if (this.probes > MOST_PROBES) this.byText = this.placesByText();
    return place;
  }

  private placeOfText(text: string, byText: Map<string, number>): number {
    const known = byText.get(text);
    if (known !== undefined) return known;
    byText.set(text, this.count);
    return this.take(text.length);
  }

  /** Keeps the units that were copied last. */
  private take(length: number): number {
    this.length += length;
    this.starts[this.count + 1] = this.length;
    return this.count++;
  }

  private placesByText(): Map<string, number> {
    const places = new Map<string, number>();
    for (let place = 0; place < this.count; place++) {
      const units = ROOM.subarray(this.starts[place], this.starts[place + 1]);
      places.set(String.fromCharCode(...units), place);
    }
    return places;
  }

  private holds(place: number, from: number, length: number): boolean {
    const start = this.starts[place] as number;
    if ((this.starts[place + 1] as number) - start !== length) return false;
    for (let i = 0; i < length; i++) if (ROOM[start + i] !== ROOM[from + i]) return false;
    return true;
  }
}
