import { isSameArea } from '../../grid/area.ts';
import type { Scalar } from '../../value/scalar.ts';
import { type Criterion, findBound, findExcludedValue, findTextBound, NumberBound } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import type { SheetArea } from '../value.ts';
import { type RankText, requestTextRanks } from './column-texts.ts';

/**
 * Minimum number of rows of ranges for which the index of moving ranges, the index of texts and sets of rows are used.
 * The numbers of ranges with fewer rows are summed in the order of rows.
 */
export const MIN_INDEXED_ROWS = 128;

/** Conditions for the keys of the rows of a range, or for the row numbers (`area` is null). */
export interface Dimension {
  readonly area: SheetArea | null;
  readonly bounds: readonly NumberBound[];
  /** Converts the texts of the range to their ranks, which are then the keys; null if the keys are not ranks. */
  readonly rank: RankText | null;
  /** Values that `<>` excludes. The keys are then codes of values (`BoundedSelection.encode`). Null for bounds. */
  readonly excluded: readonly Scalar[] | null;
}

/** A selection of rows, by criteria in two groups: comparisons of ranges with numbers, and all other criteria. */
export interface BoundedQuery {
  /** The range whose numbers are summed; null to count rows. */
  readonly target: SheetArea | null;
  /** Other ranges whose numbers are multiplied with the summed numbers. A cell without a number counts as 0. */
  readonly factors: readonly SheetArea[];
  readonly dimensions: readonly Dimension[];
  /** The other ranges and their criteria. */
  readonly areas: readonly SheetArea[];
  readonly criteria: readonly Criterion[];
}

/** All ranges of a query: the summed, the compared and the other ranges. */
export function listRanges({ target, factors, dimensions, areas }: BoundedQuery): readonly SheetArea[] {
  const compared = dimensions.map(({ area }) => area);
  return [target, ...factors, ...compared, ...areas].filter((area) => area !== null);
}

/**
 * Separates the criteria that compare ranges with numbers from the others. A `<>` is a comparison only if numbers are
 * summed, because blank rows also meet it, and only sums omit blank rows.
 */
export function findBounds(
  context: FunctionContext,
  target: SheetArea | null,
  areas: readonly SheetArea[],
  criteria: readonly Criterion[],
  factors: readonly SheetArea[] = [],
): BoundedQuery {
  const dimensions: (Dimension & { area: SheetArea; bounds: NumberBound[]; excluded: Scalar[] | null })[] = [];
  const others: number[] = [];
  for (const [i, criterion] of criteria.entries()) {
    const area = areas[i]!;
    const value = target !== null && isLong(area) ? findExcludedValue(criterion, context) : undefined;
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
  return {
    target,
    factors,
    dimensions,
    areas: others.map((i) => areas[i]!),
    criteria: others.map((i) => criteria[i]!),
  };
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

/** The number of a cell in `BoundedQuery.factors`. */
export function toFactor(value: Scalar): number {
  return typeof value === 'number' ? value : 0;
}
