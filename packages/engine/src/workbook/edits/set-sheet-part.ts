import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function setSheetPart({ draft }: Batch, { sheet, part, text }: EditOfKind<'setSheetPart'>): EditResult {
  const own = draft.ensureOwnSheet(sheet);
  const { [part]: _, ...carried } = own.layout.carried;
  own.layout = { ...own.layout, carried: text === null ? carried : { ...carried, [part]: text } };
  return createSheetOutcome(sheet);
}
