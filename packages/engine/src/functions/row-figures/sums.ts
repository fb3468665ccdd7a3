import type { CountedKinds } from '../gather-numbers.ts';
import { ExactSum } from './exact-sum.ts';
import type { RowMeasure } from './row-tree.ts';

/** The sum and the count of terms. */
export class TermSum {
  count = 0;
  /** True if the numbers of all terms are positive. */
  isPositive = true;
  private readonly sum = new ExactSum();

  get total(): number {
    return this.sum.total;
  }

  add(term: number): void {
    this.count++;
    this.sum.add(term);
  }

  /** Adds the term of a number. */
  addTerm(value: number, toTerm: (value: number) => number): void {
    this.isPositive &&= value > 0;
    this.add(toTerm(value));
  }

  include(next: TermSum): void {
    this.count += next.count;
    this.isPositive &&= next.isPositive;
    this.sum.include(next.sum);
  }
}

/** Creates the measure of a sum with one term for each number of a column. */
export function createSumMeasure(counted: CountedKinds, toTerm: (value: number) => number): RowMeasure<TermSum> {
  return {
    width: 1,
    counted,
    create: () => new TermSum(),
    measure: ([numbers], from, to) => {
      const sum = new TermSum();
      for (let row = from; row < to; row++) {
        const value = numbers![row]!;
        if (!Number.isNaN(value)) sum.addTerm(value, toTerm);
      }
      return sum;
    },
  };
}

/** Creates the measure of a sum with one term for each pair of numbers of two columns. */
export function createPairSumMeasure(toTerm: (x: number, y: number) => number): RowMeasure<TermSum> {
  return {
    width: 2,
    counted: 'numbers',
    create: () => new TermSum(),
    measure: ([xs, ys], from, to) => {
      const sum = new TermSum();
      for (let row = from; row < to; row++) {
        const [x, y] = [xs![row]!, ys![row]!];
        if (!Number.isNaN(x) && !Number.isNaN(y)) sum.add(toTerm(x, y));
      }
      return sum;
    },
  };
}
