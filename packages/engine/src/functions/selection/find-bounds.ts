import { isSameArea } from '../../grid/area.ts';
import type { Scalar } from '../../value/scalar.ts';
import { type Criterion, findBound, findExcludedValue, findTextBound, NumberBound } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import type { SheetArea } from '../value.ts';
import { type RankText, requestTextRanks } from './column-texts.ts';

/**
 * Minimum rows of ranges whose first row differs from formula to formula and that use an index by row. Sums of ranges
 * with fewer rows are added in the order of rows.
 */
export const MIN_INDEXED_ROWS = 128;

/** Conditions for the keys of the rows of a range, or for the row numbers (`area` is null). */
export interface Dimension {
  readonly area: SheetArea | null;
  readonly bounds: readonly NumberBound[];
  /** Converts the texts of the range to their ranks, which are then the keys; null for others. */
  readonly rank: RankText | null;
  /** Values that `<>` excludes. The keys are then codes of values; see `bounded-selection`. Null for bounds. */
  readonly excluded: readonly Scalar[] | null;
}

/** Criteria in two groups: comparisons of ranges with numbers, and all other criteria. */
export interface BoundedCriteria {
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
