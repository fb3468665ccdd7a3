import { withHiddenColumns } from '../../sheet/layout.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function hideLines(batch: Batch, edit: EditOfKind<'hideLines'>): EditResult {
  const { sheet, axis, first, last, hidden } = edit;
  const own = batch.draft.ensureOwnSheet(sheet);
  if (axis === 'columns') {
    own.layout = withHiddenColumns(own.layout, first, last, hidden);
    return createSheetOutcome(sheet);
  }
  batch.meter.spendCells(last - first + 1);
  const rows = new Set(own.hiddenRows);
  for (let row = first; row <= last; row++) {
    if (hidden) rows.add(row);
    else rows.delete(row);
  }
  own.hiddenRows = rows;
  batch.onRowsHidden();
  return createSheetOutcome(sheet);
}
