import { filtersByFile, findFilter, replaceLayoutFilter, type SheetFilter } from '../../sheet/filter.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function setFilter(batch: Batch, { sheet, filter }: EditOfKind<'setFilter'>): EditResult {
  replaceFilter(batch, sheet, filter);
  return createSheetOutcome(sheet);
}

/**
 * Replaces the filter of a sheet. Shows rows that an imported file hid because of its filter, unless the new filter has
 * conditions of that file.
 */
export function replaceFilter(batch: Batch, sheet: number, filter: SheetFilter | null): void {
  const ownSheet = batch.draft.ensureOwnSheet(sheet);
  const before = findFilter(ownSheet.layout);
  ownSheet.layout = replaceLayoutFilter(ownSheet.layout, filter);
  if (before === null || ownSheet.hiddenRows.size === 0) return;
  if (filter?.columns.some(({ condition }) => filtersByFile(condition)) === true) return;
  const { top, bottom } = before.area;
  ownSheet.hiddenRows = new Set([...ownSheet.hiddenRows].filter((row) => row <= top || row > bottom));
  batch.onRowsHidden();
}
