import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';

/** A rectangle of cells; zero-based, both corners included, top ≤ bottom and left ≤ right. */
export interface Area {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** An area that may be open at its bottom or right side: `A:C` and `A2:C` have open rows, `2:4` has open columns. */
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

/** Creates an area from its corners, which must be in order. */
export function area(top: number, left: number, bottom: number, right: number): Area {
  return { top, left, bottom, right };
}

/** The number of rows. */
export function height(a: Area): number {
  return a.bottom - a.top + 1;
}

/** The number of columns. */
export function width(a: Area): number {
  return a.right - a.left + 1;
}

/** The number of cells. */
export function cellCount(a: Area): number {
  return height(a) * width(a);
}

/** True if an area contains a cell. */
export function contains(a: Area, row: number, column: number): boolean {
  return row >= a.top && row <= a.bottom && column >= a.left && column <= a.right;
}

/** True if two areas have the same corners. */
export function isSameArea(a: Area, b: Area): boolean {
  return a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
}

/** True if two areas share a cell. */
export function intersects(a: Area, b: Area): boolean {
  return a.top <= b.bottom && b.top <= a.bottom && a.left <= b.right && b.left <= a.right;
}

/** The common part of two areas; null if they share no cell. */
export function intersection(a: Area, b: Area): Area | null {
  if (!intersects(a, b)) return null;
  return area(
    Math.max(a.top, b.top),
    Math.max(a.left, b.left),
    Math.min(a.bottom, b.bottom),
    Math.min(a.right, b.right),
  );
}

/** Returns the smallest area that contains both areas. */
export function union(a: Area, b: Area): Area {
  return area(
    Math.min(a.top, b.top),
    Math.min(a.left, b.left),
    Math.max(a.bottom, b.bottom),
    Math.max(a.right, b.right),
  );
}

/** Returns the cells of `source` that are not in `excluded`, as areas that do not overlap. */
export function subtract(source: Area, excluded: Area): readonly Area[] {
  const { top, left, bottom, right } = source;
  const common = intersection(source, excluded);
  if (!common) return [source];
  const rest: Area[] = [];
  if (common.top > top) rest.push(area(top, left, common.top - 1, right));
  if (common.bottom < bottom) rest.push(area(common.bottom + 1, left, bottom, right));
  if (common.left > left) rest.push(area(common.top, left, common.bottom, common.left - 1));
  if (common.right < right) rest.push(area(common.top, common.right + 1, common.bottom, right));
  return rest;
}
