import { parseNumberText } from '../../locale/index.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { createScalarKey, KeyMap } from '../array/keys.ts';
import type { Conventions } from '../coerce.ts';
import { type CommonRows, extendToCommonRows, findCommonRows } from '../common-rows.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea } from '../value.ts';

/** Maximum number of columns with one index. */
const MAX_COLUMNS = 8;
/** The columns get an index after criteria found this many rows for each row of the columns. */
const FOUND_ROWS_BEFORE_INDEX = 4;
/** The work of indexing one cell, in units of evaluating one cell. */
const INDEX_WORK = 2;

const HAS_DIGIT = /[0-9]/;
const NO_ROWS = new Int32Array(0);

/** A criterion that selects the cells of a column that are equal to a value. */
export interface EqualityCriterion {
  readonly area: SheetArea;
  readonly value: number | string | boolean;
}

/** Common rows of areas (see `CommonRows`) that contain the same values, ascending. */
interface TupleList {
  readonly rows: Int32Array;
  readonly common: CommonRows;
}

/** Codes of the distinct values of a column. Equality criteria treat values with the same code as equal. */
class ValueCodes {
  private readonly codes = new KeyMap<number>();
  /** Codes of texts in their original spelling. */
  private readonly codesOfTexts = new TextMap<number>();
  private readonly conventions: Conventions;

  constructor(conventions: Conventions) {
    this.conventions = conventions;
  }

  /** The code of a cell's value, from 1 on; 0 for blanks and errors, which no criterion equals. */
  encode(value: Scalar): number {
    if (value === null || isError(value)) return 0;
    if (typeof value !== 'string') return this.findOrAdd(value);
    const known = this.codesOfTexts.get(value);
    if (known !== undefined) return known;
    // As in `createMatcher`, a text that looks like a number is equal to the number.
    const { locale, dateSystem } = this.conventions;
    const number = HAS_DIGIT.test(value) ? (parseNumberText(value, locale, dateSystem) ?? null) : null;
    const code = this.findOrAdd(number ?? value);
    this.codesOfTexts.set(value, code);
    return code;
  }

  /** The code of a criterion's value; undefined if no cell contains the value. */
  find(value: number | string | boolean): number | undefined {
    return this.codes.get(createScalarKey(value));
  }

  private findOrAdd(value: number | string | boolean): number {
    const key = createScalarKey(value);
    const known = this.codes.get(key);
    if (known !== undefined) return known;
    const code = this.codes.size + 1;
    this.codes.set(key, code);
    return code;
  }
}

/** Numbers the tuples of values in a column and all columns before it. */
interface Combination {
  readonly codes: ValueCodes;
  /** Tuple numbers, from 1 on, by `before * size + code`. `before`: number of the tuple without the last value. */
  readonly numbers: Map<number, number>;
  readonly size: number;
}

/** The rows of several columns by their tuples of values. */
class TupleIndex {
  private readonly combinations: Combination[] = [];
  /** Rows in the order of their tuples. */
  private readonly rows: Int32Array;
  /** The index in `rows` after the last row of each tuple. */
  private readonly ends: Int32Array;

  constructor(context: FunctionContext, areas: readonly SheetArea[], common: CommonRows) {
    const { height } = common;
    context.checkMemory(height * (areas.length + 2));
    // The empty tuple has the number 1. Rows that no criteria select have the number 0.
    let tuples = new Int32Array(height).fill(1);
    for (const area of areas) {
      const codes = new ValueCodes(context);
      const next = new Int32Array(height);
      const column = extendToCommonRows(area, common);
      context.scanReference(new Reference([column]), (value, row) => {
        context.reportWork(INDEX_WORK);
        next[row - column.top] = codes.encode(value);
      });
      this.combinations.push(combine(codes, tuples, next));
      tuples = next;
    }
    this.ends = countTuples(tuples, this.combinations.at(-1)!.numbers.size);
    this.rows = new Int32Array(this.ends.at(-1)!);
    const places = this.ends.slice();
    for (let row = height - 1; row >= 0; row--) if (tuples[row] !== 0) this.rows[--places[tuples[row]!]!] = row;
  }

  findRows(values: readonly (number | string | boolean)[]): Int32Array {
    let tuple: number | undefined = 1;
    for (const [i, { codes, numbers, size }] of this.combinations.entries()) {
      const code = codes.find(values[i]!);
      tuple = code === undefined ? undefined : numbers.get(tuple * size + code);
      if (tuple === undefined) return NO_ROWS;
    }
    return this.rows.subarray(this.ends[tuple - 1], this.ends[tuple]);
  }
}

/** Replaces the codes in `next` by the numbers of the tuples that extend the tuples `before`. */
function combine(codes: ValueCodes, before: Int32Array, next: Int32Array): Combination {
  let size = 1;
  for (const code of next) size = Math.max(size, code + 1);
  const numbers = new Map<number, number>();
  for (let row = 0; row < next.length; row++) {
    if (before[row] === 0 || next[row] === 0) {
      next[row] = 0;
      continue;
    }
    const pair = before[row]! * size + next[row]!;
    let number = numbers.get(pair);
    if (number === undefined) {
      number = numbers.size + 1;
      numbers.set(pair, number);
    }
    next[row] = number;
  }
  return { codes, numbers, size };
}

/** Counts the rows with each number up to `last`, and adds the counts of all numbers before it. Omits number 0. */
function countTuples(tuples: Int32Array, last: number): Int32Array {
  const ends = new Int32Array(last + 1);
  for (const tuple of tuples) if (tuple !== 0) ends[tuple]!++;
  for (let tuple = 1; tuple <= last; tuple++) ends[tuple]! += ends[tuple - 1]!;
  return ends;
}

/** The index of some columns, after enough requests. */
interface TupleState {
  /** Number of rows that criteria found without the index. */
  found: number;
  index: TupleIndex | null;
}

const TUPLES = {};

/**
 * Returns the common rows of areas that contain the values of all criteria, from an index of their tuples. Null if
 * there is none. `found`: number of rows that one of the criteria selects.
 */
export function findTupleRows(
  context: FunctionContext,
  criteria: readonly EqualityCriterion[],
  found: number,
): TupleList | null {
  if (criteria.length < 2 || criteria.length > MAX_COLUMNS) return null;
  const areas = criteria.map(({ area }) => area);
  const state = context.getRangeState<TupleState>(TUPLES, areas, () => ({ found: 0, index: null }), 'moved');
  if (state === null) return null;
  const common = findCommonRows(context, areas);
  state.found += found;
  if (state.index === null && state.found < FOUND_ROWS_BEFORE_INDEX * common.height) return null;
  state.index ??= new TupleIndex(context, areas, common);
  return { rows: state.index.findRows(criteria.map(({ value }) => value)), common };
}
