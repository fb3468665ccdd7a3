import { resolveSheets } from '../../formula/index.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function renameSheet(batch: Batch, { sheet, name }: EditOfKind<'renameSheet'>): EditResult {
  batch.resolveNewSheets();
  batch.draft.renameSheet(sheet, name);
  batch.changeFormulas((node) => resolveSheets(node, batch.parseNames));
  return createSheetOutcome(sheet);
}
