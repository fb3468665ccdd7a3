// The functions of this file read common fields directly from their bytes. Creating a string for each field would take
// longer than all other work.

export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const COLON = 0x3a;
/** The letter of exponents. */
const LETTER_E = 0x65;
const LAST_ASCII = 0x7f;
/**
 * Maximum number of digits that a number represents exactly. An integer within this limit, divided by a power of ten,
 * gives the same double as parsing the decimal number.
 */
export const MAX_DIGITS = 15;
/** Number of digits that always fit into an integer of 32 bits. */
export const MAX_SHORT_DIGITS = 9;
/** Digits of a group of thousands. */
export const GROUP_DIGITS = 3;
const MAX_DAY_DIGITS = 2;
export const POWERS = Array.from({ length: MAX_DIGITS + 1 }, (_, power) => 10 ** power);

/** Special value: there is no number, or no decimal mark. */
export const NONE = -1;

/**
 * Kind of the decimal mark in a number. `whole`: there is none. `certain`: a decimal mark. `either`: it may also
 * separate groups (`1.234`).
 */
type MarkKind = 'whole' | 'certain' | 'either';

/** Reads numbers in the form that programs write: digits, an optional minus, and decimals after one mark. */
export class PlainNumber {
  /** The number that was read last. */
  value = 0;
  /** The kind of its decimal mark. */
  kind: MarkKind = 'whole';

  /**
   * Reads the number at `start` and stores it in `value`. `mark`: the byte of the decimal mark. Returns the position
   * after the number, at most `limit`; `NONE` if there is no number, or if it has too many digits or leading zeros.
   */
  readNumber(bytes: Uint8Array, start: number, limit: number, mark: number): number {
    const first = bytes[start] === MINUS ? start + 1 : start;
    let value = 0;
    let markAt = NONE;
    let at = first;
    // Most numbers are short. Arithmetic with integers of 32 bits is faster.
    for (const shortLimit = Math.min(limit, first + MAX_SHORT_DIGITS); at < shortLimit; at++) {
      const digit = (bytes[at] as number) - ZERO;
      if (digit >= 0 && digit <= 9) value = (Math.imul(value, 10) + digit) | 0;
      else if (digit + ZERO === mark && markAt === NONE) markAt = at;
      else break;
    }
    if (at === first + MAX_SHORT_DIGITS) {
      for (; at < limit; at++) {
        const digit = (bytes[at] as number) - ZERO;
        if (digit >= 0 && digit <= 9) value = value * 10 + digit;
        else if (digit + ZERO === mark && markAt === NONE) markAt = at;
        else break;
      }
    }
    const decimals = markAt === NONE ? 0 : at - markAt - 1;
    const whole = (markAt === NONE ? at : markAt) - first;
    if (whole === 0 || whole + decimals > MAX_DIGITS || (whole > 1 && bytes[first] === ZERO)) return NONE;
    if (markAt === NONE) {
      this.value = first === start ? value : -value;
      this.kind = 'whole';
      return at;
    }
    if (decimals === 0) return NONE;
    const size = value / (POWERS[decimals] as number);
    this.value = first === start ? size : -size;
    const isEither = decimals === GROUP_DIGITS && whole <= GROUP_DIGITS && bytes[first] !== ZERO;
    this.kind = isEither ? 'either' : 'certain';
    return at;
  }
}

/** Greater than the length of any word for a boolean, in bytes. */
export const MAX_BOOLEAN_BYTES = 24;

/**
 * True if a field consists of groups of digits that do not all have three digits, as in telephone numbers. It is then
 * neither a number nor a date.
 */
export function areUnevenDigits(bytes: Uint8Array, start: number, end: number): boolean {
  let at = bytes[start] === PLUS || bytes[start] === MINUS ? start + 1 : start;
  let groups = 0;
  let isUneven = false;
  while (at < end) {
    const from = at;
    while (at < end && isDigit(bytes[at] as number)) at++;
    const digits = at - from;
    if (digits === 0) return false;
    if (digits > GROUP_DIGITS || (groups > 0 && digits < GROUP_DIGITS)) isUneven = true;
    groups++;
    if (at === end) return groups > 1 && isUneven;
    if (bytes[at++] !== SPACE) return false;
  }
  return false;
}

/**
 * Returns the first UTF-16 unit of a field that begins with a letter, for scripts that the first byte identifies. -1
 * for other fields, which include blanks and currency signs.
 */
export function decodeFirstLetter(bytes: Uint8Array, start: number): number {
  const first = bytes[start] as number;
  if (isLetter(first)) return first;
  if (first < FIRST_TWO_BYTES || first > LAST_TWO_BYTES) return -1;
  return ((first & 0x1f) << 6) | ((bytes[start + 1] as number) & 0x3f);
}

/** First bytes of the characters from À to ԯ and the Armenian letters. */
const FIRST_TWO_BYTES = 0xc3;
const LAST_TWO_BYTES = 0xd4;

/** True if a field that begins with a letter cannot be a date, because no day follows its first word. */
export function isWord(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && canBeLetter(bytes[at] as number)) at++;
  if (at < end && bytes[at] === POINT) at++;
  if (at + 1 >= end || bytes[at] !== SPACE || !isDigit(bytes[at + 1] as number)) return true;
  at += at + 2 < end && isDigit(bytes[at + 2] as number) ? 3 : 2;
  return at >= end || (bytes[at] !== SPACE && bytes[at] !== COMMA);
}

/** True if a byte may be part of a word. Words of dates always end with ASCII characters. */
function canBeLetter(byte: number): boolean {
  return byte > LAST_ASCII || isLetter(byte);
}

/**
 * True if a field that begins with a digit is certainly neither a number nor a date, because of its letters: `12345-AB`,
 * `3f2504e0`. `canHaveBlanks`: false if the result must be false for fields with blanks.
 */
export function isWordWithDigits(bytes: Uint8Array, start: number, end: number, canHaveBlanks: boolean): boolean {
  let at = start;
  while (at < end && isDigit(bytes[at] as number)) at++;
  const next = bytes[at];
  // The name of a month may follow the day of a date.
  const canBeDay = at - start <= MAX_DAY_DIGITS && (next === SPACE || next === MINUS || next === POINT);
  if (at === start || canBeDay) return false;
  let hasLetter = false;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === COLON || byte > LAST_ASCII || (byte === SPACE && !canHaveBlanks)) return false;
    hasLetter ||= isLetter(byte) && (byte | 0x20) !== LETTER_E;
  }
  return hasLetter;
}

/** True if a field may end with a blank. */
export function canEndWithBlank(bytes: Uint8Array, end: number): boolean {
  const last = bytes[end - 1] as number;
  return last <= SPACE || last > LAST_ASCII;
}

export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < ZERO + 10;
}

function isLetter(byte: number): boolean {
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x7a;
}
