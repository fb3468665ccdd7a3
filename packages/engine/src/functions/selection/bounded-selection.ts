import { isSameArea } from '../../grid/area.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { createScalarKey, KeyMap } from '../array/keys.ts';
import {
  type Criterion,
  createMatcher,
  findBound,
  findExcludedValue,
  findTextBound,
  NumberBound,
} from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import type { SheetArea } from '../value.ts';
import { BoundedPlane } from './bounded-plane.ts';
import { BoundedStatistics } from './bounded-statistics.ts';
import { type RankText, requestTextRanks } from './column-texts.ts';
import { CriteriaStatistics } from './criteria-statistics.ts';
import { visitSelected } from './selection.ts';
import { SelectionState, sliceCriteriaPairs, sliceRowsFrom } from './selection-states.ts';

/**
 * Minimum rows of ranges whose first row differs from formula to formula and that use an index by row. Sums of ranges
 * with fewer rows are added in the order of rows.
 */
export const MIN_INDEXED_ROWS = 128;
/** Maximum number of dimensions: a range that is compared with numbers is one, and so are rows of moving ranges. */
const MAX_DIMENSIONS = 2;

/** Number of kinds of keys of a dimension: numbers, ranks of texts, codes of values. */
const KEY_KINDS = 3;

/** Owners of states; see `FunctionContext.getRangeState`. */
const MOVES = {};
const OWNERS: readonly object[] = Array.from({ length: 4 * (MAX_DIMENSIONS + 1) * KEY_KINDS ** 2 }, () => ({}));

/** Conditions for the keys of the rows of a range, or for the row numbers (`area` is null). */
interface Dimension {
  readonly area: SheetArea | null;
  readonly bounds: readonly NumberBound[];
  /** Converts the texts of the range to their ranks, which are then the keys; null for others. */
  readonly rank: RankText | null;
  /** Values that `<>` excludes. The keys are then codes of values; see `BoundedSelection`. Null for bounds. */
  readonly excluded: readonly Scalar[] | null;
}

/** Criteria in two groups: comparisons of ranges with numbers, and all other criteria. */
interface BoundedCriteria {
  readonly dimensions: readonly Dimension[];
  /** The other ranges and their criteria. */
  readonly areas: readonly SheetArea[];
  readonly criteria: readonly Criterion[];
}

/**
 * Separates the criteria that compare ranges with numbers from the others. `excludes`: also separates `<>`. Rows that are
 * blank meet `<>`, so that this is possible only for sums of another range.
 */
export function findBounds(
  context: FunctionContext,
  areas: readonly SheetArea[],
  criteria: readonly Criterion[],
  excludes = false,
): BoundedCriteria {
  const dimensions: (Dimension & { area: SheetArea; bounds: NumberBound[]; excluded: Scalar[] | null })[] = [];
  const others: number[] = [];
  for (const [i, criterion] of criteria.entries()) {
    const area = areas[i]!;
    const value = excludes && isLong(area) ? findExcludedValue(criterion, context) : undefined;
    const compared = value === undefined ? findNumberBound(context, area, criterion) : { bound: null, rank: null };
    if (compared === null) {
      others.push(i);
      continue;
    }
    const { bound, rank } = compared;
    let dimension = dimensions.find(
      (other) =>
        other.area.sheet === area.sheet &&
        isSameArea(other.area, area) &&
        (other.rank === null) === (rank === null) &&
        (other.excluded === null) === (bound !== null),
    );
    if (dimension === undefined) {
      dimension = { area, bounds: [], rank, excluded: bound === null ? [] : null };
      dimensions.push(dimension);
    }
    if (bound !== null) dimension.bounds.push(bound);
    if (value !== undefined) dimension.excluded?.push(value);
  }
  return { dimensions, areas: others.map((i) => areas[i]!), criteria: others.map((i) => criteria[i]!) };
}

/** True for a range of one column that is worth an index. */
function isLong(area: SheetArea): boolean {
  return area.left === area.right && area.bottom - area.top + 1 >= MIN_INDEXED_ROWS;
}

/** The bound of a criterion that compares with a number, or with the rank of a text; null for other criteria. */
function findNumberBound(
  context: FunctionContext,
  area: SheetArea,
  criterion: Criterion,
): { readonly bound: NumberBound; readonly rank: RankText | null } | null {
  const bound = findBound(criterion, context);
  if (bound !== null) return { bound, rank: null };
  const compared = isLong(area) ? findTextBound(criterion, context) : null;
  const rank = compared && requestTextRanks(context, area);
  return compared && rank && { bound: new NumberBound(compared.operator, rank(compared.text)), rank };
}

/** The selected rows of ranges, with their keys and values. */
class BoundedSelection {
  rows = 0;
  /** Number of requests. The first request reads the rows without an index. */
  requests = 0;
  /** True if a cell contains an error. The rows must then be read in order. */
  hasErrors = false;
  readonly line = new BoundedStatistics();
  readonly plane = new BoundedPlane();
  /** Codes of the values in the range of each dimension with excluded values, in the order of their appearance. */
  readonly codes: readonly KeyMap<number>[] = Array.from({ length: MAX_DIMENSIONS }, () => new KeyMap<number>());

  /** The code of a value in the range of a dimension. Equal values, in any letter case, have the same code. */
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

/** The index of the selected rows, and the intervals of keys in its one or two dimensions. */
class IndexedSelection {
  private readonly selection: BoundedSelection;
  private readonly intervals: readonly (readonly (readonly NumberBound[])[])[];
  private readonly reportWork: (work: number) => void;

  constructor(selection: BoundedSelection, dimensions: readonly Dimension[], context: FunctionContext) {
    this.selection = selection;
    this.intervals = dimensions.map((dimension, i) => selection.listIntervals(i, dimension));
    this.reportWork = (work) => context.reportWork(work);
  }

  /** Counts the rows within the intervals. */
  count(): number {
    const { selection, reportWork } = this;
    let count = 0;
    this.forEachInterval((first, second) => {
      count +=
        second === null
          ? selection.line.countWithin(first, reportWork)
          : selection.plane.countWithin(first, second, reportWork);
    });
    return count;
  }

  /** Computes sum, count and extremes of the numbers in the rows within the intervals. */
  computeStatistics(): CriteriaStatistics {
    const { selection, reportWork } = this;
    const figures = new CriteriaStatistics(true);
    this.forEachInterval((first, second) => {
      if (second === null) selection.line.addStatistics(figures, first, reportWork);
      else selection.plane.addStatistics(figures, first, second, reportWork);
    });
    return figures;
  }

  private forEachInterval(visit: (first: readonly NumberBound[], second: readonly NumberBound[] | null) => void): void {
    const [firsts, seconds] = this.intervals;
    for (const first of firsts!) {
      if (seconds === undefined) visit(first, null);
      else for (const second of seconds) visit(first, second);
    }
  }
}

/**
 * Returns an index of the rows that meet the criteria. `target`: the range whose numbers are summed; null to count rows.
 * Null if the rows must be read one by one.
 */
export function findIndexedSelection(
  context: FunctionContext,
  target: SheetArea | null,
  bounded: BoundedCriteria,
): IndexedSelection | null {
  const { dimensions, areas } = bounded;
  const [first = target] = [...areas, ...dimensions.map(({ area }) => area)];
  if (first === null || first.left !== first.right) return null;
  const moving = liftMovingRows(context, target, bounded);
  const selected = moving ?? { target, bounded };
  return indexRows(context, selected.target, selected.bounded, moving !== null);
}

function indexRows(
  context: FunctionContext,
  target: SheetArea | null,
  bounded: BoundedCriteria,
  isMoving: boolean,
): IndexedSelection | null {
  const { dimensions, areas, criteria } = bounded;
  if (dimensions.length === 0 || dimensions.length > MAX_DIMENSIONS) return null;
  const [first, second] = dimensions.map(({ rank, excluded }) => (excluded !== null ? 2 : Number(rank !== null)));
  const kind = 4 * dimensions.length + 2 * Number(isMoving) + Number(target === null);
  const owner = OWNERS[(kind * KEY_KINDS + (first ?? 0)) * KEY_KINDS + (second ?? 0)]!;
  const all = listAreas(target, bounded);
  const state = context.getRangeState(owner, all, () => new SelectionState<BoundedSelection>());
  const rows = all[0]!.bottom - all[0]!.top + 1;
  const selection = state?.findOrCreateState(criteria, rows, false, () => new BoundedSelection());
  if (selection === undefined || selection.requests++ === 0) return null;
  if (selection.rows < rows) addRows(context, selection, target, { dimensions, areas, criteria });
  selection.rows = rows;
  return selection.hasErrors ? null : new IndexedSelection(selection, dimensions, context);
}

function listAreas(target: SheetArea | null, { dimensions, areas }: BoundedCriteria): readonly SheetArea[] {
  const compared = dimensions.map(({ area }) => area);
  return [target, ...compared, ...areas].filter((area) => area !== null);
}

/** The first row of the ranges of the last formula, and whether it was another one in the formula before. */
interface MovingRows {
  top: number;
  moves: boolean;
}

/**
 * Replaces ranges whose first row differs from formula to formula by the columns from their first common row, and adds
 * the rows as a dimension. Null if the ranges do not move.
 */
function liftMovingRows(
  context: FunctionContext,
  target: SheetArea | null,
  bounded: BoundedCriteria,
): { readonly target: SheetArea | null; readonly bounded: BoundedCriteria } | null {
  const { dimensions, areas, criteria } = bounded;
  if (dimensions.length >= MAX_DIMENSIONS) return null;
  const all = listAreas(target, bounded);
  const rows = all[0]!.bottom - all[0]!.top + 1;
  if (rows < MIN_INDEXED_ROWS) return null;
  const top = Math.min(...all.map((area) => area.top));
  const state = context.getRangeState<MovingRows>(MOVES, all, () => ({ top, moves: false }), 'any');
  if (state === null) return null;
  state.moves ||= state.top !== top;
  state.top = top;
  // If blank cells met all criteria, rows below the last filled cell would count, too.
  const hasBlanks = dimensions.length === 0 && criteria.every((criterion) => createMatcher(criterion, context)(null));
  if (!state.moves || hasBlanks) return null;
  const filled = all.map((area) => context.getExtent(area.sheet).rows - area.top + top);
  const height = Math.max(...filled, 1);
  const lift = (area: SheetArea) => ({ ...area, top: area.top - top, bottom: area.top - top + height - 1 });
  const inside: Dimension = {
    area: null,
    bounds: [new NumberBound('>=', top), new NumberBound('<', top + rows)],
    rank: null,
    excluded: null,
  };
  const lifted = dimensions.map((dimension) => ({ ...dimension, area: dimension.area && lift(dimension.area) }));
  return {
    target: target && lift(target),
    bounded: { dimensions: [inside, ...lifted], areas: areas.map(lift), criteria },
  };
}

/** Adds the rows that a selection does not contain yet, with their keys and the numbers of `target`. */
function addRows(
  context: FunctionContext,
  selection: BoundedSelection,
  target: SheetArea | null,
  { dimensions, areas, criteria }: BoundedCriteria,
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
  const keysOf = ({ area, rank, excluded }: Dimension, index: number): readonly Scalar[] => {
    if (area === null) return base.rows;
    const { values } = read(area);
    if (excluded !== null) return values.map((value) => selection.encode(index, value));
    return rank === null ? values : values.map((value) => (typeof value === 'string' ? rank(value) : null));
  };
  const [first, second] = dimensions;
  const xs = keysOf(first!, 0);
  const ys = second && keysOf(second, 1);
  for (const [i, value] of base.values.entries()) {
    const x = xs[i];
    const y = ys?.[i];
    if (typeof x !== 'number' || (ys !== undefined && typeof y !== 'number')) continue;
    if (target !== null && isError(value)) selection.hasErrors = true;
    if (target !== null && typeof value !== 'number') continue;
    const number = target === null ? 0 : (value as number);
    if (typeof y === 'number') selection.plane.add(x, y, number);
    else selection.line.add(x, number);
  }
}
