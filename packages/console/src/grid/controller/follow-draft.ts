import { t } from '../../text/index.ts';
import type { Draft } from '../formula/draft.ts';
import { mapDraft } from '../formula/map-draft.ts';
import type { PositionMapping } from '../session/position-mapping.ts';

/** A draft whose cell is gone stays with its text; what is sent of it says since when. */
export function followDraft(draft: Draft, mapping: PositionMapping): Draft {
  if (draft.lastRevision !== null) return draft;
  const moved = mapDraft(draft, mapping);
  return moved ?? { ...draft, lastRevision: mapping.revision - 1, problem: t.grid.draftLost };
}
