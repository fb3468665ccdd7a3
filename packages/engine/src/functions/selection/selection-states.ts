import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import { Reference, type SheetArea, type Value } from '../value.ts';

/** Maximum number of criteria whose results are kept for one set of ranges. */
const MAX_CRITERIA = 65_536;

/** The number of cells that meet some criteria, in the first rows. */
export class SelectedCount {
  rows = 0;
  cells = 0;
}

/** Results for one set of ranges, by criteria. */
export class SelectionState<T extends { readonly rows: number }> {
  private states = new TextMap<T>();

  /**
   * The cached state for some criteria if it covers at most `rows` rows (exactly `rows`, if `isExact`); else a new
   * state.
   */
  stateFor(criteria: readonly Scalar[], rows: number, isExact: boolean, make: () => T): T {
    const key = criteriaKey(criteria);
    const cached = this.states.get(key);
    if (cached !== undefined && (isExact ? cached.rows === rows : cached.rows <= rows)) return cached;
    if (this.states.size >= MAX_CRITERIA) this.states = new TextMap();
    const state = make();
    this.states.set(key, state);
    return state;
  }
}

/** The key of some criteria. Its parts include their length, so different criteria never share a key. */
function criteriaKey(criteria: readonly Scalar[]): string {
  let key = '';
  for (const criterion of criteria) {
    if (typeof criterion === 'string') key += `s${criterion.length}:${criterion}`;
    else key += isError(criterion) ? `e${criterion.index};` : `${typeof criterion}${criterion};`;
  }
  return key;
}

/** The areas of references of one area each that have one shape; null for anything else. */
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

/** The rows of an area from one of them on, counted from 0. */
export function sliceRowsFrom(area: SheetArea, row: number): Reference {
  return new Reference([row === 0 ? area : { ...area, top: area.top + row }]);
}
