import { userById } from '@cellwire/store/accounts';
import { accessDocument, sharesOfDocument } from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';

/** E-mail addresses of users by id. */
export type UserEmails = ReadonlyMap<number, string>;

/**
 * The addresses of the users who have access to a document. Others stay unknown to its readers: a document that was
 * imported can name any ids.
 */
export async function readDocumentEmails(
  { database }: Pick<ServiceContext, 'database'>,
  { documentId, caller }: DocumentAccess,
): Promise<UserEmails> {
  const shares = await database.read(sharesOfDocument({ document_id: documentId }));
  const emails = new Map(shares.map((share) => [share.user_id, share.email]));
  const owner = await database.readOne(accessDocument({ id: documentId }));
  for (const id of [owner?.owner_id, caller.userId]) {
    const user = id === undefined ? null : await database.readOne(userById({ id }));
    if (user !== null) emails.set(user.id, user.email);
  }
  return emails;
}
