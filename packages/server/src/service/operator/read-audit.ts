import type { Database, Query } from '@cellwire/store';
import {
  accountEntriesBefore,
  auditOfDocument,
  auditOfUser,
  documentCreationEntry,
  userById,
  userIds,
} from '@cellwire/store/accounts';
import { toShownOrigin } from '@cellwire/store/audit';
import { MAX_COMMAND_PAGE } from '../../limits/commands.ts';
import { DEFAULT_AUDIT_PAGE } from '../../limits/requests.ts';
import type { ServiceContext } from '../context.ts';
import { parseAuditedProposal } from '../history/audit-log.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { findLoggedDocument } from './audit.ts';
import { findUser } from './find-user.ts';
import { decodeCursor, encodeCursor, type ListPage, type ListPageRequest } from './paging.ts';

/** An entry of a document's log or of the log of accounts. */
interface InstallationEntry {
  /** Counts separately in each document and in the log of accounts. */
  readonly id: number;
  /** Null: an entry about accounts. */
  readonly document: string | null;
  readonly action: string;
  readonly origin: string;
  /** Null: the operator, or an unknown person. */
  readonly userId: number | null;
  readonly userName: string;
  readonly token: string;
  readonly requestId: string | null;
  readonly properties: Readonly<Record<string, string | number | { readonly id: number; readonly name: string }>>;
  /** ISO 8601. */
  readonly createdAt: string;
}

interface AuditRequest extends ListPageRequest {
  readonly document?: string | undefined;
  /** Number of entries to skip. */
  readonly offset?: number | undefined;
  /** Id or e-mail address of the acting user or of the subject. */
  readonly user?: string | undefined;
}

/** The sort key of an entry: time, document (empty for accounts), number. */
type AuditPosition = readonly [at: number, document: string, id: number];
interface PositionedEntry {
  readonly position: AuditPosition;
  readonly entry: InstallationEntry;
}

const END: AuditPosition = [Number.MAX_SAFE_INTEGER, '\uffff', Number.MAX_SAFE_INTEGER];

/** The log of the installation, of a document or of a user, newest first, including edits in the browser. */
export async function readInstallationAudit(
  { database }: Pick<ServiceContext, 'database'>,
  { document, user: userText, offset = 0, limit: wanted = DEFAULT_AUDIT_PAGE, cursor }: AuditRequest,
): Promise<ListPage<'entries', InstallationEntry> | Refusal> {
  const position = decodeCursor(cursor, [0, '', 0]);
  if (isRefusal(position)) return position;
  const user = userText === undefined ? null : await findUser({ database }, userText);
  if (isRefusal(user)) return user;
  const limit = Math.min(Math.max(1, wanted), MAX_COMMAND_PAGE);
  const id = user?.id ?? null;
  const readEntriesBefore = (before: AuditPosition, count: number) =>
    document === undefined
      ? readAllEntries(database, { user: id, before, limit: count })
      : readDocumentEntries(database, document, { user: id, before, limit: count });
  let before = position ?? END;
  for (let skipped = 0; skipped < offset; ) {
    const count = Math.min(offset - skipped, MAX_COMMAND_PAGE);
    const passed = await readEntriesBefore(before, count);
    if (isRefusal(passed)) return passed;
    const last = passed.at(-1);
    if (last === undefined) return { entries: [], nextCursor: null };
    before = last.position;
    skipped += passed.length;
  }
  // Reads one entry more than a page, to detect whether there is a next page.
  const found = await readEntriesBefore(before, limit + 1);
  if (isRefusal(found)) return found;
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    entries: shown.map(({ entry }) => entry),
    nextCursor: found.length > limit && last !== undefined ? encodeCursor(last.position) : null,
  };
}

interface AuditSelection {
  readonly user: number | null;
  readonly before: AuditPosition;
  readonly limit: number;
}

/** The newest entries in the log of a document, then its creation. `text`: the id of the document. */
async function readDocumentEntries(
  database: Database,
  text: string,
  { user, before, limit }: AuditSelection,
): Promise<readonly PositionedEntry[] | Refusal> {
  const logged = await findLoggedDocument(database, text);
  if (isRefusal(logged)) return logged;
  const { id: document, ownerId } = logged;
  const rows = await database.read(auditOfDocument({ document, user, before: before[2], limit }));
  const entries = rows.map(toDocumentEntry);
  if (rows.length === limit || before[2] === 0) return entries;
  // The creation of a document by a command is in the log of accounts.
  const owner = await database.readOne(userById({ id: ownerId }));
  const creations = await database.read(documentCreationEntry({ document, workspace: owner?.workspace_id ?? 0, user }));
  return [...entries, ...creations.map(toAccountEntry).map(({ entry }) => toCreationEntry(document, entry))];
}

/** The entry of a document's creation. It sorts before the first entry of the document's own log. */
function toCreationEntry(document: string, entry: InstallationEntry): PositionedEntry {
  return { position: [0, document, 0], entry: { ...entry, document } };
}

/**
 * The newest entries about all documents and accounts. Each user's newest entries about documents are found with an
 * index; the newest of all are among them.
 */
async function readAllEntries(
  database: Database,
  { user, before, limit }: AuditSelection,
): Promise<readonly PositionedEntry[]> {
  const [at, document, id] = before;
  const users = user === null ? (await database.read(userIds({}))).map((row) => row.id) : [user];
  let newest: readonly PositionedEntry[] = [];
  for (const one of users) {
    const rows = await database.read(auditOfUser({ user: one, at, document, id, limit }));
    newest = mergeEntries(newest, rows.map(toDocumentEntry), limit);
  }
  // Entries about accounts have an empty document: at equal times they follow entries about documents.
  const accounts = { at, id: document === '' ? id : Number.MAX_SAFE_INTEGER, user, limit };
  const rows = await database.read(accountEntriesBefore(accounts));
  return mergeEntries(newest, rows.map(toAccountEntry), limit);
}

/** The newest entries of both lists, at most `limit`. */
function mergeEntries(
  some: readonly PositionedEntry[],
  others: readonly PositionedEntry[],
  limit: number,
): readonly PositionedEntry[] {
  if (others.length === 0) return some;
  return [...some, ...others].sort((a, b) => comparePositions(b.position, a.position)).slice(0, limit);
}

/** Compares by time, then by document, then by number. */
function comparePositions([at, document, id]: AuditPosition, [otherAt, otherDocument, otherId]: AuditPosition): number {
  if (at !== otherAt) return at - otherAt;
  if (document !== otherDocument) return document < otherDocument ? -1 : 1;
  return id - otherId;
}

type DocumentEntryRow = ReturnType<typeof auditOfUser> extends Query<infer R> ? R : never;

function toDocumentEntry(row: DocumentEntryRow): PositionedEntry {
  const webhook = row.subject_id === null ? {} : { webhook: row.subject_id };
  const address = row.subject_address === null ? {} : { address: row.subject_address };
  return {
    position: [row.at, row.document_id, row.id],
    entry: {
      id: row.id,
      document: row.document_id,
      action: row.action,
      origin: toShownOrigin(row.origin),
      userId: row.user_id,
      userName: row.user_name,
      token: row.token_name ?? '',
      requestId: row.request_id,
      properties: { range: row.range, cells: row.cells, ...webhook, ...address, ...parseAuditedProposal(row) },
      createdAt: new Date(row.at).toISOString(),
    },
  };
}

type AccountEntryRow = ReturnType<typeof accountEntriesBefore> extends Query<infer R> ? R : never;

function toAccountEntry(row: AccountEntryRow): PositionedEntry {
  const subject = row.subject_id === null ? {} : { userId: row.subject_id, userName: row.subject };
  return {
    position: [row.at, '', row.id],
    entry: {
      id: row.id,
      document: null,
      action: row.action,
      origin: row.origin,
      userId: row.user_id,
      userName: row.user_name,
      token: '',
      requestId: null,
      properties: { ...subject, detail: row.detail, address: row.address },
      createdAt: new Date(row.at).toISOString(),
    },
  };
}
