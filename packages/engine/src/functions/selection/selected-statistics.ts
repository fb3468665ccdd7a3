import type { CellError } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { type Criterion, findComplement, findIndexRange, NumberBound } from '../criteria.ts';
import { measureValue } from '../shape.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea, type Value } from '../value.ts';
import { findIndexedSelection } from './bounded-selection.ts';
import { CriteriaStatistics } from './criteria-statistics.ts';
import { type BoundedQuery, findBounds, MIN_INDEXED_ROWS, toFactor } from './find-bounds.ts';
import { countCells, findSelectedRow, selectsFewRows, visitSelected } from './selection.ts';
import {
  type CriteriaPairs,
  findSameShapeAreas,
  SelectedCount,
  SelectionState,
  sliceCriteriaPairs,
  sliceRowsFrom,
} from './selection-states.ts';

/** Owners of states; see `FunctionContext.getRangeState`. */
const COUNTS = {};
const FIGURES = {};
const FIGURES_WITH_FORMATS = {};

/** The least or the greatest of some numbers. */
export type Extreme = 'least' | 'greatest';

/**
 * Maximum number of `<>` criteria for which a count is the difference of two counts. Each of them doubles the number of
 * counts.
 */
const MAX_COMPLEMENTS = 3;

/** The number of cells that meet all criteria. Reuses and extends the states of earlier calls. */
export function countSelected(context: FunctionContext, pairs: CriteriaPairs): Value {
  return countDifference(context, pairs, MAX_COMPLEMENTS);
}

/**
 * Counts the cells that meet all criteria. For a `<>`, this is a difference of two counts: of the cells that meet the
 * other criteria, and of the cells among them that equal the operand. `complements`: how many `<>` may be counted so.
 */
function countDifference(context: FunctionContext, pairs: CriteriaPairs, complements: number): Value {
  for (let i = 0; i + 1 < pairs.length && complements > 0; i += 2) {
    const range = pairs[i] as Value;
    const complement = findComplement(pairs[i + 1] as Criterion, context);
    if (complement === null) continue;
    const others = pairs.toSpliced(i, 2);
    const equal = complement.flatMap((criterion) => [range, criterion]);
    const excluded = countDifference(context, [...others, ...equal], complements - 1);
    if (typeof excluded !== 'number') return excluded;
    const { rows, columns } = measureValue(range);
    const all = others.length === 0 ? rows * columns : countDifference(context, others, complements - 1);
    return typeof all === 'number' ? all - excluded : all;
  }
  return countPairs(context, pairs);
}

function countPairs(context: FunctionContext, pairs: CriteriaPairs): Value {
  const ranges = pairs.filter((_, i) => i % 2 === 0) as readonly Value[];
  const criteria = pairs.filter((_, i) => i % 2 === 1) as readonly Criterion[];
  const areas = ranges.length === criteria.length ? findSameShapeAreas(ranges) : null;
  if (areas === null) return countCells(context, pairs);
  const bounded = findBounds(context, null, areas, criteria);
  const indexed = countByIndex(context, bounded);
  if (indexed !== null) return indexed;
  const state = context.getRangeState(COUNTS, areas, () => new SelectionState<SelectedCount>());
  if (state === null) return countCells(context, pairs);
  const rows = areas[0]!.bottom - areas[0]!.top + 1;
  const selectedCount = state.findOrCreateState(criteria, rows, isWide(areas), () =>
    readsFewRows(context, bounded, ranges[0]!, pairs) ? null : new SelectedCount(),
  );
  if (selectedCount === null) return countCells(context, pairs);
  if (selectedCount.rows === rows) return selectedCount.cells;
  const counted = countCells(context, sliceCriteriaPairs(areas, criteria, selectedCount.rows));
  if (typeof counted !== 'number') return counted;
  selectedCount.cells += counted;
  selectedCount.rows = rows;
  return selectedCount.cells;
}

/**
 * Counts the rows by an index: by the sorted numbers of a range, if all criteria compare this range with numbers, else by
 * an index of the rows that meet the other criteria. Null if the rows must be read one by one.
 */
function countByIndex(context: FunctionContext, bounded: BoundedQuery): number | null {
  const [only, ...others] = bounded.dimensions;
  const numbers =
    only?.area && only.rank === null && others.length === 0 && bounded.areas.length === 0
      ? context.getOrderedNumbers(new Reference([only.area]))
      : null;
  if (only === undefined || numbers === null) return findIndexedSelection(context, bounded)?.count() ?? null;
  const { from, to } = findIndexRange(only.bounds, numbers);
  return Math.max(0, to - from);
}

/**
 * True if the result of a query is not worth keeping: its bounds usually differ from formula to formula, and only few
 * rows must be read.
 */
function readsFewRows(
  context: FunctionContext,
  { dimensions }: BoundedQuery,
  target: Value,
  pairs: CriteriaPairs,
): boolean {
  return dimensions.length > 0 && selectsFewRows(context, target, pairs);
}

/**
 * True for areas of several columns. Functions read them row by row, so a longer range cannot continue from a shorter
 * one.
 */
function isWide([area]: readonly SheetArea[]): boolean {
  return area !== undefined && area.left !== area.right;
}

/**
 * Sum, count and extremes of the selected cells of `target`, or an error of the ranges, such as different shapes.
 * `extreme`: also finds the format of this number. `factors`: columns whose numbers are multiplied with the summed
 * numbers; a cell without a number counts as 0.
 */
export function computeSelectedStatistics(
  context: FunctionContext,
  target: Value,
  pairs: CriteriaPairs,
  extreme: Extreme | null = null,
  factors: readonly Reference[] = [],
): CriteriaStatistics | CellError {
  const ranges = pairs.filter((_, i) => i % 2 === 0) as readonly Value[];
  const criteria = pairs.filter((_, i) => i % 2 === 1) as readonly Criterion[];
  const areas = ranges.length === criteria.length ? findSameShapeAreas([target, ...factors, ...ranges]) : null;
  if (areas === null) return addSelectedCells(context, new CriteriaStatistics(false), target, pairs, factors);
  const withFormats = extreme !== null && context.formats !== null;
  const summed = areas[0]!;
  const multiplied = areas.slice(1, factors.length + 1);
  const compared = areas.slice(factors.length + 1);
  const bounded = findBounds(context, summed, compared, criteria, multiplied);
  const indexed = findIndexedSelection(context, bounded)?.computeStatistics(extreme !== null) ?? null;
  if (indexed !== null && (!withFormats || findExtremeFormat(context, indexed, extreme, target, pairs))) return indexed;
  const rows = summed.bottom - summed.top + 1;
  // Sums that an index may add in another order must be exact.
  const isExact = bounded.dimensions.length > 0 || rows >= MIN_INDEXED_ROWS;
  // Sums of the same ranges with more factors have fewer criteria, and therefore other keys.
  const owner = withFormats ? FIGURES_WITH_FORMATS : FIGURES;
  const state = context.getRangeState(owner, areas, () => new SelectionState<CriteriaStatistics>());
  if (state === null) return addSelectedCells(context, new CriteriaStatistics(isExact), target, pairs, factors);
  const figures = state.findOrCreateState(criteria, rows, isWide(areas), () =>
    readsFewRows(context, bounded, target, pairs) ? null : new CriteriaStatistics(isExact),
  );
  if (figures === null) return addSelectedCells(context, new CriteriaStatistics(isExact), target, pairs, factors);
  figures.isExact = isExact;
  const done = figures.rows;
  if (done === rows || figures.error !== null) return figures;
  const added = addSelectedCells(
    context,
    figures,
    sliceRowsFrom(summed, done),
    sliceCriteriaPairs(compared, criteria, done),
    multiplied.map((area) => sliceRowsFrom(area, done)),
  );
  if (!isError(added)) figures.rows = rows;
  return added;
}

/**
 * Finds the format of an extreme, which is the format of the first selected cell that contains it. Returns false if
 * there is no index of the cells.
 */
function findExtremeFormat(
  context: FunctionContext,
  figures: CriteriaStatistics,
  extreme: Extreme,
  target: Value,
  pairs: CriteriaPairs,
): boolean {
  if (figures.error !== null) return false;
  if (figures.count === 0) return true;
  const number = figures[extreme];
  const isExtreme = [new NumberBound('>=', number), new NumberBound('<=', number)];
  // The equality has an index, but it also selects texts that look like the number. The bounds exclude these texts.
  const equal = [number, ...isExtreme].flatMap((criterion) => [target, criterion]);
  const row = findSelectedRow(context, [...equal, ...pairs], false);
  if (row === null || row < 0) return false;
  const [area] = (target as Reference).areas;
  context.readCell(area.sheet, area.top + row, area.left);
  figures[`${extreme}Format`] = context.formats?.last ?? 0;
  return true;
}

/** Adds the selected cells of `target` to `figures`. Returns `figures`, or an error of the ranges. */
function addSelectedCells(
  context: FunctionContext,
  figures: CriteriaStatistics,
  target: Value,
  pairs: CriteriaPairs,
  factors: readonly Reference[],
): CriteriaStatistics | CellError {
  const problem = visitSelected(context, target, pairs, (value, row) => {
    if (isError(value)) figures.error = value;
    else if (typeof value === 'number') {
      figures.add(multiplyByFactors(context, value, factors, row), context.formats?.last ?? 0);
    }
    return figures.error;
  });
  return figures.error === null && problem !== null ? problem : figures;
}

/** Multiplies a number with the numbers of the factors in a row. The first row of the factors has the number 0. */
function multiplyByFactors(
  context: FunctionContext,
  value: number,
  factors: readonly Reference[],
  row: number,
): number {
  let product = value;
  for (const factor of factors) {
    const { sheet, top, left } = factor.areas[0];
    product *= toFactor(context.readCell(sheet, top + row, left));
  }
  return product;
}
