import type { Batch } from '../batch.ts';
import { removeSheet } from '../draft-sheets.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function deleteSheet(batch: Batch, { sheet }: EditOf<'deleteSheet'>): EditResult {
  removeSheet(batch, sheet);
  return sheetOutcome(sheet);
}
