import { setColumnsHidden } from '../../sheet/layout.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function hideLines(batch: Batch, edit: EditOfKind<'hideLines'>): EditResult {
  const { sheet, axis, first, last, hidden } = edit;
  const ownSheet = batch.draft.ensureOwnSheet(sheet);
  if (axis === 'columns') {
    ownSheet.layout = setColumnsHidden(ownSheet.layout, first, last, hidden);
    return createSheetOutcome(sheet);
  }
  batch.meter.spendCells(last - first + 1);
  const rows = new Set(ownSheet.hiddenRows);
  for (let row = first; row <= last; row++) {
    if (hidden) rows.add(row);
    else rows.delete(row);
  }
  ownSheet.hiddenRows = rows;
  batch.onRowsHidden();
  return createSheetOutcome(sheet);
}
