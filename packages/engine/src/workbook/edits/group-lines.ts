import { withGroups } from '../../sheet/layout.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function groupLines({ draft }: Batch, { sheet, axis, first, last, by }: EditOf<'groupLines'>): EditResult {
  const own = draft.ownSheet(sheet);
  own.layout = withGroups(own.layout, axis, first, last, by);
  return sheetOutcome(sheet);
}
