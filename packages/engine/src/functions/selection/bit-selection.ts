import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { type Criterion, createMatcher, findEquality } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea } from '../value.ts';
import type { RankText } from './column-texts.ts';
import { CriteriaStatistics } from './criteria-statistics.ts';
import type { BoundedCriteria, Dimension } from './find-bounds.ts';
import {
  addToSet,
  countRowsInSet,
  createRowSet,
  findWordRange,
  forEachRowInSet,
  intersectSets,
  KeyedRows,
  removeFromSet,
  setRowsBetween,
} from './row-bits.ts';
import { createCriteriaKey } from './selection-states.ts';

/** Maximum number of compared ranges. */
const MAX_COMPARED = 8;
/** Maximum number of sets of rows that are kept for other criteria. */
const MAX_KEPT_SETS = 64;
/** Number of processed elements of sets that count as the work of one cell, as a power of two. */
const WORDS_PER_CELL_LOG2 = 3;

/** Owners of states by the kinds of their keys; see `FunctionContext.getRangeState`. */
const OWNERS = new Map<string, object>();

function findOwner(kinds: string): object {
  const owner = OWNERS.get(kinds) ?? {};
  OWNERS.set(kinds, owner);
  return owner;
}

/** The columns of ranges from their first common row on: the rows by compared keys, and the numbers to sum. */
class BitColumns {
  readonly height: number;
  readonly compared: readonly KeyedRows[];
  /** The numbers of the summed range by row; null if rows are only counted. */
  readonly numbers: Float64Array | null;
  /** The rows with a number or an error in the summed range. */
  readonly summed: Int32Array;
  readonly result: Int32Array;
  readonly other: Int32Array;
  /** Sets of rows that meet other criteria. */
  kept = new TextMap<Int32Array>();

  /** `top`: the first row of the highest range. */
  constructor(
    context: FunctionContext,
    target: SheetArea | null,
    compared: readonly Dimension[],
    top: number,
    height: number,
  ) {
    context.checkMemory(height * (compared.length + 1));
    const read = (area: SheetArea, toKey: (value: Scalar, row: number) => number) => {
      const column = { ...area, top: area.top - top, bottom: area.top - top + height - 1 };
      const keys = new Float64Array(height).fill(Number.NaN);
      context.scanReference(new Reference([column]), (value, row) => {
        keys[row - column.top] = toKey(value, row - column.top);
      });
      return keys;
    };
    this.height = height;
    this.result = createRowSet(height);
    this.other = createRowSet(height);
    const summed = createRowSet(height);
    this.summed = summed;
    this.compared = compared.map(({ area, rank }) => new KeyedRows(read(area!, (value) => toKey(value, rank))));
    this.numbers =
      target &&
      read(target, (value, row) => {
        if (typeof value === 'number' || isError(value)) addToSet(summed, row);
        return toKey(value, null);
      });
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
  private readonly target: SheetArea | null;

  constructor(context: FunctionContext, columns: BitColumns, target: SheetArea | null) {
    this.context = context;
    this.columns = columns;
    this.target = target;
  }

  count(): number {
    return countRowsInSet(this.columns.result);
  }

  /** Sum, count and extremes of the numbers in the selected rows, or the first error. */
  computeStatistics(): CriteriaStatistics {
    const { context, target } = this;
    const { result, numbers, summed } = this.columns;
    const figures = new CriteriaStatistics(true);
    intersectSets(result, summed);
    context.reportWork(countRowsInSet(result));
    forEachRowInSet(result, (row) => {
      const number = numbers![row]!;
      if (!Number.isNaN(number)) {
        figures.add(number, 0);
        return true;
      }
      const value = context.readCell(target!.sheet, target!.top + row, target!.left);
      if (isError(value)) figures.error = value;
      return figures.error === null;
    });
    return figures;
  }
}

/** The columns of ranges that several formulas compare. The first request reads the rows one by one. */
interface BitState {
  requests: number;
  columns: BitColumns | null;
}

/**
 * Selects the rows of ranges of which several are compared with numbers, by sets with one bit per row. The work is in
 * proportion to the number of rows, but an element of a set has 32 of them. The ranges may begin and end in any row.
 * Null if the rows must be read one by one.
 */
export function selectByBits(
  context: FunctionContext,
  target: SheetArea | null,
  { dimensions, areas, criteria }: BoundedCriteria,
): BitSelection | null {
  const compared = dimensions.filter(({ excluded }) => excluded === null);
  if (compared.length === 0 || compared.length > MAX_COMPARED) return null;
  const all = [target, ...dimensions.map(({ area }) => area), ...areas].filter((area) => area !== null);
  const top = Math.min(...all.map((area) => area.top));
  const kinds = dimensions.map(({ rank, excluded }) => (excluded !== null ? 'x' : rank === null ? 'n' : 't')).join('');
  const owner = findOwner(`${target === null ? 'count' : 'sum'} ${kinds}`);
  const state = context.getRangeState<BitState>(owner, all, () => ({ requests: 0, columns: null }), 'moved');
  if (state === null || state.requests++ === 0) return null;
  const filled = all.map((area) => context.getExtent(area.sheet).rows - area.top + top);
  state.columns ??= new BitColumns(context, target, compared, top, Math.max(...filled, 1));
  const { columns } = state;
  const { result } = columns;
  context.reportWork((result.length * (dimensions.length + areas.length)) >> WORDS_PER_CELL_LOG2);
  const rows = all[0]!.bottom - all[0]!.top + 1;
  const end = Math.min(top + rows, columns.height);
  setRowsBetween(result, top, end);
  const words = findWordRange(top, Math.max(top, end));
  for (const [i, { bounds }] of compared.entries()) columns.compared[i]!.intersect(result, bounds, words);
  for (const { area, excluded } of dimensions) {
    for (const value of excluded ?? []) if (!removeEqualRows(context, columns, area!, top, value)) return null;
  }
  for (const [i, area] of areas.entries()) {
    const set = findCriterionRows(context, columns, i, { ...area, top: area.top - top }, criteria[i]!);
    intersectSets(result, set);
  }
  return new BitSelection(context, columns, target && { ...target, top: target.top - top });
}

/** Removes the rows that contain a value. Returns false if there is no index of the value. */
function removeEqualRows(
  context: FunctionContext,
  { result, height }: BitColumns,
  area: SheetArea,
  top: number,
  value: Scalar,
): boolean {
  const rows = value === null || isError(value) ? null : context.findRowsWithValue(area, value, false);
  if (rows === null) return false;
  context.reportWork(rows.length >> WORDS_PER_CELL_LOG2);
  const first = area.top - top;
  for (const row of rows) if (row >= first && row - first < height) removeFromSet(result, row - first);
  return true;
}

/** The rows that meet a criterion which does not compare with a number. `area`: from the first common row on. */
function findCriterionRows(
  context: FunctionContext,
  columns: BitColumns,
  index: number,
  area: SheetArea,
  criterion: Criterion,
): Int32Array {
  const value = findEquality(criterion, context);
  const rows = value === null ? null : context.findRowsWithValue(area, value, true);
  if (rows === null) return findKeptSet(context, columns, index, area, criterion);
  context.reportWork(rows.length >> WORDS_PER_CELL_LOG2);
  columns.other.fill(0);
  for (const row of rows) {
    if (row >= area.top && row - area.top < columns.height) addToSet(columns.other, row - area.top);
  }
  return columns.other;
}

/** The rows that meet a criterion, from the sets that are kept. */
function findKeptSet(
  context: FunctionContext,
  columns: BitColumns,
  index: number,
  area: SheetArea,
  criterion: Criterion,
): Int32Array {
  const key = `${index} ${createCriteriaKey([criterion])}`;
  const known = columns.kept.get(key);
  if (known !== undefined) return known;
  const matches = createMatcher(criterion, context);
  const set = createRowSet(columns.height);
  if (matches(null)) setRowsBetween(set, 0, columns.height);
  const column = { ...area, bottom: area.top + columns.height - 1 };
  context.scanReference(new Reference([column]), (cell, row) => {
    context.reportWork(1);
    if (matches(cell)) addToSet(set, row - area.top);
    else removeFromSet(set, row - area.top);
  });
  if (columns.kept.size >= MAX_KEPT_SETS) columns.kept = new TextMap();
  columns.kept.set(key, set);
  return set;
}
