import type { Node } from '../formula/ast.ts';
import type { Area } from '../grid/area.ts';

/**
 * Something of a sheet that belongs to cells or names some, such as a rule for what may be entered, a note or a chart:
 * carried from a file to its export, and following when cells move. Plain data.
 */
export interface Attachment {
  /** What it is, in words of the file's format; none but `FILTERED` and those of filters (see `filter.ts`) are looked into here. */
  readonly kind: string;
  /** The cells that it belongs to: it ends with the last of them. Empty: it belongs to the sheet. */
  readonly areas: readonly Area[];
  /** Formulas in it, each relative to the first row and column of the areas, or to A1 without any. */
  readonly formulas: readonly Node[];
  /** What else an export needs; not looked into here. */
  readonly texts: readonly string[];
}

/** The kind of what tells where a filter is at work: hidden rows in its areas are hidden by that. */
export const FILTERED = 'filteredRows';

/** The kind of a sheet's filter: its area's first row is the header. See `filter.ts`. */
export const FILTER = 'autoFilter';
/** The kind of what one column of the filter asks: its area is the column's cells below the header. */
export const FILTER_COLUMN = 'filterColumn';

/** The cell that its formulas are written for: the first row and column of all its areas. */
export function attachmentOrigin(areas: readonly Area[]): { readonly row: number; readonly column: number } {
  if (areas.length === 0) return { row: 0, column: 0 };
  let row = Number.POSITIVE_INFINITY;
  let column = Number.POSITIVE_INFINITY;
  for (const { top, left } of areas) {
    row = Math.min(row, top);
    column = Math.min(column, left);
  }
  return { row, column };
}
