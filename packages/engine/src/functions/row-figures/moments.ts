import type { CountedKinds } from '../gather-numbers.ts';
import type { RowMeasure } from './row-tree.ts';

/** A mean of two parts: a double, and the remainder that rounding lost. */
class SplitMean {
  high = 0;
  low = 0;

  /** Moves the mean by a number (Knuth, TAOCP 2, 4.2.2). */
  move(distance: number): void {
    const high = this.high + distance;
    const added = high - this.high;
    this.low += this.high - (high - added) + (distance - added);
    this.high = high;
  }

  /** The distance to another mean. */
  distanceTo(other: SplitMean): number {
    return other.high - this.high + (other.low - this.low);
  }

  set({ high, low }: SplitMean): void {
    this.high = high;
    this.low = low;
  }
}

/**
 * Sums of the powers of the distances from the mean. They are combined without cancellation (Pébay, Formulas for robust,
 * one-pass parallel computation of covariances and arbitrary-order statistical moments, 2008).
 */
export class CentralMoments {
  count = 0;
  squaredDeviations = 0;
  cubedDeviations = 0;
  fourthDeviations = 0;
  private readonly split = new SplitMean();

  get mean(): number {
    return this.split.high + this.split.low;
  }

  include(next: CentralMoments): void {
    const [a, b] = [this.count, next.count];
    if (b === 0) return;
    if (a === 0) return this.set(next);
    const n = a + b;
    const distance = this.split.distanceTo(next.split);
    const share = distance / n;
    const square = distance * share * a * b;
    this.fourthDeviations +=
      next.fourthDeviations +
      square * share * share * (a * a - a * b + b * b) +
      6 * share * share * (a * a * next.squaredDeviations + b * b * this.squaredDeviations) +
      4 * share * (a * next.cubedDeviations - b * this.cubedDeviations);
    this.cubedDeviations +=
      next.cubedDeviations +
      square * share * (a - b) +
      3 * share * (a * next.squaredDeviations - b * this.squaredDeviations);
    this.squaredDeviations += next.squaredDeviations + square;
    this.split.move(share * b);
    this.count = n;
  }

  private set({ count, squaredDeviations, cubedDeviations, fourthDeviations, split }: CentralMoments): void {
    this.count = count;
    this.squaredDeviations = squaredDeviations;
    this.cubedDeviations = cubedDeviations;
    this.fourthDeviations = fourthDeviations;
    this.split.set(split);
  }

  /**
   * Computes the moments of some rows. Distances from the first number lose no digits of large numbers that hardly differ.
   */
  static ofRows(numbers: Float64Array, from: number, to: number): CentralMoments {
    const moments = new CentralMoments();
    let first = Number.NaN;
    let count = 0;
    let sum = 0;
    for (let row = from; row < to; row++) {
      const number = numbers[row]!;
      if (Number.isNaN(number)) continue;
      if (count++ === 0) first = number;
      sum += number - first;
    }
    if (count === 0) return moments;
    const centre = sum / count;
    for (let row = from; row < to; row++) {
      const number = numbers[row]!;
      if (Number.isNaN(number)) continue;
      const distance = number - first - centre;
      const square = distance * distance;
      moments.squaredDeviations += square;
      moments.cubedDeviations += square * distance;
      moments.fourthDeviations += square * square;
    }
    moments.count = count;
    moments.split.move(first);
    moments.split.move(centre);
    return moments;
  }
}

/** Creates the measure of the moments of one column. */
export function createMomentsMeasure(counted: CountedKinds): RowMeasure<CentralMoments> {
  return {
    width: 1,
    counted,
    create: () => new CentralMoments(),
    measure: ([numbers], from, to) => CentralMoments.ofRows(numbers!, from, to),
  };
}

/** The measure of the numbers of one column. */
export const NUMBER_MOMENTS: RowMeasure<CentralMoments> = createMomentsMeasure('numbers');

/** Means of the pairs of numbers of two columns, and the sums of products of their distances from the means. */
class PairMoments {
  n = 0;
  xx = 0;
  yy = 0;
  xy = 0;
  private readonly x = new SplitMean();
  private readonly y = new SplitMean();

  get meanX(): number {
    return this.x.high + this.x.low;
  }

  get meanY(): number {
    return this.y.high + this.y.low;
  }

  include(next: PairMoments): void {
    const [a, b] = [this.n, next.n];
    if (b === 0) return;
    if (a === 0) return this.set(next);
    const n = a + b;
    const dx = this.x.distanceTo(next.x);
    const dy = this.y.distanceTo(next.y);
    const weight = (a * b) / n;
    this.xx += next.xx + dx * dx * weight;
    this.yy += next.yy + dy * dy * weight;
    this.xy += next.xy + dx * dy * weight;
    this.x.move((dx * b) / n);
    this.y.move((dy * b) / n);
    this.n = n;
  }

  private set({ n, xx, yy, xy, x, y }: PairMoments): void {
    this.n = n;
    this.xx = xx;
    this.yy = yy;
    this.xy = xy;
    this.x.set(x);
    this.y.set(y);
  }

  /** Computes the moments of the rows that contain a number in both columns. */
  static ofRows(xs: Float64Array, ys: Float64Array, from: number, to: number): PairMoments {
    const moments = new PairMoments();
    let firstX = 0;
    let firstY = 0;
    let sumX = 0;
    let sumY = 0;
    let n = 0;
    for (let row = from; row < to; row++) {
      const [x, y] = [xs[row]!, ys[row]!];
      if (Number.isNaN(x) || Number.isNaN(y)) continue;
      if (n++ === 0) [firstX, firstY] = [x, y];
      sumX += x - firstX;
      sumY += y - firstY;
    }
    if (n === 0) return moments;
    const [centreX, centreY] = [sumX / n, sumY / n];
    for (let row = from; row < to; row++) {
      const [x, y] = [xs[row]!, ys[row]!];
      if (Number.isNaN(x) || Number.isNaN(y)) continue;
      const dx = x - firstX - centreX;
      const dy = y - firstY - centreY;
      moments.xx += dx * dx;
      moments.yy += dy * dy;
      moments.xy += dx * dy;
    }
    moments.n = n;
    moments.x.move(firstX);
    moments.x.move(centreX);
    moments.y.move(firstY);
    moments.y.move(centreY);
    return moments;
  }
}

/** The measure of the pairs of numbers of two columns. */
export const PAIR_MOMENTS: RowMeasure<PairMoments> = {
  width: 2,
  counted: 'numbers',
  create: () => new PairMoments(),
  measure: ([xs, ys], from, to) => PairMoments.ofRows(xs!, ys!, from, to),
};
