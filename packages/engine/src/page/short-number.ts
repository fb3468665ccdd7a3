import { countGeneralDecimals, MAX_ROUNDED, MIN_ROUNDED, scaleToWhole } from '../locale/index.ts';

/** Maximum number of bytes that `ShortNumber.putDigits` and `putWhole` write. */
export const DIGITS_ROOM = 24;
/** Exclusive upper limit of whole parts, and of the nine stored decimals as a whole number. */
const MAX_WHOLE = 1e9;
/** The smallest fraction that is always written without an exponent. */
const MIN_FRACTION = 1e-4;
/** Ten to the power of the number of stored decimals. */
const ALL_PLACES = 1e9;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** The four digits of each number from 0 to 9,999 as a big-endian word. */
const FOUR_DIGITS = Int32Array.from({ length: 10_000 }, (_, n) =>
  [...String(n).padStart(4, '0')].reduce((word, digit) => (word << 8) | digit.charCodeAt(0), 0),
);

/** The number of digits of a whole number from 0 to 9,999. */
function countShortDigits(n: number): number {
  return n >= 100 ? (n >= 1000 ? 4 : 3) : n >= 10 ? 2 : 1;
}

/** The number of digits of a whole number, 10,000 ≤ n < 10^9. */
function countDigits(n: number): number {
  return n < 1e8 ? 4 + countShortDigits((n / 10_000) | 0) : 9;
}

/** Writes a whole number from 0 to 9,999 without leading zeros. */
function putSmall(view: DataView, position: number, n: number): number {
  const digits = countShortDigits(n);
  view.setInt32(position, FOUR_DIGITS[n]! << (32 - 8 * digits));
  return position + digits;
}

/** Writes a whole number, 0 ≤ n < 10^9. Returns the position after it. */
export function putWhole(view: DataView, position: number, n: number): number {
  if (n < 10_000) return putSmall(view, position, n);
  const high = (n / 10_000) | 0;
  const next = high < 10_000 ? putSmall(view, position, high) : putWhole(view, position, high);
  view.setInt32(next, FOUR_DIGITS[n - high * 10_000]!);
  return next + 4;
}

/**
 * A number with at most nine digits, up to six of them decimals, split into digits. Writing the digits is several times
 * faster than writing a string. The text equals that of `String`, and that of the General format except for the decimal
 * mark. Reason: if n has at most 15 digits, no other decimal number with so few digits is the same double as n/10^d, so
 * that its shortest text consists of the digits of n.
 */
export class ShortNumber {
  private negative = false;
  private whole = 0;
  /** The decimals as a whole number of nine digits, and the number of decimals to show. */
  private decimals = 0;
  private places = 0;

  /** Splits a number. Returns false if it has too many digits. */
  splitNumber(value: number): boolean {
    this.negative = value < 0;
    const size = this.negative ? -value : value;
    // The negated condition is also true for NaN.
    if (!(size < MAX_WHOLE)) return false;
    const whole = size | 0;
    this.whole = whole;
    this.places = 0;
    return whole === size || this.readFraction(size, size - whole);
  }

  private readFraction(size: number, part: number): boolean {
    if (size < MIN_FRACTION) return false;
    return (
      this.hasEnoughDecimals(size, part, 2, 100, 1e7) ||
      this.hasEnoughDecimals(size, part, 4, 1e4, 1e5) ||
      this.hasEnoughDecimals(size, part, 6, 1e6, 1e3)
    );
  }

  /**
   * True if `maxDecimals` decimals represent the number exactly. `scale`: ten to the power of `maxDecimals`;
   * `restScale`: ten to the power of the remaining stored decimals.
   */
  private hasEnoughDecimals(
    size: number,
    part: number,
    maxDecimals: number,
    scale: number,
    restScale: number,
  ): boolean {
    const all = this.whole * scale;
    if (all >= MAX_WHOLE) return false;
    const decimals = (part * scale + 0.5) | 0;
    if ((all + decimals) / scale !== size) return false;
    this.setDecimals(decimals, maxDecimals, restScale);
    return true;
  }

  /**
   * Splits a number with more decimals than General shows, rounded as General does. Returns false if rounding needs the
   * exact decimal form.
   */
  readRounded(value: number): boolean {
    const size = Math.abs(value);
    if (!(size >= MIN_ROUNDED && size < MAX_ROUNDED)) return false;
    const most = countGeneralDecimals(size);
    const scaled = scaleToWhole(size, most);
    if (scaled < 0) return false;
    const scale = 10 ** most;
    const whole = Math.floor(scaled / scale);
    this.negative = value < 0;
    this.whole = whole;
    this.setDecimals(scaled - whole * scale, most, ALL_PLACES / scale);
    return true;
  }

  /** Decimals as a whole number of `maxDecimals` digits. Removes trailing zeros. */
  private setDecimals(decimals: number, maxDecimals: number, restScale: number): void {
    let places = decimals === 0 ? 0 : maxDecimals;
    let last = decimals;
    while (places > 0 && last % 10 === 0) {
      last = (last / 10) | 0;
      places--;
    }
    this.decimals = (decimals * restScale) | 0;
    this.places = places;
  }

  /** Writes the number with a decimal mark. Returns the position after it. */
  putDigits(view: DataView, from: number, mark: number): number {
    let at = from;
    if (this.negative) view.setUint8(at++, MINUS);
    at = putWhole(view, at, this.whole);
    if (this.places === 0) return at;
    view.setUint8(at, mark);
    const first = (this.decimals / 1e5) | 0;
    view.setInt32(at + 1, FOUR_DIGITS[first]!);
    if (this.places > 4) putLastDecimals(view, at + 5, this.decimals - first * 1e5);
    return at + 1 + this.places;
  }

  /**
   * Writes the number twice: with a point, and with another mark `apart` bytes later (at least five). Returns its
   * length. Each write may overwrite up to four bytes after the number.
   */
  putTwice(view: DataView, from: number, apart: number, mark: number): number {
    let at = from;
    const { whole, places } = this;
    const shift = apart + this.length;
    if (this.negative) {
      view.setUint8(at, MINUS);
      view.setUint8(at++ + shift, MINUS);
    }
    if (whole < 10_000) {
      const digits = countShortDigits(whole);
      const word = FOUR_DIGITS[whole]! << (32 - 8 * digits);
      view.setInt32(at, word);
      view.setInt32(at + shift, word);
      at += digits;
    } else {
      putWhole(view, at + shift, whole);
      at = putWhole(view, at, whole);
    }
    if (places === 0) return at - from;
    view.setUint8(at, POINT);
    view.setUint8(at + shift, mark);
    const first = (this.decimals / 1e5) | 0;
    const word = FOUR_DIGITS[first]!;
    view.setInt32(at + 1, word);
    view.setInt32(at + 1 + shift, word);
    if (places > 4) {
      putLastDecimals(view, at + 5, this.decimals - first * 1e5);
      putLastDecimals(view, at + 5 + shift, this.decimals - first * 1e5);
    }
    return at + 1 + places - from;
  }

  private get length(): number {
    const { whole, places } = this;
    const digits = whole < 10_000 ? countShortDigits(whole) : countDigits(whole);
    return (this.negative ? 1 : 0) + digits + (places === 0 ? 0 : places + 1);
  }
}

/** Writes the last five of nine decimals. */
function putLastDecimals(view: DataView, position: number, n: number): void {
  const high = (n / 10) | 0;
  view.setInt32(position, FOUR_DIGITS[high]!);
  view.setUint8(position + 4, ZERO + n - high * 10);
}
