import { intersects } from '@cellwire/engine';
import { API, call, type Failure, query } from '../../data/http.ts';
import type { Revision } from '../../data/types.ts';
import { t } from '../../text/index.ts';
import type { DocumentSession } from './document-session.ts';
import { parseSheetRange } from './sheet-ranges.ts';

/** Maximum number of revisions searched for the authors of a conflict. */
const MAX_SEARCHED = 200;
/** Maximum number of ranges and names in the notice. */
const MAX_SHOWN = 3;

/** Says who prevents an undo, and where. Null if it is refused for another reason. */
export async function describeUndoConflict(session: DocumentSession, failure: Failure): Promise<string | null> {
  const conflicts = (failure.body['conflicts'] as readonly string[] | undefined) ?? [];
  if (failure.status !== 412 || conflicts.length === 0) return null;
  const path = `${API}/documents/${session.id}/revisions${query({ limit: MAX_SEARCHED })}`;
  const answer = await call<{ readonly revisions: { readonly entries: readonly Revision[] } }>('GET', path);
  const entries = answer.ok ? answer.value.revisions.entries : [];
  const others = entries
    .filter((entry) => entry.userId !== session.userId && isConflicting(entry, conflicts))
    .map(({ userName }) => userName);
  const names = [...new Set(others.filter((name) => name !== null))].slice(0, MAX_SHOWN);
  const ranges = conflicts.slice(0, MAX_SHOWN).join(', ');
  return t.grid.undoPrevented(names.join(', '), ranges, conflicts.length > MAX_SHOWN);
}

/** True if a revision wrote into one of the ranges. */
function isConflicting({ ranges }: Revision, conflicts: readonly string[]): boolean {
  return ranges.some((range) => {
    const written = parseSheetRange(range);
    return conflicts.some((conflict) => {
      const place = parseSheetRange(conflict);
      return written !== null && place?.sheet === written.sheet && intersects(place.area, written.area);
    });
  });
}
