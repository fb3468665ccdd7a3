import type { GridController } from '../controller/grid-controller.ts';
import type { Completion, Draft } from '../formula/draft.ts';

/** Rows above and below a cell that are looked at. */
const MAX_ROWS_AWAY = 1_000;

/**
 * The only text of the filled cells right above and below a cell that begins like its draft. Null: there is none,
 * there are several, or the draft is one of them already.
 */
function findCompletion(controller: GridController, { sheet, position, text, isEnterMode }: Draft): Completion | null {
  if (
    !isEnterMode ||
    sheet !== controller.state.sheet ||
    text === '' ||
    text.trim() !== text ||
    /^[='+\-\d]/.test(text)
  )
    return null;
  const wanted = text.toLowerCase();
  let found: string | null = null;
  for (const step of [-1, 1]) {
    for (let away = 1; away <= MAX_ROWS_AWAY; away++) {
      const row = position.row + step * away;
      const cell = row < 0 ? null : controller.cell({ row, column: position.column });
      if (cell === null || cell === undefined) break;
      const value = cell.f === undefined && typeof cell.v === 'string' ? cell.v : null;
      if (value === null || value.includes('\n') || !value.toLowerCase().startsWith(wanted)) continue;
      if (value.length === text.length || (found !== null && found !== value)) return null;
      found = value;
    }
  }
  return found === null ? null : { value: found, typed: text.length };
}

/** A draft after something was typed into it, with what its column offers. */
export function offerCompletion(controller: GridController, draft: Draft): Draft {
  const offer = findCompletion(controller, draft);
  if (offer === null) return draft;
  return { ...draft, text: draft.text + offer.value.slice(offer.typed), completion: offer };
}
