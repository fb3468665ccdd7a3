import type { CellError } from '../../value/errors.ts';

/** What SUMIFS, AVERAGEIFS and similar functions need of the cells that meet some criteria, for the first rows. */
export class CriteriaStatistics {
  /** Number of rows of the ranges that are included. */
  rows = 0;
  count = 0;
  sum = 0;
  /** Sum of the rounding errors of `sum`; 0 if the sum is not exact. */
  lost = 0;
  /** The smallest and the greatest number; infinite if there is none. */
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;
  leastFormat = 0;
  greatestFormat = 0;
  /** The first selected error. */
  error: CellError | null = null;
  /** True if the order of the numbers must not matter, because others may add them in another order. */
  private readonly isExact: boolean;

  constructor(isExact: boolean) {
    this.isExact = isExact;
  }

  get total(): number {
    return this.sum + this.lost;
  }

  /** The rounding error of `total`. */
  get roundingError(): number {
    const rest = this.sum - this.total + this.lost;
    return Number.isFinite(rest) ? rest : 0;
  }

  add(value: number, format: number): void {
    if (value < this.least) {
      this.least = value;
      this.leastFormat = format;
    }
    if (value > this.greatest) {
      this.greatest = value;
      this.greatestFormat = format;
    }
    if (this.isExact) this.addSum(value);
    else this.sum += value;
    this.count++;
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
