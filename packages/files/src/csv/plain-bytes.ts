// What most fields of files are, told from their bytes: a string for each would cost more than all the rest.

const ZERO = 0x30;
const SPACE = 0x20;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const LAST_ASCII = 0x7f;
/** Digits that a number keeps exactly; so many make a whole number that a division rounds as reading them would. */
const MAX_DIGITS = 15;
/** Digits of a group of thousands. */
const GROUP_DIGITS = 3;
const POWERS = Array.from({ length: MAX_DIGITS + 1 }, (_, power) => 10 ** power);

/**
 * Whether a decimal point shows: `whole` where there is none, `certain` where it can be nothing else, `either` where it may
 * divide groups (`1.234`); `none`: it is no number that is written as programs do, or not for certain.
 */
type Mark = 'none' | 'whole' | 'certain' | 'either';

/** Reads numbers as programs write them: digits, perhaps a minus before them and decimals after a point. */
export class PlainNumber {
  /** Of what was read last. */
  value = 0;

  read(bytes: Uint8Array, start: number, end: number): Mark {
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

/** Of a field that has no key. */
export const NO_KEY = -1;
/** The characters of dates are those between these; so many of them make a whole number that is exact. */
const BEFORE_DAY = 0x2c;
const LAST_DAY = 0x3a;
const MAX_DAY_LENGTH = 13;

/** A number for a short field of digits, points, slashes, hyphens and colons, which no other has. */
export function dayKey(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > MAX_DAY_LENGTH) return NO_KEY;
  let key = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte <= BEFORE_DAY || byte > LAST_DAY) return NO_KEY;
    key = key * (LAST_DAY - BEFORE_DAY + 1) + byte - BEFORE_DAY;
  }
  return key;
}

/** Whether a field is digits in groups of which not all have three, as of telephone numbers: no number, and no date. */
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
 * The first UTF-16 unit of a field that begins with a letter, as far as most scripts' are told by their first byte: no
 * blank and no sign for a currency is among these. -1 for others.
 */
export function firstLetter(bytes: Uint8Array, start: number): number {
  const first = bytes[start] as number;
  if (isLetter(first)) return first;
  if (first < FIRST_TWO_BYTES || first > LAST_TWO_BYTES) return -1;
  return ((first & 0x1f) << 6) | ((bytes[start + 1] as number) & 0x3f);
}

/** First bytes of characters from À to ԯ and the Armenian letters before its signs. */
const FIRST_TWO_BYTES = 0xc3;
const LAST_TWO_BYTES = 0xd4;

/** Whether a field that begins with a letter can be no date: no day of a month follows its first word. */
export function isWord(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && mayBeLetter(bytes[at] as number)) at++;
  if (at < end && bytes[at] === POINT) at++;
  if (at + 1 >= end || bytes[at] !== SPACE || !isDigit(bytes[at + 1] as number)) return true;
  at += at + 2 < end && isDigit(bytes[at + 2] as number) ? 3 : 2;
  return at >= end || (bytes[at] !== SPACE && bytes[at] !== COMMA);
}

/** What ends words of dates is all in ASCII. */
function mayBeLetter(byte: number): boolean {
  return byte > LAST_ASCII || isLetter(byte);
}

/** Whether a field may end in blanks. */
export function mayEndBlank(bytes: Uint8Array, end: number): boolean {
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
