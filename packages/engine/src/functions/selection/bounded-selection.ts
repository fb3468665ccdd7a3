import { isError, type Scalar } from '../../value/scalar.ts';
import { createScalarKey, KeyMap } from '../array/keys.ts';
import { extendToCommonRows, findCommonRows } from '../common-rows.ts';
import { createMatcher, NumberBound } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea } from '../value.ts';
import { type BitSelection, selectByBits } from './bit-selection.ts';
import { BoundedPlane } from './bounded-plane.ts';
import { BoundedSpace, type SpaceBounds } from './bounded-space.ts';
import { BoundedStatistics } from './bounded-statistics.ts';
import { CriteriaStatistics, MAX_INDEXED_SUM } from './criteria-statistics.ts';
import { type BoundedQuery, type Dimension, listRanges, MIN_INDEXED_ROWS, toFactor } from './find-bounds.ts';
import { selectsFewRows, visitSelected } from './selection.ts';
import { SelectionState, sliceCriteriaPairs, sliceRowsFrom } from './selection-states.ts';
import { StateOwners } from './state-owners.ts';

/**
 * Maximum number of dimensions of the sorted indexes. Each range that is compared with numbers is a dimension, and so are
 * the row numbers of moving ranges. Sets of rows serve more dimensions. They count rows in three dimensions faster, too.
 */
const MAX_DIMENSIONS = 3;
const MAX_COUNTED_DIMENSIONS = 2;

/** Owner of the first rows of ranges; see `FunctionContext.getRangeState`. */
const MOVES = {};
const INDEX_OWNERS = new StateOwners();

/** The selected rows of ranges, with their keys and values. */
class BoundedSelection {
  rows = 0;
  /** Number of requests. The first request reads the rows without an index. */
  requests = 0;
  /** True if a cell contains an error. The rows must then be read in order. */
  hasErrors = false;
  /** The sum of the absolute values of the numbers to sum. */
  size = 0;
  readonly line = new BoundedStatistics();
  /** The rows by the keys of several dimensions. */
  readonly space: BoundedPlane | BoundedSpace;
  /** Codes of the values in the range of each dimension with excluded values, in the order of their appearance. */
  readonly codes: readonly KeyMap<number>[] = Array.from({ length: MAX_DIMENSIONS }, () => new KeyMap<number>());

  constructor(dimensions: number) {
    this.space = dimensions > 2 ? new BoundedSpace(dimensions) : new BoundedPlane();
  }

  /** The code of a value in the range of a dimension. Equal values have the same code; texts are equal if only the case of letters differs. */
  encode(dimension: number, value: Scalar): number {
    const codes = this.codes[dimension]!;
    const key = createScalarKey(value);
    const known = codes.get(key);
    if (known === undefined) codes.set(key, codes.size);
    return known ?? codes.size - 1;
  }

  /** The bounds of the intervals of keys that meet the conditions of a dimension. */
  listIntervals(index: number, { bounds, excluded }: Dimension): readonly (readonly NumberBound[])[] {
    if (excluded === null) return [bounds];
    const codes = excluded.flatMap((value) => this.codes[index]!.get(createScalarKey(value)) ?? []);
    const gaps = [...new Set(codes)].sort((a, b) => a - b);
    return [...gaps, null].map((end, i) => {
      const start = gaps[i - 1];
      const lower = start === undefined ? [] : [new NumberBound('>', start)];
      return end === null ? lower : [...lower, new NumberBound('<', end)];
    });
  }
}

/** The index of the selected rows, and the intervals of keys in its dimensions. */
class IndexedSelection {
  private readonly selection: BoundedSelection;
  private readonly intervals: readonly SpaceBounds[];
  private readonly reportWork: (work: number) => void;

  constructor(selection: BoundedSelection, dimensions: readonly Dimension[], context: FunctionContext) {
    this.selection = selection;
    let intervals: readonly SpaceBounds[] = [[]];
    for (const [i, dimension] of dimensions.entries()) {
      const added = selection.listIntervals(i, dimension);
      intervals = intervals.flatMap((bounds) => added.map((interval) => [...bounds, interval]));
    }
    this.intervals = intervals;
    this.reportWork = (work) => context.reportWork(work);
  }

  /** Counts the rows within the intervals. */
  count(): number {
    const { line, space } = this.selection;
    return this.intervals.reduce((count, bounds) => {
      return (
        count +
        (bounds.length === 1
          ? line.countWithin(bounds[0]!, this.reportWork)
          : space.countWithin(bounds, this.reportWork))
      );
    }, 0);
  }

  /** Computes sum, count and extremes of the numbers in the rows within the intervals. */
  computeStatistics(): CriteriaStatistics {
    const { line, space } = this.selection;
    const figures = new CriteriaStatistics(true);
    for (const bounds of this.intervals) {
      if (bounds.length === 1) line.addStatistics(figures, bounds[0]!, this.reportWork);
      else space.addStatistics(figures, bounds, this.reportWork);
    }
    return figures;
  }
}

/** Returns an index of the rows that a query selects. Null if the rows must be read one by one. */
export function findIndexedSelection(
  context: FunctionContext,
  query: BoundedQuery,
): IndexedSelection | BitSelection | null {
  const [first] = listRanges(query);
  if (first === undefined || first.left !== first.right) return null;
  const { length } = query.dimensions;
  const most = query.target === null ? MAX_COUNTED_DIMENSIONS : MAX_DIMENSIONS;
  if (length > most) {
    return first.bottom - first.top + 1 >= MIN_INDEXED_ROWS ? selectByBits(context, query) : null;
  }
  if (length === most) {
    // Moving ranges have no index, because their first row is always a new one.
    return indexRows(context, query) ?? (hasMovingRows(context, query) ? selectByBits(context, query) : null);
  }
  const moving = hasMovingRows(context, query) ? liftMovingRows(context, query) : null;
  return indexRows(context, moving ?? query);
}

function indexRows(context: FunctionContext, query: BoundedQuery): IndexedSelection | null {
  const { dimensions, areas, criteria } = query;
  if (dimensions.length === 0) return null;
  const ranges = listRanges(query);
  const state = context.getRangeState(
    INDEX_OWNERS.findOwner(query),
    ranges,
    () => new SelectionState<BoundedSelection>(),
  );
  const rows = ranges[0]!.bottom - ranges[0]!.top + 1;
  const selection = state?.findOrCreateState(criteria, rows, false, () =>
    selectsFewRows(context, new Reference([areas[0] ?? ranges[0]!]), sliceCriteriaPairs(areas, criteria, 0))
      ? null
      : new BoundedSelection(dimensions.length),
  );
  if (!selection || selection.requests++ === 0) return null;
  if (selection.rows < rows) addRows(context, selection, query);
  selection.rows = rows;
  // A sum of products may have no size, because an infinite product times zero is not a number.
  const isReadable = !selection.hasErrors && selection.size <= MAX_INDEXED_SUM;
  return isReadable ? new IndexedSelection(selection, dimensions, context) : null;
}

/** The first row of the ranges of the last formula, and whether an earlier formula had another first row. */
interface MovingRows {
  top: number;
  moves: boolean;
}

/** True if the first row of the ranges differs from formula to formula, and they are long enough for an index by row. */
function hasMovingRows(context: FunctionContext, query: BoundedQuery): boolean {
  const ranges = listRanges(query);
  if (ranges[0]!.bottom - ranges[0]!.top + 1 < MIN_INDEXED_ROWS) return false;
  const top = Math.min(...ranges.map((area) => area.top));
  const state = context.getRangeState<MovingRows>(MOVES, ranges, () => ({ top, moves: false }), 'moved');
  if (state === null) return false;
  state.moves ||= state.top !== top;
  state.top = top;
  return state.moves;
}

/**
 * Extends moving ranges to their common rows, and adds the row numbers as a dimension. Null if blank cells below the last
 * filled cell meet the criteria.
 */
function liftMovingRows(context: FunctionContext, query: BoundedQuery): BoundedQuery | null {
  const { target, factors, dimensions, areas, criteria } = query;
  if (dimensions.length === 0 && criteria.every((criterion) => createMatcher(criterion, context)(null))) return null;
  const rows = findCommonRows(context, listRanges(query));
  const extend = (area: SheetArea) => extendToCommonRows(area, rows);
  const inside: Dimension = {
    area: null,
    bounds: [new NumberBound('>=', rows.from), new NumberBound('<', rows.to)],
    rank: null,
    excluded: null,
  };
  const lifted = dimensions.map((dimension) => ({ ...dimension, area: dimension.area && extend(dimension.area) }));
  return {
    target: target && extend(target),
    factors: factors.map(extend),
    dimensions: [inside, ...lifted],
    areas: areas.map(extend),
    criteria,
  };
}

/** Adds the rows that a selection does not contain yet, with their keys and the numbers to sum. */
function addRows(
  context: FunctionContext,
  selection: BoundedSelection,
  { target, factors, dimensions, areas, criteria }: BoundedQuery,
): void {
  const done = selection.rows;
  const compared = dimensions.flatMap(({ area, excluded }) => (excluded === null ? (area ?? []) : []));
  // Without other criteria, only rows with a value to compare or to sum matter.
  const pairs =
    areas.length > 0
      ? sliceCriteriaPairs(areas, criteria, done)
      : sliceCriteriaPairs([compared[0] ?? target!], ['<>'], done);
  const read = (area: SheetArea) => {
    const values: Scalar[] = [];
    const rows: number[] = [];
    visitSelected(context, sliceRowsFrom(area, done), pairs, (value, row) => {
      context.checkMemory(values.length);
      values.push(value);
      rows.push(done + row);
      return null;
    });
    return { values, rows };
  };
  const base = read(target ?? compared[0] ?? areas[0]!);
  const multipliers = factors.map((area) => read(area).values);
  const keysOf = ({ area, rank, excluded }: Dimension, index: number): readonly Scalar[] => {
    if (area === null) return base.rows;
    const { values } = read(area);
    if (excluded !== null) return values.map((value) => selection.encode(index, value));
    return rank === null ? values : values.map((value) => (typeof value === 'string' ? rank(value) : null));
  };
  const columns = dimensions.map(keysOf);
  for (const [i, value] of base.values.entries()) {
    const keys = columns.map((column) => column[i]).filter((key) => typeof key === 'number');
    if (keys.length < dimensions.length) continue;
    if (target !== null && isError(value)) selection.hasErrors = true;
    if (target !== null && typeof value !== 'number') continue;
    let number = target === null ? 0 : (value as number);
    for (const each of multipliers) number *= toFactor(each[i]!);
    selection.size += Math.abs(number);
    if (keys.length > 1) selection.space.add(keys, number);
    else selection.line.add(keys[0]!, number);
  }
}
