// The functions of this file read common fields directly from their bytes. Creating a string for each field would take
// longer than all other work.

const ZERO = 0x30;
const SPACE = 0x20;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const LAST_ASCII = 0x7f;
/**
 * Maximum number of digits that a number represents exactly. An integer within this limit, divided by a power of ten,
 * gives the same double as parsing the decimal number.
 */
const MAX_DIGITS = 15;
/** Digits of a group of thousands. */
const GROUP_DIGITS = 3;
const POWERS = Array.from({ length: MAX_DIGITS + 1 }, (_, power) => 10 ** power);

/**
 * Kind of the point in a number. `whole`: there is no point. `certain`: a decimal point. `either`: it may also separate
 * groups (`1.234`). `none`: the field is not a number in the form that programs write.
 */
type PointKind = 'none' | 'whole' | 'certain' | 'either';

/** Reads numbers in the form that programs write: digits, an optional minus, and decimals after a point. */
export class PlainNumber {
  /** The number that was read last. */
  value = 0;

  /** Reads a number and stores it in `value`. Returns the kind of its decimal point. */
  readNumber(bytes: Uint8Array, start: number, end: number): PointKind {
    const first = bytes[start] === MINUS ? start + 1 : start;
    let digits = 0;
    let value = 0;
    let pointAt = end;
    for (let at = first; at < end; at++) {
      const digit = (bytes[at] as number) - ZERO;
      if (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        digits++;
      } else if (bytes[at] === POINT && pointAt === end) pointAt = at;
      else return 'none';
    }
    const whole = pointAt - first;
    const isCode = whole > 1 && bytes[first] === ZERO;
    if (whole === 0 || digits > MAX_DIGITS || isCode || pointAt === end - 1) return 'none';
    const decimals = digits - whole;
    const size = decimals === 0 ? value : value / (POWERS[decimals] as number);
    this.value = first === start ? size : -size;
    if (decimals === 0) return 'whole';
    return decimals === GROUP_DIGITS && whole <= GROUP_DIGITS && bytes[first] !== ZERO ? 'either' : 'certain';
  }
}

/** Result for a field that has no key. */
export const NO_KEY = -1;
/** Greater than the length of any word for a boolean, in bytes. */
export const MAX_BOOLEAN_BYTES = 24;
/** Bounds of the characters of dates, and the maximum length for which the key is an exact integer. */
const BEFORE_DAY = 0x2c;
const LAST_DAY = 0x3a;
const MAX_DAY_LENGTH = 13;

/** Returns a unique number for a short field of digits, points, slashes, hyphens and colons. */
export function computeDayKey(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > MAX_DAY_LENGTH) return NO_KEY;
  let key = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte <= BEFORE_DAY || byte > LAST_DAY) return NO_KEY;
    key = key * (LAST_DAY - BEFORE_DAY + 1) + byte - BEFORE_DAY;
  }
  return key;
}

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

/** True if a field may end with a blank. */
export function canEndWithBlank(bytes: Uint8Array, end: number): boolean {
  const last = bytes[end - 1] as number;
  return last <= SPACE || last > LAST_ASCII;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < ZERO + 10;
}

function isLetter(byte: number): boolean {
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x7a;
}
