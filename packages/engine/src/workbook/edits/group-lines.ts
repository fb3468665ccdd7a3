import { changeGroupLevels } from '../../sheet/layout.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

/** Changes the outline level of rows or columns by `by`. */
export function groupLines({ draft }: Batch, { sheet, axis, first, last, by }: EditOfKind<'groupLines'>): EditResult {
  const ownSheet = draft.ensureOwnSheet(sheet);
  ownSheet.layout = changeGroupLevels(ownSheet.layout, axis, first, last, by);
  return createSheetOutcome(sheet);
}
