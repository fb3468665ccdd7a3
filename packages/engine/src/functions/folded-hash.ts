import type { Texts } from '../sheet/texts.ts';
import { foldCase } from './wildcard.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const LAST_ASCII = 127;
const UPPER_A = 65;
const UPPER_Z = 90;
const TO_LOWER = 32;

/** 32 bits that are equal for texts that fold to the same, and hardly ever for others. */
export function foldedHash(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > LAST_ASCII) return plainHash(foldCase(text));
    hash = Math.imul(hash ^ lowered(code), FNV_PRIME);
  }
  return mixed(hash);
}

/** The same of each of a chunk's texts, by index; ASCII ones need no string to be made. */
export function foldedHashes(texts: Texts): Int32Array {
  const hashes = new Int32Array(texts.count);
  const { units, starts } = texts.parts();
  const packed = starts.length - 1;
  for (let i = 0; i < packed; i++) {
    hashes[i] = asciiHash(units, starts[i] as number, starts[i + 1] as number) ?? foldedHash(texts.get(i));
  }
  for (let i = packed; i < hashes.length; i++) hashes[i] = foldedHash(texts.get(i));
  return hashes;
}

/** Null where other characters are among the units. */
function asciiHash(units: Uint8Array | Uint16Array, from: number, end: number): number | null {
  let hash = FNV_OFFSET;
  for (let i = from; i < end; i++) {
    const code = units[i] as number;
    if (code > LAST_ASCII) return null;
    hash = Math.imul(hash ^ lowered(code), FNV_PRIME);
  }
  return mixed(hash);
}

function lowered(code: number): number {
  return code >= UPPER_A && code <= UPPER_Z ? code + TO_LOWER : code;
}

function plainHash(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return mixed(hash);
}

/** A table's place is taken from the low bits, which the last characters alone would decide. */
function mixed(hash: number): number {
  return hash ^ (hash >>> 15);
}
