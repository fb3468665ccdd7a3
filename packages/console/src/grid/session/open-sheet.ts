import type { Area } from '@cellwire/engine';
import type { Failure } from '../../data/http.ts';
import type { SheetLayout } from '../../data/types.ts';
import type { CellStore } from './cell-store.ts';
import type { GridFilter } from './filter.ts';
import { RequestOrder } from './request-order.ts';
import { EMPTY_SHAPE, MergedRanges, type SheetShape, toSheetShape } from './sheet-shape.ts';

/** The loaded state of a sheet. */
export interface OpenSheet {
  name: string;
  /** Id of the sheet; -1 until it is known. */
  id: number;
  readonly cells: CellStore;
  readonly layoutRequests: RequestOrder;
  layout: SheetLayout | null;
  shape: SheetShape;
  mergedRanges: MergedRanges;
  failure: Failure | null;
  /** The filter as evaluated last; null if the sheet has none. */
  filter: GridFilter | null;
  readonly filterRequests: RequestOrder;
}

export function createOpenSheet(name: string, cells: CellStore): OpenSheet {
  return {
    name,
    id: -1,
    cells,
    layoutRequests: new RequestOrder(),
    layout: null,
    shape: EMPTY_SHAPE,
    mergedRanges: new MergedRanges([]),
    failure: null,
    filter: null,
    filterRequests: new RequestOrder(),
  };
}

export function applyLayout(sheet: OpenSheet, layout: SheetLayout): void {
  sheet.layout = layout;
  sheet.shape = toSheetShape(layout);
  sheet.mergedRanges = new MergedRanges(layout.merges);
}

/** Counts a written area as used before the next layout arrives, so that actions right after the write include it. */
export function extendUsedArea(sheet: OpenSheet, { bottom, right }: Area): void {
  const { shape } = sheet;
  const rows = Math.max(shape.rows, bottom + 1);
  const columns = Math.max(shape.columns, right + 1);
  if (rows > shape.rows || columns > shape.columns) sheet.shape = { ...shape, rows, columns };
}
