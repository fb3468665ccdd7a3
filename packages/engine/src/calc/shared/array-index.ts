import { areOperandsEqual, compareNumbers } from '../../functions/order.ts';
import type { Matrix } from '../../functions/value.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';

const NO_ROWS: readonly number[] = [];

/** The elements of an array with one column that formulas share, and the rows of each value. */
export class SharedArray {
  readonly matrix: Matrix;
  readonly hasErrors: boolean;
  private rows: RowsByValue | null = null;

  constructor(matrix: Matrix) {
    this.matrix = matrix;
    this.hasErrors = matrix.data.some(isError);
  }

  get length(): number {
    return this.matrix.rows;
  }

  at(row: number): Scalar {
    return this.matrix.data[row] ?? null;
  }

  /** The rows whose elements the operator `=` finds equal to a value, which is no error. Ascending. */
  findEqualRows(value: Scalar): readonly number[] {
    this.rows ??= new RowsByValue(this.matrix.data);
    return this.rows.findEqual(value);
  }
}

/** Lists of rows by value, for the operator `=`: texts in any letter case, numbers by fifteen digits, blanks as 0 and "". */
class RowsByValue {
  private readonly texts = new TextMap<number[]>();
  private readonly numbers = new Map<number, number[]>();
  private readonly booleans = new Map<boolean, number[]>();
  private readonly blanks: number[] = [];
  /** The different numbers in ascending order. */
  private readonly ascending: Float64Array;

  constructor(data: readonly Scalar[]) {
    for (const [row, value] of data.entries()) {
      if (typeof value === 'number') addRow(this.numbers, value, row);
      else if (typeof value === 'string') {
        const folded = foldCase(value);
        const rows = this.texts.get(folded);
        if (rows === undefined) this.texts.set(folded, [row]);
        else rows.push(row);
      } else if (typeof value === 'boolean') addRow(this.booleans, value, row);
      else if (value === null) this.blanks.push(row);
    }
    this.ascending = Float64Array.from(this.numbers.keys()).sort();
  }

  findEqual(value: Scalar): readonly number[] {
    const lists: (readonly number[])[] = [];
    if (value === null)
      lists.push(...this.findNumbers(0), this.texts.get('') ?? NO_ROWS, this.booleans.get(false) ?? NO_ROWS);
    else if (typeof value === 'number') lists.push(...this.findNumbers(value));
    else if (typeof value === 'string') lists.push(this.texts.get(foldCase(value)) ?? NO_ROWS);
    else if (typeof value === 'boolean') lists.push(this.booleans.get(value) ?? NO_ROWS);
    if (areOperandsEqual(null, value)) lists.push(this.blanks);
    const filled = lists.filter((list) => list.length > 0);
    return filled.length > 1 ? filled.flat().sort((a, b) => a - b) : (filled[0] ?? NO_ROWS);
  }

  /** The rows of each number that agrees with `number` in fifteen digits. */
  private findNumbers(number: number): (readonly number[])[] {
    const { ascending } = this;
    let at = findFirstAtLeast(ascending, number);
    while (at > 0 && compareNumbers(ascending[at - 1]!, number) === 0) at--;
    const lists: (readonly number[])[] = [];
    for (; at < ascending.length && compareNumbers(ascending[at]!, number) === 0; at++) {
      lists.push(this.numbers.get(ascending[at]!)!);
    }
    return lists;
  }
}

function addRow<K>(lists: Map<K, number[]>, key: K, row: number): void {
  const rows = lists.get(key);
  if (rows === undefined) lists.set(key, [row]);
  else rows.push(row);
}

/** The index of the first number of an ascending list that is not less than `number`. */
function findFirstAtLeast(ascending: Float64Array, number: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
