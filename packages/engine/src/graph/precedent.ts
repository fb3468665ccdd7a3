import type { Coordinate } from '../formula/ast.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';

/** One reference to one sheet. Coordinates are relative to the formula's cell, as in the tree. */
export interface Precedent {
  readonly sheet: number;
  readonly top: Coordinate;
  readonly left: Coordinate;
  readonly bottom: Coordinate;
  readonly right: Coordinate;
  /** True if the formula depends on the position or size of the area, but not on its cells (`ROWS(A1:A9)`). */
  readonly isUnread?: true;
}

/** The cells of a formula: rows of one column. */
export interface FormulaRows {
  readonly sheet: number;
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Returns the row or column of a coordinate for a formula in row or column `formulaLine`. Negative or too large if it
 * is outside the grid.
 */
export function resolveCoordinate(coordinate: Coordinate, formulaLine: number): number {
  return coordinate.absolute ? coordinate.at : formulaLine + coordinate.at;
}

/** Returns the columns of a precedent for formulas in `column`; null if they are outside the grid. */
export function resolveColumnSpan(precedent: Precedent, column: number): { left: number; right: number } | null {
  const a = resolveCoordinate(precedent.left, column);
  const b = resolveCoordinate(precedent.right, column);
  const left = Math.min(a, b);
  const right = Math.max(a, b);
  return left < 0 || right >= MAX_COLUMNS ? null : { left, right };
}

/**
 * Returns the rows of a precedent for formulas in rows `first` to `last`, clipped to the grid; null if they are outside
 * the grid.
 */
export function resolveRowSpan(
  precedent: Precedent,
  first: number,
  last: number,
): { top: number; bottom: number } | null {
  const corners = [
    resolveCoordinate(precedent.top, first),
    resolveCoordinate(precedent.top, last),
    resolveCoordinate(precedent.bottom, first),
    resolveCoordinate(precedent.bottom, last),
  ];
  const top = Math.max(0, Math.min(...corners));
  const bottom = Math.min(MAX_ROWS - 1, Math.max(...corners));
  return top > bottom ? null : { top, bottom };
}
