import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function setSheetPart({ draft }: Batch, { sheet, part, text }: EditOfKind<'setSheetPart'>): EditResult {
  const ownSheet = draft.ensureOwnSheet(sheet);
  const { [part]: _, ...carried } = ownSheet.layout.carried;
  ownSheet.layout = { ...ownSheet.layout, carried: text === null ? carried : { ...carried, [part]: text } };
  return createSheetOutcome(sheet);
}
