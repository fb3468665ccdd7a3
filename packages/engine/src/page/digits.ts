/** Numbers as ASCII digits, straight into bytes: several times faster than by way of a string. */

/** Bytes that `ShortNumber.put` and `putWhole` may touch. */
export const DIGITS_ROOM = 24;
/** Whole parts, and whole numbers made of all digits of a fraction, stay below this. */
const MOST_WHOLE = 1e9;
/** Smaller fractions may have an exponent. */
const LEAST_FRACTION = 1e-4;
const MINUS = 45;

/** The four digits of 0 to 9,999 as a big-endian word. */
const FOUR_DIGITS = Int32Array.from({ length: 10_000 }, (_, n) =>
  [...String(n).padStart(4, '0')].reduce((word, digit) => (word << 8) | digit.charCodeAt(0), 0),
);

/** Writes a whole number from 0 to 9,999 without leading zeros. */
function putSmall(view: DataView, at: number, n: number): number {
  const digits = n >= 100 ? (n >= 1000 ? 4 : 3) : n >= 10 ? 2 : 1;
  view.setInt32(at, (FOUR_DIGITS[n] as number) << (32 - 8 * digits));
  return at + digits;
}

/** Writes a whole number, 0 ≤ n < 10^9; gives the place after it. */
export function putWhole(view: DataView, at: number, n: number): number {
  if (n < 10_000) return putSmall(view, at, n);
  const high = (n / 10_000) | 0;
  const next = high < 10_000 ? putSmall(view, at, high) : putWhole(view, at, high);
  view.setInt32(next, FOUR_DIGITS[n - high * 10_000] as number);
  return next + 4;
}

/**
 * A number of at most nine digits, up to six of them decimals, taken apart into its digits: they are what `String`
 * gives and, but for the decimal mark, what General shows. Of a fraction n/10^d, n of at most 15 digits, no other
 * decimal of so few digits is the same double: its shortest text is that of n.
 */
export class ShortNumber {
  private negative = false;
  private whole = 0;
  /** The decimals as a whole number of six digits, and how many of them are shown. */
  private decimals = 0;
  private places = 0;

  /** Takes a number apart; false for one that is not so short. */
  read(value: number): boolean {
    this.negative = value < 0;
    const size = this.negative ? -value : value;
    // Not a number fails this, too.
    if (!(size < MOST_WHOLE)) return false;
    const whole = size | 0;
    this.whole = whole;
    this.places = 0;
    return whole === size || this.readFraction(size, size - whole);
  }

  private readFraction(size: number, part: number): boolean {
    if (size < LEAST_FRACTION) return false;
    return (
      this.hasPlaces(size, part, 2, 100) || this.hasPlaces(size, part, 4, 1e4) || this.hasPlaces(size, part, 6, 1e6)
    );
  }

  private hasPlaces(size: number, part: number, most: number, scale: number): boolean {
    const all = this.whole * scale;
    if (all >= MOST_WHOLE) return false;
    const decimals = (part * scale + 0.5) | 0;
    if ((all + decimals) / scale !== size) return false;
    let places = most;
    let rest = decimals;
    while (rest % 10 === 0) {
      rest = (rest / 10) | 0;
      places--;
    }
    this.decimals = decimals * (1e6 / scale);
    this.places = places;
    return true;
  }

  /** Writes the number with a decimal mark; gives the place after it. */
  put(view: DataView, from: number, mark: number): number {
    let at = from;
    if (this.negative) view.setUint8(at++, MINUS);
    at = putWhole(view, at, this.whole);
    if (this.places === 0) return at;
    view.setUint8(at, mark);
    const high = (this.decimals / 100) | 0;
    view.setInt32(at + 1, FOUR_DIGITS[high] as number);
    if (this.places > 4) view.setInt32(at + 5, (FOUR_DIGITS[this.decimals - high * 100] as number) << 16);
    return at + 1 + this.places;
  }
}
