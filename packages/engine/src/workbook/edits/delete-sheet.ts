import type { Batch } from '../batch.ts';
import { removeSheet } from '../draft-sheets.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function deleteSheet(batch: Batch, { sheet }: EditOfKind<'deleteSheet'>): EditResult {
  removeSheet(batch, sheet);
  return createSheetOutcome(sheet);
}
