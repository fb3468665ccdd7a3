import type { CellError } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { findBound, findIndexRange, type NumberBound } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea, type Value } from '../value.ts';
import { BoundedSelection, type BoundedStatistics } from './bounded-statistics.ts';
import { CriteriaStatistics } from './criteria-statistics.ts';
import { countCells, visitSelected } from './selection.ts';
import { findSameShapeAreas, SelectedCount, SelectionState, sliceRowsFrom } from './selection-states.ts';

/** Owners of states; see `FunctionContext.getRangeState`. */
const COUNTS = {};
const BOUNDS = {};
const FIGURES = {};
const FIGURES_WITH_FORMATS = {};

/** The number of cells that meet all criteria. Reuses and extends the states of earlier calls. */
export function countSelected(context: FunctionContext, pairs: readonly Value[]): Value {
  const ranges = pairs.filter((_, i) => i % 2 === 0);
  const criteria = pairs.filter((_, i) => i % 2 === 1) as readonly Scalar[];
  const areas = ranges.length === criteria.length ? findSameShapeAreas(ranges) : null;
  if (areas === null) return countCells(context, pairs);
  const bounded = countWithinBounds(context, areas, criteria);
  if (bounded !== null) return bounded;
  const state = context.getRangeState(COUNTS, areas, () => new SelectionState<SelectedCount>());
  if (state === null) return countCells(context, pairs);
  const rows = areas[0]!.bottom - areas[0]!.top + 1;
  const selectedCount = state.findOrCreateState(criteria, rows, isWide(areas), () => new SelectedCount());
  if (selectedCount.rows === rows) return selectedCount.cells;
  const counted = countCells(context, sliceCriteriaPairs(areas, criteria, selectedCount.rows));
  if (typeof counted !== 'number') return counted;
  selectedCount.cells += counted;
  selectedCount.rows = rows;
  return selectedCount.cells;
}

/** Criteria in two groups: comparisons of one range with numbers, and all other criteria. */
interface BoundedCriteria {
  readonly area: SheetArea;
  readonly bounds: readonly NumberBound[];
  /** The other ranges and their criteria. */
  readonly areas: readonly SheetArea[];
  readonly criteria: readonly Scalar[];
}

/**
 * Separates the criteria that compare one range with numbers. Null if there are none, or if they apply to several
 * ranges.
 */
function findBounds(
  context: FunctionContext,
  areas: readonly SheetArea[],
  criteria: readonly Scalar[],
): BoundedCriteria | null {
  const bounds: NumberBound[] = [];
  const others: number[] = [];
  let bounded: SheetArea | null = null;
  for (const [i, criterion] of criteria.entries()) {
    const bound = findBound(criterion, context);
    const area = areas[i]!;
    if (bound === null) {
      others.push(i);
      continue;
    }
    if (bounded !== null && !isSameArea(bounded, area)) return null;
    bounded = area;
    bounds.push(bound);
  }
  if (bounded === null) return null;
  return { area: bounded, bounds, areas: others.map((i) => areas[i]!), criteria: others.map((i) => criteria[i]!) };
}

/**
 * Counts the rows by binary search in a range's sorted numbers, if all criteria compare this range with numbers. Null
 * for other criteria, or if the numbers are not sorted; the caller then counts row by row.
 */
function countWithinBounds(
  context: FunctionContext,
  areas: readonly SheetArea[],
  criteria: readonly Scalar[],
): number | null {
  const bounded = findBounds(context, areas, criteria);
  if (bounded === null) return null;
  if (bounded.areas.length > 0) {
    const figures = createBoundedStatistics(context, bounded.area, bounded);
    return figures?.countWithin(bounded.bounds, (work) => context.reportWork(work)) ?? null;
  }
  const numbers = context.getOrderedNumbers(new Reference([bounded.area]));
  if (numbers === null) return null;
  const { from, to } = findIndexRange(bounded.bounds, numbers);
  return Math.max(0, to - from);
}

/**
 * Collects the numbers of `target` in rows that meet the other criteria. Their keys are the numbers of the range that
 * the bounds compare. Null if the rows must be read one by one.
 */
function createBoundedStatistics(
  context: FunctionContext,
  target: SheetArea,
  bounded: BoundedCriteria,
): BoundedStatistics | null {
  const { area, areas, criteria } = bounded;
  if (isWide([area])) return null;
  const state = context.getRangeState(BOUNDS, [target, area, ...areas], () => new SelectionState<BoundedSelection>());
  const rows = area.bottom - area.top + 1;
  const selectedBounds = state?.findOrCreateState(criteria, rows, false, () => new BoundedSelection());
  if (selectedBounds === undefined || selectedBounds.requests++ === 0) return null;
  if (selectedBounds.rows < rows) addBounded(context, selectedBounds, target, bounded);
  selectedBounds.rows = rows;
  return selectedBounds.hasErrors ? null : selectedBounds.figures;
}

/** Adds rows of `target` with their keys. `target` may be the compared range itself. */
function addBounded(
  context: FunctionContext,
  selectedBounds: BoundedSelection,
  target: SheetArea,
  { area, areas, criteria }: BoundedCriteria,
): void {
  const keys: Scalar[] = [];
  const pairs = sliceCriteriaPairs(areas, criteria, selectedBounds.rows);
  const selected = pairs.length === 0 ? sliceCriteriaPairs([area], ['<>'], selectedBounds.rows) : pairs;
  visitSelected(context, sliceRowsFrom(area, selectedBounds.rows), selected, (value) => {
    if (target !== area) keys.push(value);
    else if (typeof value === 'number') selectedBounds.figures.add(value, value);
    return null;
  });
  if (target === area) return;
  let at = 0;
  visitSelected(context, sliceRowsFrom(target, selectedBounds.rows), selected, (value) => {
    const key = keys[at++];
    if (typeof key !== 'number') return null;
    if (isError(value)) selectedBounds.hasErrors = true;
    else if (typeof value === 'number') selectedBounds.figures.add(key, value);
    return null;
  });
}

/** Returns criteria ranges and criteria in turns, with the ranges starting at a row. */
function sliceCriteriaPairs(areas: readonly SheetArea[], criteria: readonly Scalar[], row: number): readonly Value[] {
  return areas.flatMap((area, i): Value[] => [sliceRowsFrom(area, row), criteria[i]!]);
}

/**
 * True for areas of several columns. Functions read them row by row, so a longer range cannot continue from a shorter
 * one.
 */
function isWide([area]: readonly SheetArea[]): boolean {
  return area !== undefined && area.left !== area.right;
}

/** True if two areas have the same cells of the same sheet. */
function isSameArea(a: SheetArea, b: SheetArea): boolean {
  return a.sheet === b.sheet && a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
}

/**
 * Sum, count and extremes of the selected cells of `target`, or an error of the ranges, such as different shapes.
 * `needsFormats`: also tracks the formats of the extremes.
 */
export function computeSelectedStatistics(
  context: FunctionContext,
  target: Value,
  pairs: readonly Value[],
  needsFormats = false,
): CriteriaStatistics | CellError {
  const ranges = pairs.filter((_, i) => i % 2 === 0);
  const criteria = pairs.filter((_, i) => i % 2 === 1) as readonly Scalar[];
  const areas = ranges.length === criteria.length ? findSameShapeAreas([target, ...ranges]) : null;
  // Sums must be exact, because they may be added in the order of rows or in the order of another range.
  const isExact = criteria.some((criterion) => findBound(criterion, context) !== null);
  if (areas === null) return addSelectedCells(context, new CriteriaStatistics(isExact), target, pairs);
  const withFormats = needsFormats && context.formats !== null;
  const bounded = isExact && !withFormats ? findBounds(context, areas.slice(1), criteria) : null;
  const keyedFigures = bounded && createBoundedStatistics(context, areas[0]!, bounded);
  if (bounded && keyedFigures)
    return keyedFigures.computeStatistics(bounded.bounds, (work) => context.reportWork(work));
  const owner = withFormats ? FIGURES_WITH_FORMATS : FIGURES;
  const state = context.getRangeState(owner, areas, () => new SelectionState<CriteriaStatistics>());
  if (state === null) return addSelectedCells(context, new CriteriaStatistics(isExact), target, pairs);
  const rows = areas[0]!.bottom - areas[0]!.top + 1;
  const figures = state.findOrCreateState(criteria, rows, isWide(areas), () => new CriteriaStatistics(isExact));
  const done = figures.rows;
  if (done === rows || figures.error !== null) return figures;
  const added = addSelectedCells(
    context,
    figures,
    sliceRowsFrom(areas[0]!, done),
    sliceCriteriaPairs(areas.slice(1), criteria, done),
  );
  if (!isError(added)) figures.rows = rows;
  return added;
}

/** Adds the selected cells of `target` to `figures`. Returns `figures`, or an error of the ranges. */
function addSelectedCells(
  context: FunctionContext,
  figures: CriteriaStatistics,
  target: Value,
  pairs: readonly Value[],
): CriteriaStatistics | CellError {
  const problem = visitSelected(context, target, pairs, (value) => {
    if (isError(value)) figures.error = value;
    else if (typeof value === 'number') figures.add(value, context.formats?.last ?? 0);
    return figures.error;
  });
  return figures.error === null && problem !== null ? problem : figures;
}
