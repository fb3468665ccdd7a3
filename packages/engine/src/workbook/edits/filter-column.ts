import { findFilter } from '../../sheet/filter.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';
import { replaceFilter } from './set-filter.ts';

/** Replaces the filter condition of a column; null removes it. */
export function filterColumn(batch: Batch, { sheet, column, condition }: EditOfKind<'filterColumn'>): EditResult {
  const filter = findFilter(batch.draft.requireSheet(sheet).layout);
  if (filter === null || column < filter.area.left || column > filter.area.right) {
    return { kind: 'refusal', reason: 'notFiltered' };
  }
  const others = filter.columns.filter((one) => one.column !== column);
  const columns = condition === null ? others : [...others, { column, condition }];
  replaceFilter(batch, sheet, { ...filter, columns: columns.sort((a, b) => a.column - b.column) });
  return createSheetOutcome(sheet);
}
