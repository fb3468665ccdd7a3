import type { Area } from '@cellwire/engine';
import type { Failure } from '../../data/http.ts';
import type { SheetLayout } from '../../data/types.ts';
import type { CellStore } from './cell-store.ts';
import type { Filter } from './filter.ts';
import { InOrder } from './request-order.ts';
import { Merges, PLAIN_SHAPE, type Shape, shapeOf } from './sheet-shape.ts';

/** A sheet as far as it was opened. */
export interface OpenSheet {
  name: string;
  /** -1: not known yet. */
  id: number;
  readonly cells: CellStore;
  readonly layouts: InOrder;
  layout: SheetLayout | null;
  shape: Shape;
  merges: Merges;
  failure: Failure | null;
  /** As it was evaluated last; null: there is none. */
  filter: Filter | null;
  readonly filters: InOrder;
}

export function newOpenSheet(name: string, cells: CellStore): OpenSheet {
  return {
    name,
    id: -1,
    cells,
    layouts: new InOrder(),
    layout: null,
    shape: PLAIN_SHAPE,
    merges: new Merges([]),
    failure: null,
    filter: null,
    filters: new InOrder(),
  };
}

export function applyLayout(sheet: OpenSheet, layout: SheetLayout): void {
  sheet.layout = layout;
  sheet.shape = shapeOf(layout);
  sheet.merges = new Merges(layout.merges);
}

/**
 * Counts an area as used before the next layout says so: a sort right after a write includes it.
 */
export function extendUsedArea(sheet: OpenSheet, { bottom, right }: Area): void {
  const { shape } = sheet;
  const rows = Math.max(shape.rows, bottom + 1);
  const columns = Math.max(shape.columns, right + 1);
  if (rows > shape.rows || columns > shape.columns) sheet.shape = { ...shape, rows, columns };
}
