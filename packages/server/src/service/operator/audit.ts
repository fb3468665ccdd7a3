import { removedDocument } from '@cellwire/store/audit';
import { documentById } from '@cellwire/store/documents';
import type { ServiceContext } from '../context.ts';
import { type AuditLog, type AuditQuery, readAuditLog } from '../history/audit-log.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { normalizeTypedId } from './ids.ts';

/** The log of a document, also of a deleted one while part of it remains. */
export async function readAudit(
  context: Pick<ServiceContext, 'database'>,
  { document, ...query }: AuditQuery & { readonly document: string },
): Promise<AuditLog | Refusal> {
  const logged = await findLoggedDocument(context.database, document);
  if (isRefusal(logged)) return logged;
  return readAuditLog(context, logged.id, query, (row) => row.subject_address);
}

/** A document by its id, also a deleted one while part of its log remains. */
export async function findLoggedDocument(
  database: ServiceContext['database'],
  text: string,
): Promise<{ readonly id: string; readonly ownerId: number } | Refusal> {
  const id = normalizeTypedId(text);
  const [[present], [removed]] = await database.readAll([documentById({ id }), removedDocument({ id })]);
  const row = present ?? removed;
  if (row === undefined) return invalidRequest('document', `There is no document ${text}, and its log has no entries`);
  return { id, ownerId: row.owner_id };
}
