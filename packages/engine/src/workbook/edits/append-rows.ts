import type { Batch } from '../batch.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';
import { enterBlock } from './set-values.ts';

/** Enters rows of inputs below the last filled row of the sheet. */
export function appendRows(batch: Batch, edit: EditOfKind<'append'>): EditResult {
  batch.pending.flush();
  const row = batch.draft.requireSheet(edit.sheet).extent().rows;
  return enterBlock(batch, edit.sheet, row, edit.column, edit.values, edit);
}
