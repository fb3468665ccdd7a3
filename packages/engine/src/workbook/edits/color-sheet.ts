import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function colorSheet({ draft }: Batch, { sheet, color }: EditOfKind<'colorSheet'>): EditResult {
  draft.ensureOwnSheet(sheet).color = color;
  return createSheetOutcome(sheet);
}
