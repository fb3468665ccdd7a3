import type { ExactSum } from '../row-figures/exact-sum.ts';

/** Numbers in ascending order. */
export interface OrderedNumbers {
  readonly length: number;
  /** Returns the number at an index, which must be valid. */
  at(index: number): number;
  /** Counts the numbers that are less than `number`. */
  countBelow(number: number): number;
  /** Counts the numbers that are less than `number` or equal to it. */
  countAtMost(number: number): number;
  /** Adds the numbers at indexes `from` to before `to` to a sum. */
  addRange(sum: ExactSum, from: number, to: number): void;
}

export class SortedArray implements OrderedNumbers {
  private readonly numbers: Float64Array;

  constructor(numbers: Float64Array) {
    this.numbers = numbers;
  }

  get length(): number {
    return this.numbers.length;
  }

  at(index: number): number {
    return this.numbers[index]!;
  }

  countBelow(number: number): number {
    const { numbers } = this;
    let low = 0;
    for (let high = numbers.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (numbers[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  countAtMost(number: number): number {
    const { numbers } = this;
    let low = 0;
    for (let high = numbers.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (numbers[middle]! <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  addRange(sum: ExactSum, from: number, to: number): void {
    for (let at = from; at < to; at++) sum.add(this.numbers[at]!);
  }
}
