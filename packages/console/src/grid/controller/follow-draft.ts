import { t } from '../../text/index.ts';
import { acceptCompletion, type CellDraft } from '../formula/draft.ts';
import { mapDraft } from '../formula/map-draft.ts';
import { closeBrackets } from '../formula/typed-formula.ts';
import { PositionHistory } from '../session/position-history.ts';
import type { PositionMapping } from '../session/position-mapping.ts';

/** Follows the draft's cell. If the cell is deleted, the draft keeps its text and the last revision of the cell. */
export function followDraft(draft: CellDraft, mapping: PositionMapping): CellDraft {
  if (draft.lastRevision !== null) {
    const { returned } = mapping;
    const found = returned?.revision === draft.lastRevision ? mapDraft(draft, returned.mapping) : null;
    return found === null ? draft : { ...found, lastRevision: null, problem: null };
  }
  const moved = mapDraft(draft, mapping);
  return moved ?? { ...draft, lastRevision: mapping.revision - 1, problem: t.grid.draftLost };
}

/**
 * Returns the draft with the cell and the references that it had `before` a change that was undone. `after`: the draft
 * directly after the change. What was typed after the references since stays.
 */
export function restoreDraft(
  current: CellDraft | null,
  before: CellDraft | null,
  after: CellDraft | null,
): CellDraft | null {
  if (current === null || before === null || after === null) return current;
  // Another draft has another position object.
  if (current.position !== after.position || current.lastRevision !== after.lastRevision) return current;
  const { sheet, position, lastRevision, problem } = before;
  const restored = { ...current, sheet, position, lastRevision, problem };
  if (!current.text.startsWith(after.text)) return restored;
  const text = before.text + current.text.slice(after.text.length);
  const caret = Math.max(0, current.caret + before.text.length - after.text.length);
  const isSameText = current.text === after.text;
  return { ...restored, text, caret, pickedReference: isSameText ? before.pickedReference : null };
}

/** Follows a draft that is being written. */
export function createDraftHistory(): PositionHistory<{ readonly draft: CellDraft }> {
  return new PositionHistory(({ draft }, mapping) => ({ draft: followDraft(draft, mapping) }));
}

/** Closes brackets and accepts the completion of a draft. */
export function completeDraft(draft: CellDraft): CellDraft {
  return acceptCompletion({ ...draft, text: closeBrackets(draft.text) });
}
