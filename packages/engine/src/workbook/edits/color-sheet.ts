import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function colorSheet({ draft }: Batch, { sheet, color }: EditOf<'colorSheet'>): EditResult {
  draft.ownSheet(sheet).color = color;
  return sheetOutcome(sheet);
}
