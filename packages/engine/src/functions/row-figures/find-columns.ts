import { MIN_COMBINED_CELLS } from '../range-statistics.ts';
import { Reference, type SheetArea, type Value } from '../value.ts';

/**
 * Returns the areas of references to one long column each with the same number of rows, whose figures are combined from
 * blocks of rows; null for other values, which are read cell by cell.
 */
export function findLongColumns(values: readonly Value[]): readonly SheetArea[] | null {
  const columns: SheetArea[] = [];
  for (const value of values) {
    if (!(value instanceof Reference) || value.areas.length > 1) return null;
    const [area] = value.areas;
    const rows = area.bottom - area.top + 1;
    if (area.left !== area.right || rows < MIN_COMBINED_CELLS) return null;
    if (columns[0] !== undefined && rows !== columns[0].bottom - columns[0].top + 1) return null;
    columns.push(area);
  }
  return columns.length > 0 ? columns : null;
}
