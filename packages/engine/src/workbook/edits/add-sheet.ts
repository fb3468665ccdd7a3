import type { Batch } from '../batch.ts';
import { createDefaultSheetName } from '../sheet-names.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function addSheet(batch: Batch, { name, standsFor }: EditOfKind<'addSheet'>): EditResult {
  const { draft } = batch;
  const sheet = draft.addSheet(name ?? createDefaultSheetName(draft.settings.locale, draft));
  if (standsFor !== undefined) draft.standIn = { sheet: sheet.id, for: standsFor };
  batch.onSheetsAdded();
  return createSheetOutcome(sheet.id);
}
