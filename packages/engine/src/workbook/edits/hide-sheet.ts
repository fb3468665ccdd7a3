import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function hideSheet({ draft }: Batch, { sheet, hidden }: EditOfKind<'hideSheet'>): EditResult {
  draft.ensureOwnSheet(sheet).hidden = hidden;
  return createSheetOutcome(sheet);
}
