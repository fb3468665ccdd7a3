/** The position of a searched text within another text. */
export type TextPart = 'contains' | 'startsWith' | 'endsWith';

/** One past the last ASCII character. */
const ASCII_END = 0x80;
const FIRST_CAPITAL = 65;
const LAST_CAPITAL = 90;
const LETTER_CASE = 32;

/** Tests a text, given as one-byte UTF-16 units. */
export type UnitsTest = (units: Uint8Array, from: number, end: number) => boolean;

/**
 * Creates a test whether texts of one-byte characters equal, contain, start or end with `part`; undefined if `part` is
 * empty or not ASCII. The test is valid because no other one-byte character equals an ASCII letter in upper or lower
 * case, and no one-byte character combines with the previous character.
 */
export function createUnitsTest(op: TextPart | 'equals', part: string, caseSensitive: boolean): UnitsTest | undefined {
  const { length } = part;
  if (length === 0) return undefined;
  const lower = caseSensitive ? SAME : LOWER;
  const wanted = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const unit = part.charCodeAt(i);
    if (unit >= ASCII_END) return undefined;
    wanted[i] = lower[unit]!;
  }
  const isAt = (units: Uint8Array, offset: number): boolean => {
    for (let i = 0; i < length; i++) if (lower[units[offset + i]!] !== wanted[i]) return false;
    return true;
  };
  if (op === 'equals') return (units, from, end) => end - from === length && isAt(units, from);
  if (op === 'startsWith') return (units, from, end) => end - from >= length && isAt(units, from);
  if (op === 'endsWith') return (units, from, end) => end - from >= length && isAt(units, end - length);
  // Horspool's search: for each character below the last character of the part, how far to move the part.
  const moves = new Uint32Array(256).fill(length);
  for (let i = 0; i < length - 1; i++) moves[wanted[i]!] = length - 1 - i;
  const last = wanted[length - 1]!;
  return (units, from, end) => {
    for (let at = from + length - 1; at < end; ) {
      const unit = lower[units[at]!]!;
      if (unit === last && isAt(units, at - length + 1)) return true;
      at += moves[unit]!;
    }
    return false;
  };
}

const SAME = Uint8Array.from({ length: 256 }, (_, unit) => unit);
const LOWER = SAME.map((unit) => (unit >= FIRST_CAPITAL && unit <= LAST_CAPITAL ? unit + LETTER_CASE : unit));
