/** Numbers in ascending order. */
export interface OrderedNumbers {
  readonly length: number;
  /** The number at a valid index. */
  at(index: number): number;
  /** How many numbers are less than this one. */
  countBelow(number: number): number;
  /** How many numbers are not greater than this one. */
  countThrough(number: number): number;
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
    return countWhile(this.numbers, (value) => value < number);
  }

  countThrough(number: number): number {
    return countWhile(this.numbers, (value) => value <= number);
  }
}

/** The number of leading values for which `before` holds; the values are sorted. */
export function countWhile(values: Float64Array, before: (value: number) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(values[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
