import { t } from '../../text/index.ts';
import type { Draft } from '../formula/draft.ts';
import { rearrangedDraft } from '../formula/moved-draft.ts';
import type { Arrangement } from '../session/position-mapping.ts';

/** A draft whose cell is gone stays with its text; what is sent of it says since when. */
export function draftAfter(draft: Draft, arrangement: Arrangement): Draft {
  if (draft.lostAt !== null) return draft;
  const moved = rearrangedDraft(draft, arrangement);
  return moved ?? { ...draft, lostAt: arrangement.revision - 1, problem: t.grid.draftLost };
}
