import type { DocumentAccess } from '../access/access.ts';
import { type Onlooker, readSharing, rightsOf } from '../documents/rights.ts';
import type { ServiceContext } from './context.ts';

/** For whom states of the past are read; null: for somebody who sees all sheets, who may see them as they were. */
export async function onlookerOf(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  { documentId, hiddenSheets }: Pick<DocumentAccess, 'documentId' | 'hiddenSheets'>,
  user: number | null,
): Promise<Onlooker | null> {
  if (hiddenSheets.size === 0) return null;
  const { sharing } = await readSharing(database, documentId);
  return { user, rights: rightsOf(sharing), now: clock() };
}
