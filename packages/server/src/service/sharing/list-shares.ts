import { sharesOfDocument } from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import type { SharedRole } from '../../access/roles.ts';
import type { ServiceContext } from '../context.ts';

/** A user whom a document is shared with. */
interface ShareView {
  readonly user: { readonly id: number; readonly name: string; readonly email: string };
  readonly role: SharedRole;
}

/** All shares of a document, for its owner. */
export async function listShares(
  { database }: Pick<ServiceContext, 'database'>,
  { documentId }: DocumentAccess,
): Promise<readonly ShareView[]> {
  const rows = await database.read(sharesOfDocument({ document_id: documentId }));
  return rows.map(({ user_id: id, name, email, role }) => ({ user: { id, name, email }, role }));
}
