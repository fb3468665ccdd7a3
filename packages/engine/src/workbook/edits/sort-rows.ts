import { compareScalars } from '../../functions/order.ts';
import { type Area, height } from '../../grid/area.ts';
import type { LocaleId } from '../../locale/index.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { Batch } from '../batch.ts';
import { clipToFilled } from '../entered-cells.ts';
import { reorderRows } from '../reorder-rows.ts';
import type { SortKey } from '../types.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** Sorts rows of an area, stable. Formulas keep their writers. Rows that are not sorted stay where they are. */
export function sortRows(batch: Batch, { sheet: id, area, by, rows }: EditOfKind<'sort'>): EditResult {
  const within = clipToFilled(batch, { sheet: id, area });
  if (within === null) return { sheet: id, area, cells: 0 };
  const sheet = batch.draft.requireSheet(id);
  const keys = Array.from({ length: height(within) }, (_, i) =>
    by.map(({ column }) => sheet.value(within.top + i, column)),
  );
  const { locale } = batch.draft.settings;
  const places = rows === undefined ? Array.from(keys, (_, i) => i) : listRowOffsets(rows, within);
  const sorted = places.toSorted((a, b) => compareRows(keys[a] ?? [], keys[b] ?? [], by, locale));
  const order = Array.from(keys, (_, i) => i);
  for (const [i, place] of places.entries()) order[place] = sorted[i] ?? place;
  return { sheet: id, area, ...reorderRows(batch, { sheet: id, area: within }, order) };
}

/** The rows of stretches that lie in an area, counted from its top. */
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

/** Orders rows by their keys. Blank cells come last in either direction, as in Excel. */
function compareRows(a: readonly Scalar[], b: readonly Scalar[], keys: readonly SortKey[], locale: LocaleId): number {
  for (const [i, { descending }] of keys.entries()) {
    const x = a[i] ?? null;
    const y = b[i] ?? null;
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
      continue;
    }
    const order = compareScalars(x, y, locale);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}
