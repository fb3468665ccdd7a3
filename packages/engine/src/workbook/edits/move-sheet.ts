import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function moveSheet(batch: Batch, { sheet, order }: EditOfKind<'moveSheet'>): EditResult {
  const { draft } = batch;
  batch.resolveNewSheets();
  const others = draft.sheets.map(({ id }) => id).filter((id) => id !== sheet);
  draft.orderSheets(others.toSpliced(order, 0, sheet));
  batch.changeFormulas((node) => node);
  return createSheetOutcome(sheet);
}
