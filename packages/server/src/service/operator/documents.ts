import type { Query } from '@cellwire/store';
import { bumpAccessEpoch, documentsAfter } from '@cellwire/store/accounts';
import { restoreFromTrash, setDocumentFormat, trashedDocument, trashedDocumentsAfter } from '@cellwire/store/documents';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import type { SharedRole } from '../../access/roles.ts';
import type { DocumentDraft } from '../../documents/types.ts';
import { MAX_COMMAND_PAGE } from '../../limits/commands.ts';
import type { ServiceContext } from '../context.ts';
import { prepareCopySource } from '../document/copy.ts';
import { type CreatedDocument, parseChoice, parseTitle, storeNewDocument } from '../document/store-document.ts';
import { computeExpiryTime, type TrashedRow, trashDocument } from '../document/trash.ts';
import { invalidRequest, isRefusal, NOT_TABLE, type Refusal } from '../refusal.ts';
import { changeSharing } from '../sharing/change-sharing.ts';
import { createAlreadyOwnerRefusal, createRoleChange, GIVEN_ROLES } from '../sharing/share.ts';
import { buildOperatorAudit } from './document-entries.ts';
import { findUser } from './find-user.ts';
import { normalizeTypedId } from './ids.ts';
import { buildCreationEntry, type DocumentContext, findDocument, requireRefusal } from './new-document.ts';
import { decodeCursor, encodeCursor, type ListPage, type ListPageRequest } from './paging.ts';

interface DocumentCopyInput {
  readonly document: string;
  /** Id or e-mail address. */
  readonly owner?: string | undefined;
  readonly title?: string | undefined;
}

/** Copies a document with its protected sheets. The copy belongs to the same owner unless another one is given. */
export async function copyDocument(
  context: DocumentContext & Pick<ServiceContext, 'documentJobs'>,
  { document, owner: ownerText, title: given }: DocumentCopyInput,
): Promise<CreatedDocument | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const owner = await findUser(context, ownerText ?? String(row.owner_id));
  if (isRefusal(owner)) return owner;
  const title = given === undefined ? undefined : parseTitle(given);
  if (isRefusal(title)) return title;
  const { id, type } = row;
  if (type !== 'table') return NOT_TABLE;
  const snapshot = await (await context.documents.open(id))?.readSnapshot();
  if (!snapshot) return DOCUMENT_NOT_FOUND;
  const { signal } = new AbortController();
  const source = await prepareCopySource(context, { id, snapshot, epoch: null, user: owner.id, signal });
  if ('kind' in source) return requireRefusal(source);
  const settings = { ...source.settings, title: title ?? source.settings.title };
  const addCreationEntry = (draft: DocumentDraft) => [
    ...source.extraStatements(draft.id),
    buildCreationEntry(owner, draft.id, draft.at),
  ];
  const outcome = await storeNewDocument(context, owner.id, settings, source.content, addCreationEntry);
  return 'kind' in outcome ? requireRefusal(outcome) : outcome;
}

/** Gives a user a role, or removes it (`none`). */
export async function shareDocument(
  context: DocumentContext,
  { document, user: text, role: given }: { readonly document: string; readonly user: string; readonly role: string },
): Promise<{ readonly id: string; readonly role: SharedRole | 'none' } | Refusal> {
  const role = parseChoice('role', GIVEN_ROLES, given);
  if (isRefusal(role)) return role;
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  if (user.id === row.owner_id) return createAlreadyOwnerRefusal(text);
  const extraStatements = await buildOperatorAudit(context, row, 'document.share');
  const refusal = await changeSharing(context, row.id, { ...createRoleChange(row.id, user.id, role), extraStatements });
  return refusal ?? { id: row.id, role };
}

/** Converts a table of the old format into a collaborative one, which can be written to. */
export async function convertDocument(
  context: DocumentContext,
  document: string,
): Promise<{ readonly id: string; readonly format: 'collaborative' } | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  if (row.format === 'collaborative') return { id: row.id, format: row.format };
  const audited = await buildOperatorAudit(context, row, 'document.convert');
  const statements = [setDocumentFormat({ id: row.id, format: 'collaborative' }), ...audited, bumpAccessEpoch({})];
  const outcome = await context.database.write({ document: row.id, statements });
  if (outcome.kind === 'conflict') return invalidRequest('document', `There is no document ${document}`);
  return { id: row.id, format: 'collaborative' };
}

/** Deletes a document: to the trash if deleted documents are kept and `isPermanent` is false. */
export async function deleteDocument(
  context: DocumentContext,
  document: string,
  isPermanent = false,
): Promise<{ readonly id: string } | Refusal> {
  const trashed = await findTrashedDocument(context, document);
  if (trashed !== null && isPermanent) return purgeTrashedDocument(context, trashed);
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const statements = {
    before: await buildOperatorAudit(context, row, 'document.delete'),
    after: [bumpAccessEpoch({})],
  };
  const outcome = await (isPermanent
    ? context.documents.remove(row.id, statements)
    : trashDocument(context, row.id, statements));
  return outcome.kind === 'removed' ? { id: row.id } : invalidRequest('document', `There is no document ${document}`);
}

type TrashedDocumentRow = TrashedRow & { readonly id: string };

async function findTrashedDocument(context: DocumentContext, document: string): Promise<TrashedDocumentRow | null> {
  const id = normalizeTypedId(document);
  const row = await context.database.readOne(trashedDocument({ id, until: computeExpiryTime(context) }));
  return row === null ? null : { ...row, id };
}

async function purgeTrashedDocument(
  context: DocumentContext,
  row: TrashedDocumentRow,
): Promise<{ readonly id: string } | Refusal> {
  const before = await buildOperatorAudit(context, row, 'document.purge');
  const purged = await context.documents.purge(row.id, { before });
  return purged.kind === 'removed' ? { id: row.id } : createNotInTrashRefusal(row.id);
}

/** Restores a document from the trash, regardless of who deleted it. */
export async function restoreTrashedDocument(
  context: DocumentContext,
  document: string,
): Promise<{ readonly id: string; readonly title: string } | Refusal> {
  const row = await findTrashedDocument(context, document);
  if (row === null) return createNotInTrashRefusal(document);
  const audited = await buildOperatorAudit(context, row, 'document.restore');
  const statements = [...restoreFromTrash(row.id), ...audited, bumpAccessEpoch({})];
  const outcome = await context.database.write({ document: row.id, statements });
  return outcome.kind === 'committed' ? { id: row.id, title: row.title } : createNotInTrashRefusal(document);
}

function createNotInTrashRefusal(document: string): Refusal {
  return invalidRequest('document', `There is no deleted document ${document} that can be restored`);
}

/** A document in the lists of commands. */
interface DocumentRowView {
  readonly id: string;
  readonly title: string;
  /** The owner's user id. */
  readonly owner: number;
  readonly revisionId: string;
  readonly type: string;
  readonly format: string;
  readonly locale: string;
  /** ISO 8601, like `updatedAt`. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Null: not deleted. */
  readonly deletedAt: string | null;
}

interface DocumentListInput extends ListPageRequest {
  readonly owner?: string | undefined;
  /** True: lists the trash. */
  readonly deleted?: boolean | undefined;
}

/**
 * Documents of the installation or of one owner, by id; an unpaged list of one owner starts with the most recently
 * changed.
 */
export async function listDocuments(
  context: Pick<ServiceContext, 'database' | 'config' | 'clock'>,
  { owner: ownerText, deleted: isTrash = false, limit, cursor }: DocumentListInput,
): Promise<ListPage<'documents', DocumentRowView> | Refusal> {
  const { database } = context;
  const owner = ownerText === undefined ? null : await findUser(context, ownerText);
  if (isRefusal(owner)) return owner;
  const position = decodeCursor(cursor, ['']);
  if (isRefusal(position)) return position;
  const maximum = limit ?? Number.POSITIVE_INFINITY;
  const documents: DocumentRowView[] = [];
  for (let after = position?.[0] ?? ''; ; ) {
    // Reads one row more than a page, to detect whether there is a next page.
    const size = Math.min(MAX_COMMAND_PAGE, maximum - documents.length + 1);
    const part = { after, owner: owner?.id ?? null, limit: size };
    const rows = isTrash
      ? await readTrashPage(context, part)
      : (await database.read(documentsAfter(part))).map((row) => toDocumentRow({ ...row, deleted_at: null }));
    documents.push(...rows);
    if (rows.length < size || documents.length > maximum) break;
    after = rows.at(-1)?.id ?? after;
  }
  const shown = documents.slice(0, maximum);
  if (owner !== null && limit === undefined && cursor === undefined) {
    shown.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
  }
  return { documents: shown, nextCursor: documents.length > maximum ? encodeCursor([shown.at(-1)?.id ?? '']) : null };
}

async function readTrashPage(
  context: Pick<ServiceContext, 'database' | 'config' | 'clock'>,
  part: { readonly after: string; readonly owner: number | null; readonly limit: number },
): Promise<readonly DocumentRowView[]> {
  const rows = await context.database.read(trashedDocumentsAfter({ ...part, until: computeExpiryTime(context) }));
  return rows.map((row) => toDocumentRow({ ...row, id: row.document_id }));
}

type ListedDocumentRow = Omit<
  ReturnType<typeof documentsAfter> extends Query<infer R> ? R : never,
  'owner_email' | 'owner_name'
> & {
  readonly deleted_at: number | null;
};

function toDocumentRow(row: ListedDocumentRow): DocumentRowView {
  const { id, title, type, format, locale } = row;
  return {
    id,
    title,
    owner: row.owner_id,
    revisionId: String(row.revision),
    type,
    format,
    locale,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    deletedAt: row.deleted_at === null ? null : new Date(row.deleted_at).toISOString(),
  };
}
