import { isError } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { type Criterion, NumberBound } from '../criteria.ts';
import { Reference, type SheetArea, type Value } from '../value.ts';

/** Maximum number of criteria whose results are kept for one set of ranges. */
const MAX_CRITERIA = 65_536;

/** Criteria ranges and criteria in turns, as in the arguments of COUNTIFS. */
export type CriteriaPairs = readonly (Value | Criterion)[];

/** The number of cells in the first rows that meet some criteria. */
export class SelectedCount {
  rows = 0;
  cells = 0;
}

/** Results for one set of ranges, by the key of the criteria. */
export class SelectionState<T extends { readonly rows: number }> {
  private states = new TextMap<T>();

  /**
   * Returns the cached result for criteria if it covers at most `rows` rows (`isExact`: exactly `rows`); otherwise
   * creates one. Null if `make` returns null because a result is not worth keeping.
   */
  findOrCreateState(criteria: readonly Criterion[], rows: number, isExact: boolean, make: () => T | null): T | null {
    const key = createCriteriaKey(criteria);
    const cached = this.states.get(key);
    if (cached !== undefined && (isExact ? cached.rows === rows : cached.rows <= rows)) return cached;
    const state = make();
    if (state === null) return null;
    if (this.states.size >= MAX_CRITERIA) this.states = new TextMap();
    this.states.set(key, state);
    return state;
  }
}

/** Returns the key of criteria. The parts contain their length, so that different criteria never have the same key. */
export function createCriteriaKey(criteria: readonly Criterion[]): string {
  let key = '';
  for (const criterion of criteria) {
    if (criterion instanceof NumberBound) key += `b${criterion.operator}${criterion.number};`;
    else if (typeof criterion === 'string') key += `s${criterion.length}:${criterion}`;
    else key += isError(criterion) ? `e${criterion.index};` : `${typeof criterion}${criterion};`;
  }
  return key;
}

/** Returns the areas of references if each has one area and all have the same shape; null for anything else. */
export function findSameShapeAreas(values: readonly Value[]): readonly SheetArea[] | null {
  const areas: SheetArea[] = [];
  for (const value of values) {
    if (!(value instanceof Reference) || value.areas.length > 1) return null;
    const [area] = value.areas;
    const shape = areas[0] ?? area;
    if (area.bottom - area.top !== shape.bottom - shape.top || area.right - area.left !== shape.right - shape.left) {
      return null;
    }
    areas.push(area);
  }
  return areas;
}

/** Returns the rows of an area from a row to its end. `row` is counted from 0 at the top of the area. */
export function sliceRowsFrom(area: SheetArea, row: number): Reference {
  return new Reference([row === 0 ? area : { ...area, top: area.top + row }]);
}

/** Returns criteria ranges and criteria in turns, with the ranges starting at a row. */
export function sliceCriteriaPairs(
  areas: readonly SheetArea[],
  criteria: readonly Criterion[],
  row: number,
): CriteriaPairs {
  return areas.flatMap((area, i) => [sliceRowsFrom(area, row), criteria[i]!]);
}
