import type { CountedKinds } from '../gather-numbers.ts';
import { ExactSum } from './exact-sum.ts';
import type { RowMeasure } from './row-tree.ts';

/**
 * Sums of the powers of the distances from the mean. They are combined without cancellation (Pébay, Formulas for robust,
 * one-pass parallel computation of covariances and arbitrary-order statistical moments, 2008).
 */
export class CentralMoments {
  count = 0;
  squaredDeviations = 0;
  cubedDeviations = 0;
  fourthDeviations = 0;
  private readonly centre = new ExactSum();

  get mean(): number {
    return this.centre.total;
  }

  include(next: CentralMoments): void {
    const [a, b] = [this.count, next.count];
    if (b === 0) return;
    if (a === 0) return this.set(next);
    const n = a + b;
    const distance = this.centre.distanceTo(next.centre);
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
    this.centre.add(share * b);
    this.count = n;
  }

  /** Copies the moments of the first numbers. */
  private set({ count, squaredDeviations, cubedDeviations, fourthDeviations, centre }: CentralMoments): void {
    this.count = count;
    this.squaredDeviations = squaredDeviations;
    this.cubedDeviations = cubedDeviations;
    this.fourthDeviations = fourthDeviations;
    this.centre.include(centre);
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
    moments.centre.add(first);
    moments.centre.add(centre);
    return moments;
  }
}

function createMomentsMeasure(counted: CountedKinds): RowMeasure<CentralMoments> {
  return {
    width: 1,
    counted,
    create: () => new CentralMoments(),
    measure: ([numbers], from, to) => CentralMoments.ofRows(numbers!, from, to),
  };
}

/** The measures of the moments of one column. Functions of the same column share its figures. */
export const MOMENTS: Readonly<Record<CountedKinds, RowMeasure<CentralMoments>>> = {
  numbers: createMomentsMeasure('numbers'),
  all: createMomentsMeasure('all'),
};

/** The measure of the moments of the differences between two columns, in rows with a number in both. */
export const DIFFERENCES: RowMeasure<CentralMoments> = {
  width: 2,
  counted: 'numbers',
  create: () => new CentralMoments(),
  // The difference to a cell without a number is NaN.
  measure: ([xs, ys], from, to) =>
    CentralMoments.ofRows(
      Float64Array.from({ length: to - from }, (_, i) => xs![from + i]! - ys![from + i]!),
      0,
      to - from,
    ),
};

/** Means of the pairs of numbers of two columns, and the sums of products of their distances from the means. */
class PairMoments {
  n = 0;
  xx = 0;
  yy = 0;
  xy = 0;
  private readonly centreX = new ExactSum();
  private readonly centreY = new ExactSum();

  get meanX(): number {
    return this.centreX.total;
  }

  get meanY(): number {
    return this.centreY.total;
  }

  include(next: PairMoments): void {
    const [a, b] = [this.n, next.n];
    if (b === 0) return;
    if (a === 0) return this.set(next);
    const n = a + b;
    const dx = this.centreX.distanceTo(next.centreX);
    const dy = this.centreY.distanceTo(next.centreY);
    const weight = (a * b) / n;
    this.xx += next.xx + dx * dx * weight;
    this.yy += next.yy + dy * dy * weight;
    this.xy += next.xy + dx * dy * weight;
    this.centreX.add((dx * b) / n);
    this.centreY.add((dy * b) / n);
    this.n = n;
  }

  /** Copies the moments of the first pairs. */
  private set({ n, xx, yy, xy, centreX, centreY }: PairMoments): void {
    this.n = n;
    this.xx = xx;
    this.yy = yy;
    this.xy = xy;
    this.centreX.include(centreX);
    this.centreY.include(centreY);
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
    moments.centreX.add(firstX);
    moments.centreX.add(centreX);
    moments.centreY.add(firstY);
    moments.centreY.add(centreY);
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
