import { grammarOf } from '../../formula/index.ts';
import type { Area } from '../../grid/area.ts';
import { type Attachment, attachmentOrigin } from '../../sheet/attachment.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function replaceAttachments(batch: Batch, edit: EditOf<'attach'>): EditResult {
  const own = batch.draft.ownSheet(edit.sheet);
  const attachments = [...keptAttachments(own.layout.attachments, edit), ...newAttachments(batch, edit)];
  own.layout = { ...own.layout, attachments };
  return sheetOutcome(edit.sheet);
}

function keptAttachments(
  attachments: readonly Attachment[],
  { attachment, key, within }: EditOf<'attach'>,
): readonly Attachment[] {
  return attachments.filter(
    ({ kind, texts, areas }) => kind !== attachment || (key !== null && texts[0] !== key) || !liesWithin(areas, within),
  );
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
