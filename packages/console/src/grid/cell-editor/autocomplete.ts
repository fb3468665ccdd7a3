import { getPendingText, isFilled } from '../controller/cell-content.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { isReadAsText } from '../formula/cell-text.ts';
import type { CellDraft, Completion } from '../formula/draft.ts';
import type { GridPosition } from '../selection/selection.ts';

/** Maximum distance of the rows that are searched, above and below the cell. */
const MAX_ROWS_AWAY = 1_000;

/**
 * Returns the only text in the filled cells directly above and below that starts with the draft. Null if none or
 * several match, or if the draft is already equal to one.
 */
function findCompletion(
  controller: GridController,
  { sheet, position, text, isEnterMode }: CellDraft,
): Completion | null {
  if (
    !isEnterMode ||
    sheet !== controller.state.sheet ||
    text === '' ||
    text.trim() !== text ||
    /^[='+\-\d]/.test(text)
  )
    return null;
  const prefix = text.toLowerCase();
  let found: string | null = null;
  for (const step of [-1, 1]) {
    for (let away = 1; away <= MAX_ROWS_AWAY; away++) {
      const beside = { row: position.row + step * away, column: position.column };
      if (beside.row < 0 || isFilled(controller, beside) !== true) break;
      const value = readEnteredText(controller, beside);
      if (value === null || value.includes('\n') || !value.toLowerCase().startsWith(prefix)) continue;
      if (value.length === text.length || (found !== null && found !== value)) return null;
      found = value;
    }
  }
  return found === null ? null : { value: found, typed: text.length };
}

/** The text of a cell, or the text that is being saved to it. Null for formulas and other values. */
function readEnteredText(controller: GridController, position: GridPosition): string | null {
  const pending = getPendingText(controller, position);
  if (pending !== undefined) return isReadAsText(pending, controller.inputLocale) ? pending : null;
  const cell = controller.getCell(position);
  return cell?.f === undefined && typeof cell?.v === 'string' ? cell.v : null;
}

/** Completes a draft after typing with a value of its column. */
export function addCompletion(controller: GridController, draft: CellDraft): CellDraft {
  const offer = findCompletion(controller, draft);
  if (offer === null) return draft;
  return { ...draft, text: draft.text + offer.value.slice(offer.typed), completion: offer };
}
