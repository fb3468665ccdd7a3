const [MINUS, PLUS, POINT, ZERO, NINE] = [45, 43, 46, 48, 57];
/** The bit that distinguishes lower-case from upper-case letters. */
const LOWER_CASE = 32;
const EXPONENT = 101;
/** Maximum digits of a number whose digits and power of ten are exact, so that one division rounds correctly. */
const MAX_EXACT_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_, i) => Number(`1e${i}`));

/** There is no number. */
export const NO_NUMBER = -1;

/** Reads numbers in JSON texts. Every loop over the bytes ends at a byte that is no digit, or at the end of the bytes. */
export class NumberScanner {
  /** The number that was read last; NaN if its value must be computed from its text (`isLong`). */
  number = 0;
  /** The last number has an exponent or more than 15 digits. */
  isLong = false;
  /** The last number is long, and has neither a fraction nor an exponent. */
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
    const hasExponent = ((bytes[at] as number) | LOWER_CASE) === EXPONENT;
    this.isLong = digits > MAX_EXACT_DIGITS || hasExponent;
    if (this.isLong) {
      this.number = Number.NaN;
      this.isLongInteger = decimals === 0 && !hasExponent;
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

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
