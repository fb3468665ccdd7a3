import { withSize } from '../../sheet/layout.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function sizeLines({ draft }: Batch, { sheet, axis, first, last, size }: EditOf<'sizeLines'>): EditResult {
  const { layout } = draft.requireSheet(sheet);
  draft.ownSheet(sheet).layout = withSize(layout, axis, first, last, size);
  return sheetOutcome(sheet);
}
