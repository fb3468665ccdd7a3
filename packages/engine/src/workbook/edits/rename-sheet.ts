import { resolveSheets } from '../../formula/index.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function renameSheet(batch: Batch, { sheet, name }: EditOf<'renameSheet'>): EditResult {
  batch.resolveNewSheets();
  batch.draft.renameSheet(sheet, name);
  batch.restructure((node) => resolveSheets(node, batch.parseNames));
  return sheetOutcome(sheet);
}
