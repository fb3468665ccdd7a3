import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';

/** A rectangle of cells; zero-based, both corners included, top ≤ bottom and left ≤ right. */
export interface Area {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** An area whose bottom or right side may be open: `A:C` and `A2:C` have open rows, `2:4` has open columns. */
export interface OpenArea extends Area {
  readonly openRows: boolean;
  readonly openColumns: boolean;
}

/** Every cell of a sheet. */
export const WHOLE_SHEET: OpenArea = {
  top: 0,
  left: 0,
  bottom: MAX_ROWS - 1,
  right: MAX_COLUMNS - 1,
  openRows: true,
  openColumns: true,
};

/** An area from its corners, which must come in order. */
export function area(top: number, left: number, bottom: number, right: number): Area {
  return { top, left, bottom, right };
}

/** Rows of an area. */
export function height(a: Area): number {
  return a.bottom - a.top + 1;
}

/** Columns of an area. */
export function width(a: Area): number {
  return a.right - a.left + 1;
}

/** Cells of an area. */
export function cellCount(a: Area): number {
  return height(a) * width(a);
}

/** Whether an area holds a cell. */
export function contains(a: Area, row: number, column: number): boolean {
  return row >= a.top && row <= a.bottom && column >= a.left && column <= a.right;
}

/** Whether two areas share a cell. */
export function intersects(a: Area, b: Area): boolean {
  return a.top <= b.bottom && b.top <= a.bottom && a.left <= b.right && b.left <= a.right;
}

/** The common part of two areas, or null where they do not meet. */
export function intersection(a: Area, b: Area): Area | null {
  if (!intersects(a, b)) return null;
  return area(
    Math.max(a.top, b.top),
    Math.max(a.left, b.left),
    Math.min(a.bottom, b.bottom),
    Math.min(a.right, b.right),
  );
}

/** The smallest area that holds both. */
export function union(a: Area, b: Area): Area {
  return area(
    Math.min(a.top, b.top),
    Math.min(a.left, b.left),
    Math.max(a.bottom, b.bottom),
    Math.max(a.right, b.right),
  );
}

/** What is left of an area without another, as areas that do not overlap. */
export function subtract(from: Area, taken: Area): readonly Area[] {
  const { top, left, bottom, right } = from;
  const common = intersection(from, taken);
  if (!common) return [from];
  const rest: Area[] = [];
  if (common.top > top) rest.push(area(top, left, common.top - 1, right));
  if (common.bottom < bottom) rest.push(area(common.bottom + 1, left, bottom, right));
  if (common.left > left) rest.push(area(common.top, left, common.bottom, common.left - 1));
  if (common.right < right) rest.push(area(common.top, common.right + 1, common.bottom, right));
  return rest;
}
