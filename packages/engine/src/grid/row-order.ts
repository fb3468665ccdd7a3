import { type Area, contains, intersects } from './area.ts';
import { MAX_COLUMNS } from './limits.ts';
import { type Block, isWithin, type Move, movedCell, movedReference, reversed } from './move.ts';

/**
 * Rows of an area in another order, as after a sort. Unlike a move, it does not change references. Plain data: the log
 * stores it.
 */
export interface RowOrder {
  readonly kind: 'order';
  readonly sheet: number;
  readonly area: Area;
  /**
   * For each row of the area from its top: the row that its cells came from, counted from the area's top. Rows beyond
   * the list are empty. Null if the order is not known, so no cell of the area can be followed.
   */
  readonly order: readonly number[] | null;
}

/** A change of the positions of cells. */
export type Rearrangement = Move | RowOrder;

interface CellPosition {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** The position of a cell after a rearrangement; null if it is deleted, overwritten or not known. */
export function rearrangedCell(step: Rearrangement, { sheet, row, column }: CellPosition): CellPosition | null {
  if (step.kind !== 'order') return movedCell(step, sheet, row, column);
  if (sheet !== step.sheet || !contains(step.area, row, column)) return { sheet, row, column };
  const to = rowTargets(step)?.get(row - step.area.top);
  return to === undefined ? null : { sheet, row: step.area.top + to, column };
}

/** The position of a cell before a rearrangement; null if it is new or not known. */
export function cellBefore(step: Rearrangement, { sheet, row, column }: CellPosition): CellPosition | null {
  if (step.kind !== 'order') return movedCell(reversed(step), sheet, row, column);
  if (sheet !== step.sheet || !contains(step.area, row, column)) return { sheet, row, column };
  const from = step.order?.[row - step.area.top];
  return from === undefined ? null : { sheet, row: step.area.top + from, column };
}

/**
 * The area with the same cells after a rearrangement. It follows moves as a reference does. Null if no cell is left, or
 * if the cells no longer form an area.
 */
export function rearrangedArea(step: Rearrangement, block: Block): Block | null {
  if (step.kind !== 'order') return movedReference(step, block);
  const { sheet, area } = block;
  if (sheet !== step.sheet || !intersects(area, step.area)) return block;
  if (isWithin(step.area, area)) return block;
  // Whole rows move with their sorted cells.
  const isOfRows = area.left === 0 && area.right === MAX_COLUMNS - 1;
  const isWide = area.left < step.area.left || area.right > step.area.right;
  if (area.top < step.area.top || area.bottom > step.area.bottom || (isWide && !isOfRows)) return null;
  const targets = rowTargets(step);
  const first = targets?.get(area.top - step.area.top);
  if (targets === null || first === undefined) return null;
  for (let row = area.top; row <= area.bottom; row++) {
    if (targets.get(row - step.area.top) !== first + row - area.top) return null;
  }
  const top = step.area.top + first;
  return { sheet, area: { ...area, top, bottom: top + area.bottom - area.top } };
}

/** The rearrangement that takes cells back. It does not restore lost cells. */
export function reversedRearrangement(step: Rearrangement): Rearrangement {
  if (step.kind !== 'order') return reversed(step);
  const targets = rowTargets(step);
  const { area } = step;
  const rows = Array.from({ length: area.bottom - area.top + 1 }, (_, row) => targets?.get(row));
  // An order without some rows, for example after removing duplicates, has no inverse.
  const isWhole = targets !== null && rows.every((row) => row !== undefined);
  return { ...step, order: isWhole ? (rows as readonly number[]) : null };
}

const TARGETS = new WeakMap<RowOrder, ReadonlyMap<number, number>>();

/** The new position of each row by its old one; null if not known. */
function rowTargets(step: RowOrder): ReadonlyMap<number, number> | null {
  if (step.order === null) return null;
  let targets = TARGETS.get(step);
  if (targets === undefined) {
    targets = new Map(step.order.map((from, to) => [from, to]));
    TARGETS.set(step, targets);
  }
  return targets;
}
