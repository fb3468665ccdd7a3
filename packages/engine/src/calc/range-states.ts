import type { SheetArea } from '../functions/value.ts';
import type { Column, Sheet } from '../sheet/snapshot.ts';

/** Maximum number of states. A formula has few calls, and formulas of one column are calculated together. */
const MAX_STATES = 16;
/**
 * Maximum columns of an area whose state is kept. For wider areas, finding out whether their cells changed takes too
 * long.
 */
const MAX_COLUMNS_PER_AREA = 16;

interface RangeState {
  readonly owner: object;
  /**
   * The areas that the state covers. Only their columns and top rows count: the bottom row may differ between calls.
   */
  readonly areas: readonly SheetArea[];
  readonly columns: readonly (Column | undefined)[];
  readonly writes: readonly number[];
  readonly state: object;
}

/**
 * Keeps states of range functions from one formula cell to the next, until a column that they read changes. A state
 * contains, for example, results by criterion, or the last row read of a range that grows row by row. One object exists
 * per recalculation.
 */
export class RangeStates {
  /** States in order of use, the most recently used first. */
  private readonly states: RangeState[] = [];

  /**
   * Returns the state of an owner for areas with the same columns and top rows; creates one if there is none, or if a
   * column changed. Null if the areas have too many columns. `sheets`: one per area.
   */
  findOrCreate<T extends object>(
    owner: object,
    areas: readonly SheetArea[],
    sheets: readonly Sheet[],
    make: () => T,
  ): T | null {
    const at = this.states.findIndex(
      (candidate) => candidate.owner === owner && haveSameTopRows(candidate.areas, areas),
    );
    const match = at < 0 ? undefined : this.states[at];
    if (match !== undefined) {
      if (at > 0) this.states.unshift(...this.states.splice(at, 1));
      if (isCurrent(match, sheets)) return match.state as T;
      this.states.shift();
    }
    if (areas.some(({ left, right }) => right - left >= MAX_COLUMNS_PER_AREA)) return null;
    const columns = areas.flatMap(({ left, right }, i) => sliceColumns(sheets[i]!, left, right));
    const state = make();
    this.states.unshift({ owner, areas, columns, writes: columns.map((column) => column?.writes ?? 0), state });
    if (this.states.length > MAX_STATES) this.states.pop();
    return state;
  }
}

/** Moves areas up by the same number of rows, so that the first of them begins in the first row. */
export function alignTops(areas: readonly SheetArea[]): readonly SheetArea[] {
  const top = Math.min(...areas.map((each) => each.top));
  return areas.map((each) => ({ ...each, top: each.top - top }));
}

function haveSameTopRows(a: readonly SheetArea[], b: readonly SheetArea[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    if (x.top !== y.top || x.left !== y.left || x.right !== y.right || x.sheet !== y.sheet) return false;
  }
  return true;
}

function sliceColumns(sheet: Sheet, left: number, right: number): readonly (Column | undefined)[] {
  return Array.from({ length: right - left + 1 }, (_, i) => sheet.columns[left + i]);
}

/** True if no column of the state's areas has changed since the state was created. */
function isCurrent({ areas, columns, writes }: RangeState, sheets: readonly Sheet[]): boolean {
  let i = 0;
  for (let at = 0; at < areas.length; at++) {
    const { left, right } = areas[at]!;
    for (let column = left; column <= right; column++, i++) {
      const existingColumn = sheets[at]!.columns[column];
      if (existingColumn !== columns[i] || (existingColumn?.writes ?? 0) !== writes[i]) return false;
    }
  }
  return true;
}
