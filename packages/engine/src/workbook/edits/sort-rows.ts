import { compareScalars } from '../../functions/order.ts';
import { height } from '../../grid/area.ts';
import type { LocaleId } from '../../locale/index.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { Batch } from '../batch.ts';
import { filledPart } from '../entered-cells.ts';
import { reorderRows } from '../reorder-rows.ts';
import type { SortKey } from '../types.ts';
import type { EditOf, EditResult } from './edit-result.ts';

/** Sorts rows of an area, stable. Formulas keep their writers. */
export function sortRows(batch: Batch, { sheet: id, area, by }: EditOf<'sort'>): EditResult {
  const within = filledPart(batch, { sheet: id, area });
  if (within === null) return { sheet: id, area, cells: 0 };
  const sheet = batch.draft.requireSheet(id);
  const keys = Array.from({ length: height(within) }, (_, i) =>
    by.map(({ column }) => sheet.value(within.top + i, column)),
  );
  const { locale } = batch.draft.settings;
  const order = Array.from(keys, (_, i) => i).sort((a, b) => compareRows(keys[a] ?? [], keys[b] ?? [], by, locale));
  return { sheet: id, area, ...reorderRows(batch, { sheet: id, area: within }, order) };
}

/** Orders rows by their keys. Blank cells come last in either direction, as in Excel. */
function compareRows(a: readonly Scalar[], b: readonly Scalar[], by: readonly SortKey[], locale: LocaleId): number {
  for (const [i, { descending }] of by.entries()) {
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
