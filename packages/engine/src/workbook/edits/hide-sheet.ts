import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function hideSheet({ draft }: Batch, { sheet, hidden }: EditOf<'hideSheet'>): EditResult {
  draft.ownSheet(sheet).hidden = hidden;
  return sheetOutcome(sheet);
}
