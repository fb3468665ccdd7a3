import { MINUS, NONE, ZERO } from './plain-bytes.ts';

/** Exclusive upper limit of the numbers. */
const MAX_SIZE = 1e7;
/** The two digits of each number from 0 to 99. */
const PAIRS = Uint8Array.from({ length: 200 }, (_, i) => ZERO + (i % 2 === 0 ? Math.floor(i / 20) : (i >> 1) % 10));

/**
 * Writes a number below ten million with at most two decimals: most numbers of large files. The text equals that of
 * `String` except for the decimal mark (`ShortNumber` gives the reason). This takes half of the time of `ShortNumber`.
 * Returns the position after the number, at most 12 bytes later; `NONE` for other numbers.
 */
export function putShortDecimal(bytes: Uint8Array, from: number, value: number, mark: number): number {
  const size = value < 0 ? -value : value;
  if (!(size < MAX_SIZE)) return NONE;
  const whole = size | 0;
  let cents = 0;
  if (whole !== size) {
    cents = ((size - whole) * 100 + 0.5) | 0;
    if ((whole * 100 + cents) / 100 !== size) return NONE;
  }
  let at = from;
  if (value < 0) bytes[at++] = MINUS;
  at = putWhole(bytes, at, whole);
  if (cents === 0) return at;
  const last = PAIRS[2 * cents + 1] as number;
  bytes[at] = mark;
  bytes[at + 1] = PAIRS[2 * cents] as number;
  bytes[at + 2] = last;
  return last === ZERO ? at + 2 : at + 3;
}

/** Writes a whole number below ten million. */
function putWhole(bytes: Uint8Array, from: number, whole: number): number {
  if (whole < 100) return putUpTo99(bytes, from, whole);
  const high = (whole / 100) | 0;
  const at = high < 100 ? putUpTo99(bytes, from, high) : putWhole(bytes, from, high);
  return putPair(bytes, at, whole - high * 100);
}

function putUpTo99(bytes: Uint8Array, from: number, whole: number): number {
  if (whole >= 10) return putPair(bytes, from, whole);
  bytes[from] = ZERO + whole;
  return from + 1;
}

function putPair(bytes: Uint8Array, from: number, pair: number): number {
  bytes[from] = PAIRS[2 * pair] as number;
  bytes[from + 1] = PAIRS[2 * pair + 1] as number;
  return from + 2;
}
