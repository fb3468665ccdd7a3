import { NUMBER, TYPE_MASK } from './cell-kind.ts';

/** Powers of two by which products are scaled, so that products of parts neither overflow nor underflow. */
const SCALE_BITS = 500;
const SCALE = 2 ** SCALE_BITS;

/**
 * Statistics of numbers that can be combined from statistics of their parts. Squared distances from the mean are
 * combined without cancellation (Chan, Golub, LeVeque: Updating formulae for computing sample variances, 1979).
 */
export class NumberStatistics {
  count = 0;
  mean = 0;
  /** The sum of the squared distances from the mean. */
  squaredDeviations = 0;
  squares = 0;
  /** The product is `factor * 2 ** exponent`. */
  private factor = 1;
  private exponent = 0;

  /** The product of the numbers; 1 if there are none. */
  get product(): number {
    let product = this.factor;
    let bits = this.exponent;
    for (; bits > 0 && product !== 0 && Number.isFinite(product); bits -= SCALE_BITS) product *= SCALE;
    for (; bits < 0 && product !== 0; bits += SCALE_BITS) product /= SCALE;
    return product;
  }

  /** Adds the statistics of other numbers. */
  include(other: NumberStatistics): void {
    if (other.count === 0) return;
    const count = this.count + other.count;
    const distance = other.mean - this.mean;
    this.squaredDeviations += other.squaredDeviations + (distance * distance * this.count * other.count) / count;
    this.mean = this.count === 0 ? other.mean : this.mean + (distance * other.count) / count;
    this.squares += other.squares;
    this.count = count;
    this.multiply(other.factor);
    this.exponent += other.exponent;
  }

  /** Computes the statistics of numbers in two passes, so that large offsets lose no digits. */
  static ofNumbers(numbers: Float64Array): NumberStatistics {
    const statistics = new NumberStatistics();
    const count = numbers.length;
    if (count === 0) return statistics;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += numbers[i]!;
    const mean = sum / count;
    let deviations = 0;
    let drift = 0;
    let squares = 0;
    for (let i = 0; i < count; i++) {
      const number = numbers[i]!;
      const distance = number - mean;
      deviations += distance * distance;
      drift += distance;
      squares += number * number;
      statistics.multiply(number);
    }
    statistics.count = count;
    statistics.mean = mean;
    statistics.squaredDeviations = deviations - (drift * drift) / count;
    statistics.squares = squares;
    return statistics;
  }

  private multiply(number: number): void {
    this.factor = this.scale(this.factor * this.scale(number));
  }

  /** Moves a power of two from a very large or very small number to the exponent. */
  private scale(number: number): number {
    const size = Math.abs(number);
    if (size > SCALE && Number.isFinite(size)) {
      this.exponent += SCALE_BITS;
      return number / SCALE;
    }
    if (size < 1 / SCALE && size !== 0) {
      this.exponent -= SCALE_BITS;
      return number * SCALE;
    }
    return number;
  }
}

/** The cells of a chunk. */
interface ChunkCells {
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  readonly isAllNumbers: boolean;
}

/** The statistics of the numbers in rows `first` to `last` of a chunk. The chunk may end before `last`. */
export function computeRowStatistics(chunk: ChunkCells, first: number, last: number): NumberStatistics {
  const { kinds, numbers } = chunk;
  const rows = numbers.subarray(first, last + 1);
  if (chunk.isAllNumbers) return NumberStatistics.ofNumbers(rows);
  return NumberStatistics.ofNumbers(rows.filter((_, at) => (kinds[first + at]! & TYPE_MASK) === NUMBER));
}
