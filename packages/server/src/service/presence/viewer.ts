import type { Database } from '@cellwire/store';
import type { DocumentAccess } from '../../access/access.ts';
import { readSharing, type StateViewer } from '../../documents/rights.ts';
import type { ServiceContext } from '../context.ts';

/** The viewer for whom past states are read; null: a user who sees all sheets and gets the states unchanged. */
export function findStateViewer(
  { database, clock }: ServiceContext,
  { documentId, hiddenSheets, caller }: DocumentAccess,
): Promise<StateViewer | null> {
  return findViewerAt(database, { documentId, hiddenSheets }, { user: caller.userId, now: clock() });
}

/**
 * The viewer `user` of the document at the time `now`, for work outside a request; null if no sheet is hidden from the
 * user.
 */
export async function findViewerAt(
  database: Database,
  { documentId, hiddenSheets }: Pick<DocumentAccess, 'documentId' | 'hiddenSheets'>,
  { user, now }: Pick<StateViewer, 'user' | 'now'>,
): Promise<StateViewer | null> {
  if (hiddenSheets.size === 0) return null;
  const { rights } = await readSharing(database, documentId);
  return { user, rights, now };
}
