import type { Texts } from '../sheet/texts.ts';
import { canDecompose, foldCase, foldName } from '../value/fold.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** One past the last UTF-16 unit in the table, which contains Latin and Russian letters. */
const TABLE_END = 0x480;
/**
 * Element of the table for units that may form one character with the next unit. Also used for units that are not in
 * the table.
 */
const UNKNOWN = 0xffff;

/** The folded form of each unit that is a complete character, so that hashing a text need not create a folded text. */
const FOLDED_UNITS = new Uint16Array(TABLE_END).fill(UNKNOWN);
for (let unit = 0; unit < TABLE_END; unit++) {
  const character = String.fromCharCode(unit);
  if (!canDecompose(character)) FOLDED_UNITS[unit] = foldCase(character).charCodeAt(0);
}

/** Returns a 32-bit hash. It is equal for texts with the same folding, and rarely equal for others. */
export function hashFolded(text: string): number {
  return hashWith(text, foldCase);
}

/**
 * Returns a 32-bit hash for names in records. It is equal for texts that are equal after composition and folding, and
 * rarely equal for others.
 */
export function hashName(text: string): number {
  return hashWith(text, foldName);
}

/** Returns a 32-bit hash of a folded text. `fold` is called only for texts that the table cannot fold. */
function hashWith(text: string, fold: (text: string) => string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) {
    const unit = FOLDED_UNITS[text.charCodeAt(i)] ?? UNKNOWN;
    if (unit === UNKNOWN) return hashTextUnits(fold(text));
    hash = Math.imul(hash ^ unit, FNV_PRIME);
  }
  return mixBits(hash);
}

/**
 * Returns `hashName` of each text of a chunk, by index. Creates strings only for the few texts that the table cannot
 * fold.
 */
export function hashNames(texts: Texts): Int32Array {
  const hashes = new Int32Array(texts.count);
  const { units, starts } = texts.parts();
  const packed = starts.length - 1;
  for (let i = 0; i < packed; i++) {
    hashes[i] = hashPackedUnits(units, starts[i]!, starts[i + 1]!) ?? hashName(texts.get(i));
  }
  for (let i = packed; i < hashes.length; i++) hashes[i] = hashName(texts.get(i));
  return hashes;
}

/** Returns `hashName` of UTF-16 units, or of ASCII bytes; null if the table does not contain all of them. */
export function hashPackedUnits(units: Uint8Array | Uint16Array, from: number, end: number): number | null {
  let hash = FNV_OFFSET;
  for (let i = from; i < end; i++) {
    const unit = FOLDED_UNITS[units[i]!] ?? UNKNOWN;
    if (unit === UNKNOWN) return null;
    hash = Math.imul(hash ^ unit, FNV_PRIME);
  }
  return mixBits(hash);
}

/** Number of bits of a digest that come from its second hash. */
const SECOND_BITS = 20;
const SECOND_PRIME = 0x5bd1e995;

/**
 * Returns a 52-bit digest for each text of a chunk, by index. Digests are equal for texts that are equal in records.
 * Among a million different texts two have the same digest with a probability below 1 in 9,000.
 */
export function digestNames(texts: Texts): Float64Array {
  const digests = new Float64Array(texts.count);
  const { units, starts } = texts.parts();
  const packed = starts.length - 1;
  for (let i = 0; i < digests.length; i++) {
    const packedDigest = i < packed ? digestUnits(units, starts[i]!, starts[i + 1]!, true) : null;
    digests[i] = packedDigest ?? digestText(texts.get(i));
  }
  return digests;
}

/** Returns the digest of one text; see `digestNames`. */
function digestText(text: string): number {
  const folded = foldName(text);
  const units = Uint16Array.from({ length: folded.length }, (_, i) => folded.charCodeAt(i));
  return digestUnits(units, 0, units.length, false) as number;
}

/**
 * Returns the digest of UTF-16 units. `isToFold`: the units are not folded yet; the result is then null if one of them
 * is not in the table.
 */
function digestUnits(units: Uint8Array | Uint16Array, from: number, end: number, isToFold: boolean): number | null {
  let first = FNV_OFFSET;
  let second = 0;
  for (let i = from; i < end; i++) {
    const originalUnit = units[i]!;
    const unit = isToFold ? (FOLDED_UNITS[originalUnit] ?? UNKNOWN) : originalUnit;
    if (isToFold && unit === UNKNOWN) return null;
    first = Math.imul(first ^ unit, FNV_PRIME);
    second = Math.imul(second ^ unit, SECOND_PRIME);
    second ^= second >>> 15;
  }
  return (mixBits(first) >>> 0) * 2 ** SECOND_BITS + (second >>> (32 - SECOND_BITS));
}

/** Returns a 32-bit hash of the UTF-16 units of a text, without folding them. */
function hashTextUnits(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return mixBits(hash);
}

/**
 * Mixes the high bits into the low ones. Tables use the low bits, which otherwise depend only on the last characters.
 */
function mixBits(hash: number): number {
  return hash ^ (hash >>> 15);
}
