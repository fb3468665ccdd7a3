import { createHash } from 'node:crypto';
import {
  type DocumentListFilter,
  type DocumentListRow,
  documentsChangedSince,
  listedDocument,
  listedDocuments,
} from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import type { Role } from '../../access/roles.ts';
import { DOCUMENT_LIST_PART, MAX_DOCUMENTS_PAGE } from '../../limits/documents.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

/** A document in the form of the API. */
export interface DocumentView {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: Role;
  /** The revision counter as decimal text. */
  readonly revisionId: string;
  /** Time in ISO 8601, like `updatedAt`. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Day zero of the document's date serial numbers. */
  readonly dateSystem: '1899-12-30' | '1900' | '1904';
  /** Number of writes that wait for approval. */
  readonly openProposals: number;
}

interface DocumentFilter {
  readonly type?: string | undefined;
  readonly permission?: Role | undefined;
}

interface DocumentPage extends DocumentFilter {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A list of documents as JSON in pieces of text or UTF-8, and a hash of it and of the documents' commits. */
export interface DocumentList {
  readonly pieces: readonly (string | Uint8Array)[];
  readonly hash: string;
}

/** Filter of lists that are not answers of the API. */
export interface DocumentSearch extends DocumentFilter {
  /** The exact title. */
  readonly title?: string | undefined;
}

type ListContext = Pick<ServiceContext, 'database' | 'clock'>;

/**
 * Every document that the caller's token can open, the most recently changed first. Rows are read and written in
 * batches, because an installation may have a hundred thousand documents and other requests must not wait.
 */
export async function listDocuments(
  { database, clock }: ListContext,
  caller: Caller,
  filter: DocumentFilter,
): Promise<DocumentList> {
  const writer = new ListWriter();
  for await (const rows of readRowsInBatches({ database, clock }, caller, filter)) writer.addRows(rows);
  return writer.finishList('');
}

/** The same documents in batches, for callers that filter or shorten the list. */
export async function* readDocumentsInBatches(
  context: ListContext,
  caller: Caller,
  search: DocumentSearch,
): AsyncGenerator<readonly DocumentView[]> {
  for await (const rows of readRowsInBatches(context, caller, search)) {
    yield rows.map((row) => toDocumentView(row, row.role));
  }
}

/** The rows of all documents that the caller can open, in batches. */
function readRowsInBatches(
  { database, clock }: ListContext,
  caller: Caller,
  search: DocumentSearch,
): AsyncIterable<readonly DocumentListRow[]> {
  const all = listedDocuments(toListFilter(caller, search, clock()), { until: null, after: null, limit: null });
  return database.readInBatches(all, DOCUMENT_LIST_PART);
}

/**
 * A page of the list. Its cursor holds the time of the first page: documents that change while the caller pages are
 * omitted from the later pages and follow after the last one, by id. A document may occur twice, but is never missing.
 */
export async function readDocumentPage(
  { database, clock }: ListContext,
  caller: Caller,
  { limit: requested = MAX_DOCUMENTS_PAGE, cursor: text, ...filter }: DocumentPage,
): Promise<DocumentList | Refusal> {
  const limit = Math.min(requested, MAX_DOCUMENTS_PAGE);
  const cursor = text === undefined ? null : parseCursor(text, filter);
  if (isRefusal(cursor)) return cursor;
  const listFilter = toListFilter(caller, filter, clock());
  const rows: DocumentListRow[] = [];
  let until = cursor?.until ?? null;
  if (cursor === null || cursor.phase === 'listed') {
    const after = cursor === null ? null : { updatedAt: cursor.updatedAt, id: cursor.id };
    const [listed] = await database.readInBackground([listedDocuments(listFilter, { until, after, limit: limit + 1 })]);
    until ??= listed[0]?.updated_at ?? 0;
    rows.push(...listed);
  }
  const listedRows = rows.length;
  if (rows.length <= limit && cursor !== null) {
    const after = cursor.phase === 'changed' ? cursor.id : '';
    const more = { since: until ?? 0, after, limit: limit + 1 - rows.length };
    const [changedDocuments] = await database.readInBackground([documentsChangedSince(listFilter, more)]);
    rows.push(...changedDocuments);
  }
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const phase = page.length > listedRows ? 'changed' : 'listed';
  const next =
    rows.length > limit && last !== undefined
      ? encodeListCursor({ phase, until: until ?? 0, updatedAt: last.updated_at, id: last.id }, filter)
      : null;
  const writer = new ListWriter();
  writer.addRows(page);
  return writer.finishList(`,"nextCursor":${JSON.stringify(next)}`);
}

/** The caller and the search as parameters of the list's query. */
function toListFilter(
  { userId, documents }: Caller,
  { type, permission, title }: DocumentSearch,
  now: number,
): DocumentListFilter {
  return {
    now,
    user: userId,
    roles: toMatchingRoles(permission),
    type: type ?? null,
    title: title ?? null,
    only: documents === null ? null : [...documents],
  };
}

/** `edit` matches documents that can be written, including the caller's own; other values match exactly. */
function toMatchingRoles(permission: Role | undefined): readonly Role[] | null {
  if (permission === undefined) return null;
  return permission === 'edit' ? ['owner', 'edit'] : [permission];
}

/** Writes rows as JSON. Each batch is encoded when it is read, because all of them at once would take too long. */
class ListWriter {
  private readonly hash = createHash('sha256');
  private readonly pieces: (string | Uint8Array)[] = ['{"documents":['];
  private isEmpty = true;

  /** Appends rows to the JSON text and to the hash of the list. */
  addRows(rows: readonly DocumentListRow[]): void {
    if (rows.length === 0) return;
    const text = rows.map((row) => JSON.stringify(toDocumentView(row, row.role))).join(',');
    const bytes = Buffer.from(this.isEmpty ? text : `,${text}`);
    this.hash.update(rows.map(({ head }) => head).join()).update(bytes);
    this.pieces.push(bytes);
    this.isEmpty = false;
  }

  /** Ends the JSON of the list. `moreMembers` are further members of the response, as JSON text. */
  finishList(moreMembers: string): DocumentList {
    this.pieces.push(`]${moreMembers}}`);
    return { pieces: this.pieces, hash: this.hash.update(moreMembers).digest('hex') };
  }
}

/** The position of the next page. */
interface ListCursor {
  readonly phase: 'listed' | 'changed';
  /** Milliseconds: the change time of the first page's most recently changed document. */
  readonly until: number;
  readonly updatedAt: number;
  readonly id: string;
}

const PHASES = { l: 'listed', c: 'changed' } as const;
const CURSOR = /^([lc]) (\d{1,16}) (\d{1,16}) ([0-9a-f-]{36}) (.*)$/;

/** The cursor of the next page, which is valid for lists with the same filter only. */
function encodeListCursor({ phase, until, updatedAt, id }: ListCursor, filter: DocumentFilter): string {
  return Buffer.from(`${phase[0]} ${until} ${updatedAt} ${id} ${formatFilter(filter)}`).toString('base64url');
}

function parseCursor(text: string, filter: DocumentFilter): ListCursor | Refusal {
  const [, phase, until, updatedAt, id, of] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (id === undefined || of !== formatFilter(filter)) {
    return invalidRequest('cursor', 'cursor must be the nextCursor of a page of the same list');
  }
  return { phase: PHASES[phase as 'l' | 'c'], until: Number(until), updatedAt: Number(updatedAt), id };
}

/** A text that is equal for equal filters, so that a cursor can be checked against its list. */
function formatFilter({ type, permission }: DocumentFilter): string {
  return JSON.stringify([type ?? null, permission ?? null]);
}

export async function getDocument(
  context: ServiceContext,
  { documentId, role }: DocumentAccess,
): Promise<{ readonly document: DocumentView; readonly head: string } | Refusal> {
  const row = await context.database.readOne(listedDocument({ id: documentId, now: context.clock() }));
  return row === null ? DOCUMENT_NOT_FOUND : { document: toDocumentView(row, role), head: row.head };
}

export function toDocumentView(row: Omit<DocumentListRow, 'head' | 'role'>, permission: Role): DocumentView {
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    permission,
    revisionId: String(row.revision),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    dateSystem: row.date_system === 'google' ? '1899-12-30' : row.date_system,
    openProposals: row.open_proposals,
  };
}
