import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { type CommonRows, extendToCommonRows, findCommonRows } from '../common-rows.ts';
import { type Criterion, createMatcher, findEquality, findIndexRange, NumberBound } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea } from '../value.ts';
import type { RankText } from './column-texts.ts';
import { CriteriaStatistics, MAX_INDEXED_SUM } from './criteria-statistics.ts';
import { type BoundedQuery, type Dimension, listRanges } from './find-bounds.ts';
import { SortedArray } from './ordered-numbers.ts';
import {
  addNumbersInSet,
  addToSet,
  countRowsInSet,
  createRowSet,
  findWordRange,
  intersectSets,
  KeyedRows,
  listCommonRows,
  removeFromSet,
  setRowsBetween,
  sortRowsByKey,
  type WordRange,
} from './row-bits.ts';
import { createCriteriaKey } from './selection-states.ts';
import { StateOwners } from './state-owners.ts';

/** Maximum number of compared ranges. */
const MAX_COMPARED = 8;
/** Maximum number of sets of rows that are kept for other criteria. */
const MAX_KEPT_SETS = 64;
/** Number of processed elements of sets that count as the work of one cell, as a power of two. */
const WORDS_PER_CELL_LOG2 = 3;
/** Number of summed rows that count as the work of one cell, as a power of two. */
const ROWS_PER_CELL_LOG2 = 2;

const BIT_OWNERS = new StateOwners();

/**
 * The columns of ranges: their common rows by compared keys, and the numbers to sum. Sets contain the places of rows in
 * the order of the first compared range, so that its bounds are an interval of places, and the other sets are only
 * intersected within it.
 */
class BitColumns {
  /** The number of common rows; see `CommonRows`. */
  readonly height: number;
  /** The keys of the first compared range, ascending. */
  readonly firstKeys: SortedArray;
  /** The other compared ranges. */
  readonly compared: readonly KeyedRows[];
  /** The column of the summed range; null if rows are only counted. */
  readonly target: SheetArea | null;
  /** The numbers of the summed range by place. */
  readonly numbers: Float64Array | null;
  /** The sum of the absolute values of `numbers`. */
  readonly size: number;
  /** The places of rows with a number in the summed range. */
  readonly summed: Int32Array;
  /** The places of rows with an error in the summed range. */
  readonly errors: Int32Array;
  readonly result: Int32Array;
  /** The row at each place. */
  readonly rows: Int32Array;
  /** The place of each row; -1 for a row without a key. */
  private readonly places: Int32Array;
  private byRow: KeyedRows | null = null;
  private readonly other: Int32Array;
  /** Sets of rows that meet other criteria. */
  private kept = new TextMap<Int32Array>();
  private readonly context: FunctionContext;

  constructor(
    context: FunctionContext,
    { target, factors }: BoundedQuery,
    [first, ...others]: readonly Dimension[],
    common: CommonRows,
  ) {
    const { height } = common;
    context.checkMemory(height * (others.length + 3));
    const read = (area: SheetArea, toKey: (value: Scalar, row: number) => number) => {
      const column = extendToCommonRows(area, common);
      const keys = new Float64Array(height).fill(Number.NaN);
      context.scanReference(new Reference([column]), (value, row) => {
        keys[row - column.top] = toKey(value, row - column.top);
      });
      return keys;
    };
    const readKeys = ({ area, rank }: Dimension) => read(area!, (value) => toKey(value, rank));
    const keys = readKeys(first!);
    this.context = context;
    this.height = height;
    this.rows = sortRowsByKey(keys);
    this.places = new Int32Array(height).fill(-1);
    for (const [place, row] of this.rows.entries()) this.places[row] = place;
    const arrange = (byRow: Float64Array) => Float64Array.from(this.rows, (row) => byRow[row]!);
    this.firstKeys = new SortedArray(arrange(keys));
    this.compared = others.map((dimension) => new KeyedRows(arrange(readKeys(dimension))));
    this.result = createRowSet(this.rows.length);
    this.other = createRowSet(this.rows.length);
    this.summed = createRowSet(this.rows.length);
    this.errors = createRowSet(this.rows.length);
    this.target = target && extendToCommonRows(target, common);
    const numbers =
      target &&
      read(target, (value, row) => {
        const place = this.places[row]!;
        if (place >= 0 && typeof value === 'number') addToSet(this.summed, place);
        else if (place >= 0 && isError(value)) addToSet(this.errors, place);
        return toKey(value, null);
      });
    for (const factor of factors) {
      const values = read(factor, (value) => toKey(value, null));
      for (let row = 0; row < height; row++) numbers![row]! *= Number.isNaN(values[row]!) ? 0 : values[row]!;
    }
    this.numbers = numbers && arrange(numbers);
    this.size = numbers?.reduce((sum, number) => (Number.isNaN(number) ? sum : sum + Math.abs(number)), 0) ?? 0;
  }

  /** Removes all rows from the result that are not in the interval from `from` to before `to`. */
  intersectRows(from: number, to: number, words: WordRange): void {
    if (from === 0 && to >= this.height) return;
    this.byRow ??= new KeyedRows(Float64Array.from(this.rows));
    this.byRow.intersect(this.result, [new NumberBound('>=', from), new NumberBound('<', to)], words);
  }

  /** Removes the rows of the result that contain a value. Returns false if there is no index of the value. */
  removeEqualRows(column: SheetArea, value: Scalar): boolean {
    const rows = value === null || isError(value) ? null : this.context.findRowsWithValue(column, value, false);
    if (rows === null) return false;
    this.forEachPlace(column, rows, (place) => removeFromSet(this.result, place));
    return true;
  }

  /**
   * The rows that meet a criterion that is no comparison with a number. Valid until the next call. `index`: the position
   * of the criterion among these criteria.
   */
  findCriterionRows(index: number, column: SheetArea, criterion: Criterion): Int32Array {
    const value = findEquality(criterion, this.context);
    const rows = value === null ? null : this.context.findRowsWithValue(column, value, true);
    if (rows === null) return this.findKeptSet(index, column, criterion);
    this.other.fill(0);
    this.forEachPlace(column, rows, (place) => addToSet(this.other, place));
    return this.other;
  }

  /** Calls `visit` with the places of rows of the sheet. */
  private forEachPlace({ top }: SheetArea, rows: readonly number[], visit: (place: number) => void): void {
    this.context.reportWork(rows.length >> WORDS_PER_CELL_LOG2);
    for (const row of rows) {
      const place = row >= top && row - top < this.height ? this.places[row - top]! : -1;
      if (place >= 0) visit(place);
    }
  }

  /** The rows that meet a criterion, from the sets that are kept. */
  private findKeptSet(index: number, column: SheetArea, criterion: Criterion): Int32Array {
    const { context, places, rows } = this;
    const key = `${index} ${createCriteriaKey([criterion])}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const matches = createMatcher(criterion, context);
    const set = createRowSet(rows.length);
    if (matches(null)) setRowsBetween(set, 0, rows.length);
    context.scanReference(new Reference([column]), (cell, row) => {
      context.reportWork(1);
      const place = places[row - column.top] ?? -1;
      if (place < 0) return;
      if (matches(cell)) addToSet(set, place);
      else removeFromSet(set, place);
    });
    if (this.kept.size >= MAX_KEPT_SETS) this.kept = new TextMap();
    this.kept.set(key, set);
    return set;
  }
}

/** The key of a value: a number, or the rank of a text; NaN for none. */
function toKey(value: Scalar, rank: RankText | null): number {
  if (rank !== null) return typeof value === 'string' ? rank(value) : Number.NaN;
  return typeof value === 'number' ? value : Number.NaN;
}

/** Rows that meet criteria, as a set that is valid until the next selection. */
export class BitSelection {
  private readonly context: FunctionContext;
  private readonly columns: BitColumns;

  constructor(context: FunctionContext, columns: BitColumns) {
    this.context = context;
    this.columns = columns;
  }

  count(): number {
    return countRowsInSet(this.columns.result);
  }

  /** Sum, count and extremes (if `needsExtremes`) of the numbers in the selected rows, or the first error. */
  computeStatistics(needsExtremes: boolean): CriteriaStatistics {
    const { context } = this;
    const { result, target, numbers, summed, errors, rows } = this.columns;
    const figures = new CriteriaStatistics(true);
    const failed = listCommonRows(result, errors);
    if (failed.length > 0) {
      const row = failed.reduce((first, place) => Math.min(first, rows[place]!), Number.POSITIVE_INFINITY);
      const value = context.readCell(target!.sheet, target!.top + row, target!.left);
      if (isError(value)) figures.error = value;
      return figures;
    }
    intersectSets(result, summed);
    context.reportWork(countRowsInSet(result) >> ROWS_PER_CELL_LOG2);
    addNumbersInSet(figures, numbers!, result, needsExtremes);
    return figures;
  }
}

/** The columns of ranges, from the second request on. The first request reads the rows one by one. */
interface BitState {
  requests: number;
  columns: BitColumns | null;
}

/**
 * Selects rows by sets with one bit per row. The work is in proportion to the number of rows, but an element of a set
 * holds 32 rows. Ranges with different first and last rows share the sets. Null if the rows must be read one by one.
 */
export function selectByBits(context: FunctionContext, query: BoundedQuery): BitSelection | null {
  const { dimensions, areas, criteria } = query;
  const compared = dimensions.filter(({ excluded }) => excluded === null);
  if (compared.length === 0 || compared.length > MAX_COMPARED) return null;
  const ranges = listRanges(query);
  const owner = BIT_OWNERS.findOwner(query);
  const state = context.getRangeState<BitState>(owner, ranges, () => ({ requests: 0, columns: null }), 'moved');
  if (state === null || state.requests++ === 0) return null;
  const rows = findCommonRows(context, ranges);
  state.columns ??= new BitColumns(context, query, compared, rows);
  const { columns } = state;
  if (columns.size > MAX_INDEXED_SUM) return null;
  const { result } = columns;
  context.reportWork((result.length * (dimensions.length + areas.length)) >> WORDS_PER_CELL_LOG2);
  const [first, ...others] = compared;
  const { from, to } = findIndexRange(first!.bounds, columns.firstKeys);
  setRowsBetween(result, from, to);
  const words = findWordRange(from, Math.max(from, to));
  columns.intersectRows(rows.from, rows.to, words);
  for (const [i, { bounds }] of others.entries()) columns.compared[i]!.intersect(result, bounds, words);
  for (const { area, excluded } of dimensions) {
    for (const value of excluded ?? []) {
      if (!columns.removeEqualRows(extendToCommonRows(area!, rows), value)) return null;
    }
  }
  for (const [i, area] of areas.entries()) {
    intersectSets(result, columns.findCriterionRows(i, extendToCommonRows(area, rows), criteria[i]!));
  }
  return new BitSelection(context, columns);
}
