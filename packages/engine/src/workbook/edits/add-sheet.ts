import type { Batch } from '../batch.ts';
import { defaultSheetName } from '../sheet-names.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function addSheet(batch: Batch, { name, standsFor }: EditOf<'addSheet'>): EditResult {
  const { draft } = batch;
  const sheet = draft.addSheet(name ?? defaultSheetName(draft.settings.locale, draft));
  if (standsFor !== undefined) draft.standIn = { sheet: sheet.id, for: standsFor };
  batch.onSheetsAdded();
  return sheetOutcome(sheet.id);
}
