/** A sum of two parts: a double, and the remainder that rounding lost. It is exact to about 32 digits. */
export class ExactSum {
  private sum = 0;
  private lost = 0;

  /** The sum, rounded to a double. */
  get total(): number {
    return Number.isFinite(this.lost) ? this.sum + this.lost : this.sum;
  }

  /** Adds a number together with its rounding error (Knuth, TAOCP 2, 4.2.2). */
  add(value: number): void {
    const sum = this.sum + value;
    const added = sum - this.sum;
    this.lost += this.sum - (sum - added) + (value - added);
    this.sum = sum;
  }

  include(other: ExactSum): void {
    this.add(other.sum);
    this.lost += other.lost;
  }

  /** The difference to another sum, which loses no digits of sums that hardly differ. */
  distanceTo(other: ExactSum): number {
    return other.sum - this.sum + (other.lost - this.lost);
  }

  subtract(other: ExactSum): void {
    this.add(-other.sum);
    this.lost -= other.lost;
  }

  /** Adds the product of a number and an integer below 2^26 without rounding it (Dekker, 1971). */
  addProduct(value: number, factor: number): void {
    const scaled = value * SPLITTER;
    const high = scaled - (scaled - value);
    this.add(high * factor);
    this.add((value - high) * factor);
  }
}

/** Splits the digits of a double into two halves of 26 bits. */
const SPLITTER = 2 ** 27 + 1;
