import { accessUnchanged, bumpAccessEpoch } from '@cellwire/store/accounts';
import { DOCUMENT_GONE, listedDocument, renameDocument as renameRow } from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { type AccessAction, keepActionReply, withAccessRetry } from '../access-retry.ts';
import type { ServiceContext } from '../context.ts';
import { buildAuditStatements } from '../history/audit-log.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { type DocumentView, toDocumentView } from './list-documents.ts';
import { parseTitle } from './store-document.ts';
import { trashDocument } from './trash.ts';

/** Renames a document. No cell changes, so no revision is created. */
export async function renameDocument(
  context: ServiceContext,
  action: AccessAction<DocumentAccess>,
  givenTitle: string,
  show: (document: DocumentView) => object,
): Promise<WriteReply | Refusal> {
  const title = parseTitle(givenTitle);
  if (isRefusal(title)) return title;
  return withAccessRetry(context, action, async (access) => {
    const { documentId: id } = access;
    const row = await context.database.readOne(listedDocument({ id, now: context.clock() }));
    if (row === null) return DOCUMENT_NOT_FOUND;
    const at = Math.max(context.clock(), row.updated_at);
    const body = show(toDocumentView({ ...row, title, updated_at: at }, access.role));
    const outcome = await context.database.write({
      document: id,
      statements: [
        accessUnchanged({ version: access.epoch }),
        renameRow({ id, title, at }),
        // Document lists show titles, and no commit records this change.
        bumpAccessEpoch({}),
        ...buildAuditStatements(access, [{ action: 'document.rename', range: '', cells: 0 }], at),
        ...keepActionReply(context, action.keyed, body, at),
      ],
    });
    if (outcome.kind === 'committed') return { kind: 'done', body };
    return outcome.conflict === DOCUMENT_GONE ? DOCUMENT_NOT_FOUND : outcome;
  });
}

/** Deletes a document: to the trash if deleted documents are kept, else permanently with all its data except the audit log. */
export function deleteDocument(
  context: ServiceContext,
  action: AccessAction<DocumentAccess>,
): Promise<WriteReply | Refusal> {
  return withAccessRetry(context, action, async (access) => {
    const { documentId: id } = access;
    const row = await context.database.readOne(listedDocument({ id, now: context.clock() }));
    if (row === null) return DOCUMENT_NOT_FOUND;
    const note = { action: 'document.delete', range: '', cells: 0 } as const;
    const body = { deleted: toDocumentView(row, access.role) };
    const outcome = await trashDocument(context, id, {
      before: [accessUnchanged({ version: access.epoch }), ...buildAuditStatements(access, [note], context.clock())],
      after: [bumpAccessEpoch({}), ...keepActionReply(context, action.keyed, body, context.clock())],
    });
    if (outcome.kind === 'conflict') return outcome;
    if (outcome.kind === 'absent') return DOCUMENT_NOT_FOUND;
    return { kind: 'done', body };
  });
}

/** Permanently deletes a document that the caller has just created, before any other request uses it. */
export async function discardNewDocument(context: ServiceContext, access: DocumentAccess): Promise<void> {
  const note = { action: 'document.delete', range: '', cells: 0 } as const;
  await context.documents.remove(access.documentId, {
    before: buildAuditStatements(access, [note], context.clock()),
    after: [bumpAccessEpoch({})],
  });
}
