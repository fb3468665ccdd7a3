import type { Area } from '../../grid/area.ts';
import type { Attachment } from '../../sheet/attachment.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function replaceAttachments({ draft }: Batch, edit: EditOf<'attach'>): EditResult {
  const own = draft.ownSheet(edit.sheet);
  own.layout = { ...own.layout, attachments: replaced(own.layout.attachments, edit) };
  return sheetOutcome(edit.sheet);
}

function replaced(held: readonly Attachment[], edit: EditOf<'attach'>): readonly Attachment[] {
  const { attachment: kind, key, within, attachments } = edit;
  const kept = held.filter(
    (one) => one.kind !== kind || (key !== null && one.texts[0] !== key) || !liesWithin(one.areas, within),
  );
  return [...kept, ...attachments.map(({ areas, texts }) => ({ kind, areas, formulas: [], texts }))];
}

function liesWithin(areas: readonly Area[], within: Area | null): boolean {
  if (within === null) return true;
  return areas.every(
    ({ top, left, bottom, right }) =>
      top >= within.top && bottom <= within.bottom && left >= within.left && right <= within.right,
  );
}
