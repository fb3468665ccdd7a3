import type { CellError } from '../../value/errors.ts';

/**
 * Maximum sum of the absolute values of numbers that an index adds in another order than that of the rows. Sums of larger
 * numbers may overflow in one order and not in another.
 */
export const MAX_INDEXED_SUM = Number.MAX_VALUE / 2;

/**
 * Sum, count and extremes of the cells that meet some criteria, for SUMIFS, AVERAGEIFS and similar functions. Covers
 * the first rows of the ranges and can be continued.
 */
export class CriteriaStatistics {
  /** Number of rows of the ranges that are covered. */
  rows = 0;
  count = 0;
  /** The numbers, added in order. */
  sum = 0;
  /** Sum of the rounding errors of `sum`. */
  lost = 0;
  /** The smallest and the greatest number; infinite if there is none. */
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;
  leastFormat = 0;
  greatestFormat = 0;
  /** The error in the first selected cell that contains one. */
  error: CellError | null = null;
  /** True if `total` is exact, so that it does not depend on the order of the additions. */
  isExact: boolean;

  constructor(isExact: boolean) {
    this.isExact = isExact;
  }

  get total(): number {
    return this.isExact ? this.sum + this.lost : this.sum;
  }

  /** The rounding error of `total`. */
  get roundingError(): number {
    const rest = this.sum - this.total + this.lost;
    return Number.isFinite(rest) ? rest : 0;
  }

  /** Adds a number. `format`: the format of its cell. */
  add(value: number, format: number): void {
    if (value < this.least) {
      this.least = value;
      this.leastFormat = format;
    }
    if (value > this.greatest) {
      this.greatest = value;
      this.greatestFormat = format;
    }
    this.addSum(value);
    this.count++;
  }

  /** Adds all numbers of other figures. Of equal extremes, the first one keeps its format. */
  addAll(other: CriteriaStatistics): void {
    if (other.least < this.least) {
      this.least = other.least;
      this.leastFormat = other.leastFormat;
    }
    if (other.greatest > this.greatest) {
      this.greatest = other.greatest;
      this.greatestFormat = other.greatestFormat;
    }
    this.addSum(other.total);
    this.addSum(other.roundingError);
    this.count += other.count;
  }

  /** Adds a number together with its rounding error (Knuth, TAOCP 2, 4.2.2). */
  addSum(value: number): void {
    const sum = this.sum + value;
    const added = sum - this.sum;
    const lost = this.sum - (sum - added) + (value - added);
    this.sum = sum;
    if (Number.isFinite(lost)) this.lost += lost;
  }
}
