import { hashName, hashPackedUnits } from '../functions/folded-hash.ts';
import type { DateSystem } from '../locale/date-system.ts';
import { Texts } from '../sheet/texts.ts';
import {
  createPartRules,
  findAlternativeSpelling,
  type KeyColumns,
  type KeyValue,
  keyText,
  type PartRules,
} from './key-text.ts';

/** A free slot of the hash table. */
const FREE = -1;
const MIN_SLOTS = 16;
/**
 * Maximum number of probes per key. If it is exceeded, the keys were probably chosen to collide, and are found in a
 * map.
 */
const MAX_PROBES_PER_KEY = 16;
const MIN_PROBES = 4_096;

const [ZERO, NINE, MINUS] = [48, 57, 45];
const [UPPER_A, UPPER_Z, TO_LOWER_CASE] = [65, 90, 32];
const LAST_ASCII = 127;

/**
 * The distinct keys of a request. Most keys are one text of ASCII characters. They stay bytes, because a string and an
 * object for each key would be garbage.
 */
export class KeyList {
  readonly columns: KeyColumns;
  readonly system: DateSystem;
  /** Number of keys. */
  count = 0;
  private readonly rules: readonly PartRules[];
  /** The bytes of all keys of ASCII characters, and the range of each key's text in them. */
  private readonly bytes: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  /** The values of each key; null: a text of ASCII characters that does not spell a number or moment. */
  private readonly values: (readonly KeyValue[] | null)[] = [];
  private readonly hashes: Int32Array;
  /** The keys by hash. */
  private readonly slots: Int32Array;
  private probesLeft: number;
  /** The keys by text. Null until it is needed. */
  private places: Map<string, number> | null = null;

  /** `capacity`: maximum number of keys. `bytes`: contains the texts that are added as bytes. */
  constructor(columns: KeyColumns, system: DateSystem, capacity: number, bytes: Uint8Array = new Uint8Array(0)) {
    this.columns = columns;
    this.system = system;
    this.rules = createPartRules(columns, system);
    this.bytes = bytes;
    this.starts = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
    this.hashes = new Int32Array(capacity);
    this.slots = new Int32Array(Math.max(MIN_SLOTS, 2 ** Math.ceil(Math.log2(2 * capacity)))).fill(FREE);
    this.probesLeft = MIN_PROBES + MAX_PROBES_PER_KEY * capacity;
  }

  /** Adds a key. Returns the index of the equal key that was added before; null if there is none. */
  addKey(values: readonly KeyValue[]): number | null {
    this.values[this.count] = values;
    return this.addWithHash(this.hashKey(values));
  }

  /** Like `addKey`, for a key of one text of ASCII characters in the list's bytes. It must not be empty. */
  addAsciiKey(start: number, end: number): number | null {
    const { bytes, count } = this;
    if (maySpellNumber(bytes, start)) return this.addKey([{ scalar: decodeAscii(bytes, start, end), moment: null }]);
    this.values[count] = null;
    this.starts[count] = start;
    this.ends[count] = end;
    return this.addWithHash(hashPackedUnits(bytes, start, end)!);
  }

  /** The values of a key. */
  getValues(index: number): readonly KeyValue[] {
    return this.values[index] ?? [{ scalar: this.decodeKey(index), moment: null }];
  }

  /** True if a key is a text of ASCII characters that does not spell a number or moment. */
  isAscii(index: number): boolean {
    return this.values[index] === null;
  }

  /** `hashName` of a key for which `isAscii` is true. */
  getAsciiHash(index: number): number {
    return this.hashes[index]!;
  }

  /** The `keyText` of a key. */
  getText(index: number): string {
    return keyText(this.getValues(index), this.rules);
  }

  /** The index of a key by its values; undefined if the list does not contain it. */
  findKey(values: readonly KeyValue[]): number | undefined {
    this.places ??= this.indexTexts();
    return this.places.get(keyText(values, this.rules));
  }

  /** True if a key equals the key with these values. */
  hasValues(index: number, values: readonly KeyValue[]): boolean {
    return this.getText(index) === keyText(values, this.rules);
  }

  /** True if a key for which `isAscii` is true equals a text of a chunk. */
  isSameText(index: number, texts: Texts, textIndex: number): boolean {
    const { bytes } = this;
    const { units, starts } = texts.parts();
    const from = this.starts[index]!;
    const length = this.ends[index]! - from;
    const start = starts[textIndex]!;
    const isPacked = textIndex < starts.length - 1;
    // The composed form of a text that is not ASCII may have another length.
    for (let i = 0; isPacked && i < length; i++) {
      const unit = units[start + i]!;
      if (unit > LAST_ASCII || start + i === starts[textIndex + 1]) break;
      if (this.foldByte(unit) !== this.foldByte(bytes[from + i]!)) return false;
      if (i === length - 1 && start + length === starts[textIndex + 1]) return true;
    }
    return this.hasValues(index, [{ scalar: texts.decodeOnce(textIndex), moment: null }]);
  }

  private addWithHash(hash: number): number | null {
    const { count, slots, hashes } = this;
    if (this.probesLeft <= 0) return this.addToPlaces();
    const mask = slots.length - 1;
    hashes[count] = hash;
    let slot = hash & mask;
    for (; slots[slot] !== FREE; slot = (slot + 1) & mask) {
      const other = slots[slot]!;
      if (hashes[other] === hash && this.areEqual(other, count)) return other;
      this.probesLeft--;
    }
    slots[slot] = count;
    this.count++;
    return null;
  }

  /** Adds the last key to the map of texts. */
  private addToPlaces(): number | null {
    this.places ??= this.indexTexts();
    const text = this.getText(this.count);
    const twin = this.places.get(text);
    if (twin !== undefined) return twin;
    this.places.set(text, this.count++);
    return null;
  }

  private indexTexts(): Map<string, number> {
    const places = new Map<string, number>();
    for (let i = 0; i < this.count; i++) places.set(this.getText(i), i);
    return places;
  }

  /** A hash that is equal for equal keys. */
  private hashKey(values: readonly KeyValue[]): number {
    const [first] = values;
    const isOneText = values.length === 1 && typeof first?.scalar === 'string';
    const isText = isOneText && (this.rules[0]!.isTyped || findAlternativeSpelling(first, this.system) === null);
    return hashName(isText ? String(first.scalar) : keyText(values, this.rules));
  }

  private areEqual(a: number, b: number): boolean {
    if (!this.isAscii(a) || !this.isAscii(b)) return this.getText(a) === this.getText(b);
    const { bytes, starts, ends } = this;
    const length = ends[a]! - starts[a]!;
    if (ends[b]! - starts[b]! !== length) return false;
    for (let i = 0; i < length; i++) {
      if (this.foldByte(bytes[starts[a]! + i]!) !== this.foldByte(bytes[starts[b]! + i]!)) return false;
    }
    return true;
  }

  /** The lower case of an ASCII letter, unless the letter case matters. */
  private foldByte(byte: number): number {
    return byte >= UPPER_A && byte <= UPPER_Z && !this.columns.caseSensitive ? byte + TO_LOWER_CASE : byte;
  }

  private decodeKey(index: number): string {
    return decodeAscii(this.bytes, this.starts[index]!, this.ends[index]!);
  }
}

/** True if a text may be the canonical form of a number or moment: see `findAlternativeSpelling`. */
function maySpellNumber(bytes: Uint8Array, start: number): boolean {
  const first = bytes[start]!;
  return first === MINUS || (first >= ZERO && first <= NINE);
}

function decodeAscii(bytes: Uint8Array, start: number, end: number): string {
  return Texts.restore(bytes.subarray(start, end), Uint32Array.of(0, end - start), []).decodeOnce(0);
}
