import { height, width } from '../../grid/area.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import type { Batch } from '../batch.ts';
import { clipToFilledCells } from '../entered-cells.ts';
import { reorderRows } from '../reorder-rows.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** Removes rows that equal an earlier row in the given columns. The outcome counts the cells of the removed rows. */
export function removeDuplicates(
  batch: Batch,
  { sheet: id, area, columns }: EditOfKind<'removeDuplicates'>,
): EditResult {
  const within = clipToFilledCells(batch, { sheet: id, area });
  if (within === null) return { sheet: id, area, cells: 0 };
  const sheet = batch.draft.requireSheet(id);
  const seenKeys = new Set<string>();
  const order: number[] = [];
  for (let i = 0; i < height(within); i++) {
    const key = JSON.stringify(columns.map((column) => createComparisonKey(sheet.value(within.top + i, column))));
    if (seenKeys.has(key)) continue;
    seenKeys.add(key);
    order.push(i);
  }
  const removed = height(within) - order.length;
  const reordered = reorderRows(batch, { sheet: id, area: within }, order);
  return { sheet: id, area, ...reordered, cells: removed * width(within) };
}

/** Returns the key of a value, which is equal for equal values. Ignores letter case. */
function createComparisonKey(value: Scalar): readonly unknown[] {
  if (typeof value === 'string') return ['text', foldCase(value)];
  return isError(value) ? ['error', value.code] : [typeof value, value];
}
