import { filterOf } from '../../sheet/filter.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';
import { replaceFilter } from './set-filter.ts';

export function filterColumn(batch: Batch, { sheet, column, condition }: EditOf<'filterColumn'>): EditResult {
  const filter = filterOf(batch.draft.requireSheet(sheet).layout);
  if (filter === null || column < filter.area.left || column > filter.area.right) {
    return { kind: 'refusal', reason: 'notFiltered' };
  }
  const others = filter.columns.filter((one) => one.column !== column);
  const columns = condition === null ? others : [...others, { column, condition }];
  replaceFilter(batch, sheet, { ...filter, columns: columns.sort((a, b) => a.column - b.column) });
  return sheetOutcome(sheet);
}
