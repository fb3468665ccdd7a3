import { intersects } from '@cellwire/engine';
import { API, callApi, type Failure, formatQuery } from '../../data/http.ts';
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
  const path = `${API}/documents/${session.id}/revisions${formatQuery({ limit: MAX_SEARCHED })}`;
  const answer = await callApi<{ readonly revisions: { readonly entries: readonly Revision[] } }>('GET', path);
  const undone = Number(failure.body['undone'] ?? 0);
  const entries = answer.ok ? answer.value.revisions.entries : [];
  const later = entries.filter((entry) => entry.revision > undone && isConflicting(entry, conflicts));
  const authors = later.map((entry) => describeAuthor(session, entry)).filter((name) => name !== null);
  // This window undoes its own later writes first. They prevent an undo only if no other write prevents it.
  const isOwn = authors.length === 0 && later.some(({ userId }) => userId === session.userId);
  const names = isOwn ? [t.grid.ownSession] : [...new Set(authors)].slice(0, MAX_SHOWN);
  const ranges = conflicts.slice(0, MAX_SHOWN).join(', ');
  return t.grid.undoPrevented(names.join(', '), ranges, conflicts.length > MAX_SHOWN);
}

/** Who wrote a revision: another person, or a token of this person. Null for this person's browsers. */
function describeAuthor(session: DocumentSession, { userId, userName, token }: Revision): string | null {
  if (userId !== session.userId) return userName;
  return token === null ? null : t.grid.ownToken(token);
}

/** True if a revision wrote into one of the ranges. */
function isConflicting({ ranges }: Revision, conflicts: readonly string[]): boolean {
  return ranges.some((range) => {
    const writtenRange = parseSheetRange(range);
    return conflicts.some((conflict) => {
      const place = parseSheetRange(conflict);
      return writtenRange !== null && place?.sheet === writtenRange.sheet && intersects(place.area, writtenRange.area);
    });
  });
}
