import type { Desk } from '../controller/grid-controller.ts';
import type { Draft, Offer } from '../formula/draft.ts';

/** Rows above and below a cell that are looked at. */
const MAX_ROWS_AWAY = 1_000;

/**
 * The only text of the filled cells right above and below a cell that begins like its draft. Null: there is none,
 * there are several, or the draft is one of them already.
 */
function offerOf(desk: Desk, { sheet, place, text, isQuick }: Draft): Offer | null {
  if (!isQuick || sheet !== desk.state.sheet || text === '' || text.trim() !== text || /^[='+\-\d]/.test(text))
    return null;
  const wanted = text.toLowerCase();
  let found: string | null = null;
  for (const step of [-1, 1]) {
    for (let away = 1; away <= MAX_ROWS_AWAY; away++) {
      const row = place.row + step * away;
      const cell = row < 0 ? null : desk.cell({ row, column: place.column });
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
export function withOffer(desk: Desk, draft: Draft): Draft {
  const offer = offerOf(desk, draft);
  if (offer === null) return draft;
  return { ...draft, text: draft.text + offer.value.slice(offer.typed), offer };
}
