import { t } from '../../text/index.ts';
import type { CellDraft } from '../formula/draft.ts';
import { mapDraft } from '../formula/map-draft.ts';
import type { PositionMapping } from '../session/position-mapping.ts';

/** Follows the draft's cell. If the cell is deleted, the draft keeps its text and the last revision of the cell. */
export function followDraft(draft: CellDraft, mapping: PositionMapping): CellDraft {
  if (draft.lastRevision !== null) return draft;
  const moved = mapDraft(draft, mapping);
  return moved ?? { ...draft, lastRevision: mapping.revision - 1, problem: t.grid.draftLost };
}
