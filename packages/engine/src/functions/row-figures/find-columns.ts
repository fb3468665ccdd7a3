import { MIN_COMBINED_CELLS } from '../range-statistics.ts';
import { Reference, type SheetArea, type Value } from '../value.ts';

/**
 * Returns the areas of `count` references if each has one long column, and all have the same number of rows. Null for
 * other values; the caller then reads them cell by cell.
 */
export function findLongColumns(values: readonly Value[], count: number): readonly SheetArea[] | null {
  if (values.length !== count) return null;
  const columns: SheetArea[] = [];
  for (const value of values) {
    if (!(value instanceof Reference) || value.areas.length > 1) return null;
    const [area] = value.areas;
    const rows = area.bottom - area.top + 1;
    if (area.left !== area.right || rows < MIN_COMBINED_CELLS) return null;
    if (columns[0] !== undefined && rows !== columns[0].bottom - columns[0].top + 1) return null;
    columns.push(area);
  }
  return columns;
}
