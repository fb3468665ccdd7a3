import type { FunctionContext } from './context.ts';
import type { SheetArea } from './value.ts';

/**
 * The rows of areas with the same number of rows. The first row that the columns of all areas have in common has the
 * number 0. Areas that are moved together therefore have the same numbered rows.
 */
export interface CommonRows {
  /** The rows of the areas: from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  /** The number of common rows down to the last filled row; at least 1. */
  readonly height: number;
}

export function findCommonRows(context: FunctionContext, areas: readonly SheetArea[]): CommonRows {
  const [first] = areas;
  const from = Math.min(...areas.map(({ top }) => top));
  const filled = areas.map(({ sheet, top }) => context.getExtent(sheet).rows - top + from);
  return { from, to: from + first!.bottom - first!.top + 1, height: Math.max(...filled, 1) };
}

/** Extends an area to all common rows: up to row 0, and down to the last filled row. */
export function extendToCommonRows(area: SheetArea, { from, height }: CommonRows): SheetArea {
  const top = area.top - from;
  return { ...area, top, bottom: top + height - 1 };
}
