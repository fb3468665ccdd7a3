export const MINUS = 45;
export const PLUS = 43;
export const POINT = 46;
const [ZERO, NINE, EXPONENT] = [48, 57, 101];
/** The bit that distinguishes lower-case from upper-case letters. */
const LOWER_CASE = 32;

/** Maximum digits of a number whose digits and power of ten are exact, so that one division rounds correctly. */
const MAX_EXACT_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_, i) => Number(`1e${i}`));

/** There is no number. */
export const NO_NUMBER = -1;

/** Reads numbers in JSON texts. */
export class NumberScanner {
  /** The number that was read last; NaN if its value must be computed from its text (`isLong`). */
  number = 0;
  /** The last number has an exponent or more than 15 digits. */
  isLong = false;
  /** The last number has more than 15 digits, and has neither a fraction nor an exponent. */
  isLongInteger = false;

  /** Reads the number at a position. Returns the position after it, or `NO_NUMBER`. */
  scan(bytes: Uint8Array, from: number): number {
    const isNegative = bytes[from] === MINUS;
    const first = isNegative ? from + 1 : from;
    let at = first;
    let mantissa = 0;
    for (; isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] as number) - ZERO;
    if (at === first || (bytes[first] === ZERO && at > first + 1)) return NO_NUMBER;
    let digits = at - first;
    let decimals = 0;
    if (bytes[at] === POINT) {
      const point = at++;
      for (; isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] as number) - ZERO;
      decimals = at - point - 1;
      if (decimals === 0) return NO_NUMBER;
      digits += decimals;
    }
    const hasExponent = isExponent(bytes[at]);
    this.isLong = digits > MAX_EXACT_DIGITS || hasExponent;
    this.isLongInteger = this.isLong && decimals === 0 && !hasExponent;
    if (this.isLong) {
      this.number = Number.NaN;
      return hasExponent ? skipExponent(bytes, at) : at;
    }
    const size = decimals === 0 ? mantissa : mantissa / (POWERS_OF_TEN[decimals] as number);
    this.number = isNegative ? -size : size;
    return at;
  }
}

/** The position after an exponent that begins with its letter; `NO_NUMBER` if it has no digits. */
function skipExponent(bytes: Uint8Array, letter: number): number {
  const sign = bytes[letter + 1];
  const first = sign === PLUS || sign === MINUS ? letter + 2 : letter + 1;
  let at = first;
  while (isDigit(bytes[at])) at++;
  return at === first ? NO_NUMBER : at;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** True for the letter `e` or `E` of a number. */
export function isExponent(byte: number | undefined): boolean {
  return ((byte as number) | LOWER_CASE) === EXPONENT;
}
