import { getGrammar } from '../../formula/index.ts';
import { type Area, intersects, subtract } from '../../grid/area.ts';
import { type Attachment, attachmentOrigin } from '../../sheet/attachment.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

/** Replaces the attachments of one kind in an area by others. */
export function replaceAttachments(batch: Batch, edit: EditOfKind<'attach'>): EditResult {
  const ownSheet = batch.draft.ensureOwnSheet(edit.sheet);
  batch.meter.reportWork(ownSheet.layout.attachments.length);
  const { attachments: old } = ownSheet.layout;
  const kept = keepOtherAttachments(old, edit);
  const isSame = kept.length === old.length && kept.every((one, i) => one === old[i]);
  if (isSame && edit.attachments.length === 0) return createSheetOutcome(edit.sheet);
  ownSheet.layout = { ...ownSheet.layout, attachments: [...kept, ...createAttachments(batch, edit)] };
  return createSheetOutcome(edit.sheet);
}

/** The attachments that the edit does not replace; an attachment in part of the area loses this part. */
function keepOtherAttachments(
  attachments: readonly Attachment[],
  { attachment: replacedKind, key, within, splits }: EditOfKind<'attach'>,
): readonly Attachment[] {
  return attachments.flatMap((one) => {
    if (one.kind !== replacedKind || (key !== null && one.texts[0] !== key)) return [one];
    if (isWithinArea(one.areas, within)) return [];
    return splits === true && within !== null ? [excludeCells(one, within)] : [one];
  });
}

/** Formulas are relative to the first cell of the areas. They must have the same meaning for the remaining cells. */
function excludeCells(attachment: Attachment, cells: Area): Attachment {
  if (!attachment.areas.some((area) => intersects(area, cells))) return attachment;
  return { ...attachment, areas: attachment.areas.flatMap((area) => subtract(area, cells)) };
}

/** Creates attachments from formulas that were typed in a locale. */
function createAttachments(
  { reader }: Batch,
  { attachment: kind, attachments, locale = null }: EditOfKind<'attach'>,
): readonly Attachment[] {
  const grammar = getGrammar(locale);
  return attachments.map(({ areas, texts, formulas = [] }) => {
    const { row, column } = attachmentOrigin(areas);
    return {
      kind,
      areas,
      texts,
      formulas: formulas.map((text) => reader.parseFormula(text, grammar, row, column).node),
    };
  });
}

/** True if all areas are within the bounds; also without bounds. */
function isWithinArea(areas: readonly Area[], bounds: Area | null): boolean {
  if (bounds === null) return true;
  return areas.every(
    ({ top, left, bottom, right }) =>
      top >= bounds.top && bottom <= bounds.bottom && left >= bounds.left && right <= bounds.right,
  );
}
