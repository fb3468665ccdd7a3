import { setLineSize } from '../../sheet/layout.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function sizeLines({ draft }: Batch, { sheet, axis, first, last, size }: EditOfKind<'sizeLines'>): EditResult {
  const { layout } = draft.requireSheet(sheet);
  draft.ensureOwnSheet(sheet).layout = setLineSize(layout, axis, first, last, size);
  return createSheetOutcome(sheet);
}
