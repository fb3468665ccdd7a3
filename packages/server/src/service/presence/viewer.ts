import type { Database } from '@cellwire/store';
import type { DocumentAccess } from '../../access/access.ts';
import { type Onlooker, readSharing } from '../../documents/rights.ts';
import type { ServiceContext } from '../context.ts';

/** For whom states of the past are read; null: for somebody who sees all sheets, who may see them as they were. */
export function viewerOf(
  { database, clock }: ServiceContext,
  { documentId, hiddenSheets, caller }: DocumentAccess,
): Promise<Onlooker | null> {
  return viewerAt(database, { documentId, hiddenSheets }, { user: caller.userId, now: clock() });
}

/** The same of somebody who does not wait, or at another time. */
export async function viewerAt(
  database: Database,
  { documentId, hiddenSheets }: Pick<DocumentAccess, 'documentId' | 'hiddenSheets'>,
  { user, now }: Pick<Onlooker, 'user' | 'now'>,
): Promise<Onlooker | null> {
  if (hiddenSheets.size === 0) return null;
  const { rights } = await readSharing(database, documentId);
  return { user, rights, now };
}
