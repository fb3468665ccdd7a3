import { areOperandsEqual, compareNumbers } from '../../functions/order.ts';
import { SortedArray } from '../../functions/selection/ordered-numbers.ts';
import type { Matrix } from '../../functions/value.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import type { ComparisonOperator } from '../comparisons/range-conditions.ts';

const NO_ROWS: readonly number[] = [];

/**
 * How an array is made from some elements of another array: for functions that omit all elements except numbers, for
 * functions that omit empty texts, or divided by 1 and without errors.
 */
export type PickedKind = 'numbers' | 'texts' | 'quotients';

/** The elements of an array with one column, and an index of their values. */
export interface ElementArray {
  /** Number of rows. */
  readonly length: number;
  readonly hasErrors: boolean;
  at(row: number): Scalar;
  /** The number format of an element, if formats are tracked. */
  formatAt(row: number): number;
  /**
   * Returns the rows in which the operator `=` finds a value, in ascending order. Omits errors; `value` must not be an
   * error. Null if every element must be compared.
   */
  findEqualRows(value: Scalar): readonly number[] | null;
  /**
   * The array that `pick` makes from the elements of a list of rows. A shared array makes it only once for each list and
   * kind, so that its order is also found only once.
   */
  findPicked(rows: readonly number[], kind: PickedKind, pick: () => Matrix): Matrix;
  /** The stored rows that meet several conditions; undefined for none. The first condition concerns this array. */
  findSelection(tests: readonly ElementTest[]): readonly number[] | undefined;
  storeSelection(tests: readonly ElementTest[], rows: readonly number[]): void;
}

/** An array with one column that formulas share. */
export class SharedArray implements ElementArray {
  readonly matrix: Matrix;
  readonly hasErrors: boolean;
  private onlyFactors: boolean | null = null;
  private rows: RowsByValue | null = null;
  private selections: SelectionCache | null = null;
  private readonly picked = new Map<PickedKind, WeakMap<readonly number[], Matrix>>();

  constructor(matrix: Matrix) {
    this.matrix = matrix;
    this.hasErrors = matrix.data.some(isError);
  }

  get length(): number {
    return this.matrix.rows;
  }

  /** True if all elements are blank or numbers that are not too large for products. */
  get hasOnlyFactors(): boolean {
    this.onlyFactors ??= this.matrix.data.every(isFactor);
    return this.onlyFactors;
  }

  at(row: number): Scalar {
    return this.matrix.data[row] ?? null;
  }

  formatAt(row: number): number {
    return this.matrix.formatAt(row);
  }

  findEqualRows(value: Scalar): readonly number[] {
    this.rows ??= new RowsByValue(this.matrix.data);
    return this.rows.findEqual(value);
  }

  findPicked(rows: readonly number[], kind: PickedKind, pick: () => Matrix): Matrix {
    let arrays = this.picked.get(kind);
    if (arrays === undefined) {
      arrays = new WeakMap();
      this.picked.set(kind, arrays);
    }
    const existing = arrays.get(rows);
    if (existing !== undefined) return existing;
    const matrix = pick();
    arrays.set(rows, matrix);
    return matrix;
  }

  findSelection(tests: readonly ElementTest[]): readonly number[] | undefined {
    return this.selections?.find(tests);
  }

  storeSelection(tests: readonly ElementTest[], rows: readonly number[]): void {
    if (this.selections === null || !this.selections.isFor(tests)) this.selections = new SelectionCache(tests);
    this.selections.store(tests, rows);
  }
}

/** Maximum size of a factor. Products of three such numbers are finite. */
const MAX_FACTOR = 1e100;

/** True for a blank, and for a number that is not too large for products. */
export function isFactor(value: Scalar | undefined): boolean {
  return value === null || value === undefined || (typeof value === 'number' && Math.abs(value) <= MAX_FACTOR);
}

/** A comparison of the elements of an array with a value. */
export interface ElementTest<T extends ElementArray = ElementArray> {
  readonly elements: T;
  readonly operator: ComparisonOperator;
  readonly value: Scalar;
}

/** Maximum number of stored selections. */
const MAX_SELECTIONS = 65_536;
/** Maximum number of rows in all stored selections. */
const MAX_SELECTED_ROWS = 1_000_000;

/** Rows by the values of the conditions on the same arrays. Formulas often repeat the same values. */
class SelectionCache {
  private readonly arrays: readonly ElementArray[];
  private readonly operators: string;
  private rowsByValues = new TextMap<readonly number[]>();
  private rows = 0;

  constructor(tests: readonly ElementTest[]) {
    this.arrays = tests.map(({ elements }) => elements);
    this.operators = joinOperators(tests);
  }

  isFor(tests: readonly ElementTest[]): boolean {
    return (
      tests.length === this.arrays.length &&
      tests.every(({ elements }, i) => elements === this.arrays[i]) &&
      joinOperators(tests) === this.operators
    );
  }

  find(tests: readonly ElementTest[]): readonly number[] | undefined {
    return this.isFor(tests) ? this.rowsByValues.get(joinValues(tests)) : undefined;
  }

  store(tests: readonly ElementTest[], rows: readonly number[]): void {
    if (this.rowsByValues.size >= MAX_SELECTIONS || this.rows + rows.length > MAX_SELECTED_ROWS) {
      this.rowsByValues = new TextMap();
      this.rows = 0;
    }
    this.rows += rows.length;
    this.rowsByValues.set(joinValues(tests), rows);
  }
}

function joinOperators(tests: readonly ElementTest[]): string {
  return tests.map(({ operator }) => operator).join(' ');
}

function joinValues(tests: readonly ElementTest[]): string {
  let key = '';
  for (const { value } of tests) key += createScalarText(value);
  return key;
}

/** Returns a text for a key. Different scalars have different texts. */
export function createScalarText(value: Scalar): string {
  if (typeof value === 'string') return `s${value.length}:${value}`;
  if (isError(value)) return `e${value.index};`;
  return `${Object.is(value, -0) ? '-0' : String(value)};`;
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
