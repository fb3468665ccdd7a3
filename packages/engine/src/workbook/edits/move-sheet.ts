import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function moveSheet(batch: Batch, { sheet, order }: EditOf<'moveSheet'>): EditResult {
  const { draft } = batch;
  batch.resolveNewSheets();
  const others = draft.sheets.map(({ id }) => id).filter((id) => id !== sheet);
  draft.orderSheets(others.toSpliced(order, 0, sheet));
  batch.restructure((node) => node);
  return sheetOutcome(sheet);
}
