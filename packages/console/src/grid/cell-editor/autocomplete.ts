import type { Desk } from '../controller/grid-controller.ts';
import type { Draft } from '../formula/draft.ts';

/** Rows above and below a cell that are looked at. */
const MAX_ROWS_AWAY = 1_000;

/** A draft with the rest of a value that its column offers; the rest is selected, and typing replaces it. */
export interface Offer {
  /** The value as the column has it. */
  readonly value: string;
  /** Characters of the draft that were typed. */
  readonly typed: number;
}

/**
 * The only text of the filled cells right above and below a cell that begins like its draft. Null: there is none,
 * there are several, or the draft is one of them already.
 */
export function offerOf(desk: Desk, { sheet, place, text, isQuick }: Draft): Offer | null {
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

/** A draft as it is confirmed: a value that was offered is taken as the column has it. */
export function withOfferTaken(draft: Draft): Draft {
  const { offer, text } = draft;
  return offer !== undefined && text.toLowerCase() === offer.value.toLowerCase()
    ? { ...draft, text: offer.value }
    : draft;
}
