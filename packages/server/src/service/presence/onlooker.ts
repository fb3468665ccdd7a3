import type { Database } from '@cellwire/store';
import type { DocumentAccess } from '../../access/access.ts';
import { readSharing, type StateViewer } from '../../documents/rights.ts';
import type { ServiceContext } from '../context.ts';

/** For whom states of the past are read; null: for somebody who sees all sheets, who may see them as they were. */
export function onlookerOf(
  { database, clock }: ServiceContext,
  { documentId, hiddenSheets, caller }: DocumentAccess,
): Promise<StateViewer | null> {
  return onlookerAt(database, { documentId, hiddenSheets }, { user: caller.userId, now: clock() });
}

/** The same of somebody who does not wait, or at another time. */
export async function onlookerAt(
  database: Database,
  { documentId, hiddenSheets }: Pick<DocumentAccess, 'documentId' | 'hiddenSheets'>,
  { user, now }: Pick<StateViewer, 'user' | 'now'>,
): Promise<StateViewer | null> {
  if (hiddenSheets.size === 0) return null;
  const { rights } = await readSharing(database, documentId);
  return { user, rights, now };
}
