import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { type CommonRows, extendToCommonRows, findCommonRows } from '../common-rows.ts';
import { type Criterion, createMatcher, findEquality } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea } from '../value.ts';
import type { RankText } from './column-texts.ts';
import { CriteriaStatistics } from './criteria-statistics.ts';
import { type BoundedQuery, type Dimension, listRanges } from './find-bounds.ts';
import {
  addNumbersInSet,
  addToSet,
  countRowsInSet,
  createRowSet,
  findFirstCommonRow,
  findWordRange,
  intersectSets,
  KeyedRows,
  removeFromSet,
  setRowsBetween,
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

/** The columns of ranges: their common rows by compared keys, and the numbers to sum. */
class BitColumns {
  /** The number of common rows; see `CommonRows`. */
  readonly height: number;
  readonly compared: readonly KeyedRows[];
  /** The column of the summed range; null if rows are only counted. */
  readonly target: SheetArea | null;
  /** The numbers of the summed range by row. */
  readonly numbers: Float64Array | null;
  /** The rows with a number in the summed range. */
  readonly summed: Int32Array;
  /** The rows with an error in the summed range. */
  readonly errors: Int32Array;
  readonly result: Int32Array;
  private readonly other: Int32Array;
  /** Sets of rows that meet other criteria. */
  private kept = new TextMap<Int32Array>();
  private readonly context: FunctionContext;

  constructor(
    context: FunctionContext,
    { target, factors }: BoundedQuery,
    compared: readonly Dimension[],
    rows: CommonRows,
  ) {
    const { height } = rows;
    context.checkMemory(height * (compared.length + 1));
    const read = (column: SheetArea, toKey: (value: Scalar, row: number) => number) => {
      const keys = new Float64Array(height).fill(Number.NaN);
      context.scanReference(new Reference([column]), (value, row) => {
        keys[row - column.top] = toKey(value, row - column.top);
      });
      return keys;
    };
    this.context = context;
    this.height = height;
    this.result = createRowSet(height);
    this.other = createRowSet(height);
    this.summed = createRowSet(height);
    this.errors = createRowSet(height);
    this.compared = compared.map(
      ({ area, rank }) => new KeyedRows(read(extendToCommonRows(area!, rows), (value) => toKey(value, rank))),
    );
    this.target = target && extendToCommonRows(target, rows);
    this.numbers =
      this.target &&
      read(this.target, (value, row) => {
        if (typeof value === 'number') addToSet(this.summed, row);
        else if (isError(value)) addToSet(this.errors, row);
        return toKey(value, null);
      });
    for (const factor of factors) {
      const values = read(extendToCommonRows(factor, rows), (value) => toKey(value, null));
      for (let row = 0; row < height; row++) this.numbers![row]! *= Number.isNaN(values[row]!) ? 0 : values[row]!;
    }
  }

  /** Removes the rows of the result that contain a value. Returns false if there is no index of the value. */
  removeEqualRows(column: SheetArea, value: Scalar): boolean {
    const rows = value === null || isError(value) ? null : this.context.findRowsWithValue(column, value, false);
    if (rows === null) return false;
    this.forEachCommonRow(column, rows, (row) => removeFromSet(this.result, row));
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
    this.forEachCommonRow(column, rows, (row) => addToSet(this.other, row));
    return this.other;
  }

  /** Calls `visit` with the common rows among rows of the sheet. */
  private forEachCommonRow({ top }: SheetArea, rows: readonly number[], visit: (row: number) => void): void {
    this.context.reportWork(rows.length >> WORDS_PER_CELL_LOG2);
    for (const row of rows) if (row >= top && row - top < this.height) visit(row - top);
  }

  /** The rows that meet a criterion, from the sets that are kept. */
  private findKeptSet(index: number, column: SheetArea, criterion: Criterion): Int32Array {
    const { context, height } = this;
    const key = `${index} ${createCriteriaKey([criterion])}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const matches = createMatcher(criterion, context);
    const set = createRowSet(height);
    if (matches(null)) setRowsBetween(set, 0, height);
    context.scanReference(new Reference([column]), (cell, row) => {
      context.reportWork(1);
      if (matches(cell)) addToSet(set, row - column.top);
      else removeFromSet(set, row - column.top);
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

  /** Sum, count and extremes of the numbers in the selected rows, or the first error. */
  computeStatistics(): CriteriaStatistics {
    const { context } = this;
    const { result, target, numbers, summed, errors } = this.columns;
    const figures = new CriteriaStatistics(true);
    const row = findFirstCommonRow(result, errors);
    if (row >= 0) {
      const value = context.readCell(target!.sheet, target!.top + row, target!.left);
      if (isError(value)) figures.error = value;
      return figures;
    }
    intersectSets(result, summed);
    context.reportWork(countRowsInSet(result) >> ROWS_PER_CELL_LOG2);
    addNumbersInSet(figures, numbers!, result);
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
  const { result } = columns;
  context.reportWork((result.length * (dimensions.length + areas.length)) >> WORDS_PER_CELL_LOG2);
  const end = Math.min(rows.to, columns.height);
  setRowsBetween(result, rows.from, end);
  const words = findWordRange(rows.from, Math.max(rows.from, end));
  for (const [i, { bounds }] of compared.entries()) columns.compared[i]!.intersect(result, bounds, words);
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
