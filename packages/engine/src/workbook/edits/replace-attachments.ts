import { grammarOf } from '../../formula/index.ts';
import { type Area, intersects, subtract } from '../../grid/area.ts';
import { type Attachment, attachmentOrigin } from '../../sheet/attachment.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function replaceAttachments(batch: Batch, edit: EditOf<'attach'>): EditResult {
  const own = batch.draft.ownSheet(edit.sheet);
  batch.meter.pass(own.layout.attachments.length);
  const { attachments: old } = own.layout;
  const kept = keptAttachments(old, edit);
  const isSame = kept.length === old.length && kept.every((one, i) => one === old[i]);
  if (isSame && edit.attachments.length === 0) return sheetOutcome(edit.sheet);
  own.layout = { ...own.layout, attachments: [...kept, ...newAttachments(batch, edit)] };
  return sheetOutcome(edit.sheet);
}

function keptAttachments(
  attachments: readonly Attachment[],
  { attachment: replacedKind, key, within, splits }: EditOf<'attach'>,
): readonly Attachment[] {
  return attachments.flatMap((one) => {
    if (one.kind !== replacedKind || (key !== null && one.texts[0] !== key)) return [one];
    if (liesWithin(one.areas, within)) return [];
    return splits === true && within !== null ? [withoutCells(one, within)] : [one];
  });
}

/** Formulas are relative to the first cell of the areas, so that they mean the same for the rest of the cells. */
function withoutCells(attachment: Attachment, cells: Area): Attachment {
  if (!attachment.areas.some((area) => intersects(area, cells))) return attachment;
  return { ...attachment, areas: attachment.areas.flatMap((area) => subtract(area, cells)) };
}

function newAttachments(
  { reader }: Batch,
  { attachment: kind, attachments, locale = null }: EditOf<'attach'>,
): readonly Attachment[] {
  const grammar = grammarOf(locale);
  return attachments.map(({ areas, texts, formulas = [] }) => {
    const { row, column } = attachmentOrigin(areas);
    return { kind, areas, texts, formulas: formulas.map((text) => reader.read(text, grammar, row, column).node) };
  });
}

function liesWithin(areas: readonly Area[], within: Area | null): boolean {
  if (within === null) return true;
  return areas.every(
    ({ top, left, bottom, right }) =>
      top >= within.top && bottom <= within.bottom && left >= within.left && right <= within.right,
  );
}
