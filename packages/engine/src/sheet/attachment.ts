import type { Node } from '../formula/ast.ts';
import type { Area } from '../grid/area.ts';

/**
 * Data of a sheet that belongs to cells or refers to cells, such as a validation rule, a note or a chart. An import
 * keeps it for the export, and it moves with its cells. Plain data.
 */
export interface Attachment {
  /**
   * The attachment's type in the terms of the file format. The engine interprets only `FILTERED`, the kinds of filters
   * (see `filter.ts`), and `CELL_KINDS`.
   */
  readonly kind: string;
  /**
   * The cells to which it belongs. It is deleted when all of them are deleted. Empty if it belongs to the whole sheet.
   */
  readonly areas: readonly Area[];
  /** The attachment's formulas, each relative to the first row and column of the areas, or to A1 if there are none. */
  readonly formulas: readonly Node[];
  /** Other data for the export. The engine does not interpret it. */
  readonly texts: readonly string[];
}

/** Marks the range of an active filter: hidden rows in its areas are hidden by the filter. */
export const FILTERED = 'filteredRows';

/** A sheet's filter. The first row of its area is the header. See `filter.ts`. */
export const FILTER = 'autoFilter';
/** The condition of one column of the filter. Its area is the column's cells below the header. */
export const FILTER_COLUMN = 'filterColumn';

/** Kinds that belong to single cells: they move with their cells when rows are sorted. Rules of areas do not. */
export const CELL_KINDS: ReadonlySet<string> = new Set(['note', 'hyperlink']);

/** The cell to which an attachment's formulas are relative: the first row and column of all its areas. */
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
