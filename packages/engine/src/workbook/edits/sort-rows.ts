import { type Area, height } from '../../grid/area.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { Batch } from '../batch.ts';
import { clipToFilledCells } from '../entered-cells.ts';
import { reorderRows } from '../reorder-rows.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';
import { orderRowsByKey } from './order-rows.ts';

/** Sorts rows of an area; the sort is stable. Formulas keep their writers. Rows outside `rows` keep their positions. */
export function sortRows(batch: Batch, { sheet: id, area, by, rows }: EditOfKind<'sort'>): EditResult {
  const within = clipToFilledCells(batch, { sheet: id, area });
  if (within === null) return { sheet: id, area, cells: 0 };
  const sheet = batch.draft.requireSheet(id);
  const { locale } = batch.draft.settings;
  const places = rows === undefined ? listAllRowOffsets(within) : listRowOffsets(rows, within);
  let sorted: readonly number[] = places;
  // Each sort is stable. The last sort decides, so the first key is used last.
  for (const { column, descending } of by.toReversed()) {
    const keys: Scalar[] = [];
    for (let row = within.top; row <= within.bottom; row++) keys.push(sheet.value(row, column));
    sorted = orderRowsByKey(sorted, keys, descending, locale);
  }
  const order = listAllRowOffsets(within);
  for (const [i, place] of places.entries()) order[place] = sorted[i] ?? place;
  return { sheet: id, area, ...reorderRows(batch, { sheet: id, area: within }, order) };
}

/** The rows of an area, counted from its top. */
function listAllRowOffsets(within: Area): number[] {
  const offsets = new Array<number>(height(within)).fill(0);
  for (let i = 0; i < offsets.length; i++) offsets[i] = i;
  return offsets;
}

/** Returns the rows of ranges that are in an area, counted from the top of the area. */
function listRowOffsets(
  stretches: readonly (readonly [first: number, last: number])[],
  { top, bottom }: Area,
): number[] {
  const places: number[] = [];
  for (const [first, last] of stretches) {
    for (let row = Math.max(first, top); row <= Math.min(last, bottom); row++) places.push(row - top);
  }
  return places;
}
