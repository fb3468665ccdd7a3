import { areOperandsEqual, compareNumbers } from '../../functions/order.ts';
import { SortedArray } from '../../functions/selection/ordered-numbers.ts';
import type { Matrix } from '../../functions/value.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';

const NO_ROWS: readonly number[] = [];

/** An array with one column that formulas share, and an index of its values. */
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

  /**
   * Returns the rows in which the operator `=` finds a value, in ascending order. The array must have no errors, and
   * `value` must not be an error.
   */
  findEqualRows(value: Scalar): readonly number[] {
    this.rows ??= new RowsByValue(this.matrix.data);
    return this.rows.findEqual(value);
  }
}

/** Lists of rows by value. As the operator `=`, it ignores letter case and digits after the fifteenth. A blank is 0 and "". */
class RowsByValue {
  private readonly texts = new TextMap<number[]>();
  private readonly numbers = new Map<number, number[]>();
  private readonly booleans = new Map<boolean, number[]>();
  private readonly blanks: number[] = [];
  /** The different numbers in ascending order. */
  private readonly ascending: SortedArray;

  constructor(data: readonly Scalar[]) {
    for (const [row, value] of data.entries()) {
      if (typeof value === 'number') addRow(this.numbers, value, row);
      else if (typeof value === 'string') addRow(this.texts, foldCase(value), row);
      else if (typeof value === 'boolean') addRow(this.booleans, value, row);
      else if (value === null) this.blanks.push(row);
    }
    this.ascending = new SortedArray(Float64Array.from(this.numbers.keys()).sort());
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
    let at = ascending.countBelow(number);
    while (at > 0 && compareNumbers(ascending.at(at - 1), number) === 0) at--;
    const lists: (readonly number[])[] = [];
    for (; at < ascending.length && compareNumbers(ascending.at(at), number) === 0; at++) {
      lists.push(this.numbers.get(ascending.at(at))!);
    }
    return lists;
  }
}

interface RowLists<K> {
  get(key: K): number[] | undefined;
  set(key: K, rows: number[]): void;
}

function addRow<K>(lists: RowLists<K>, key: K, row: number): void {
  const rows = lists.get(key);
  if (rows === undefined) lists.set(key, [row]);
  else rows.push(row);
}
