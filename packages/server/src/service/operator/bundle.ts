import { randomUUID } from 'node:crypto';
import type { StoreLocation } from '@cellwire/store';
import { bumpAccessEpoch, toEmailKey } from '@cellwire/store/accounts';
import { removedDocument } from '@cellwire/store/audit';
import { documentById, unfinishedDocuments } from '@cellwire/store/documents';
import { queryUsersByEmail } from '@cellwire/store/transfer';
import { readBundleUsers, verifyBundle } from '../../documents/bundle/read.ts';
import type { BundleUserMapping } from '../../documents/bundle/rows.ts';
import { storeBundle } from '../../documents/bundle/store.ts';
import { writeBundle } from '../../documents/bundle/write.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import { type CreatedDocument, parseLocale } from '../document/store-document.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { refuseOnDamage } from './copy-tables.ts';
import { findUser } from './find-user.ts';
import { buildImportAudit, type DocumentContext, findDocument } from './new-document.ts';

/**
 * Exports a document for another installation: cells, history, shares and protections. Subscriptions and the audit log
 * are not exported, because they belong to this installation.
 */
export async function exportBundle(
  context: DocumentContext,
  document: string,
  path: string,
  store: StoreLocation,
): Promise<{ readonly bytes: number; readonly sheets: number } | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  return refuseOnDamage('to', async () => {
    const snapshot = await (await context.documents.open(row.id))?.readSnapshot();
    const bytes = await writeBundle(store, row.id, path, context.clock());
    if (!snapshot || bytes === null) return invalidRequest('document', `There is no document ${document}`);
    return { bytes, sheets: snapshot.sheets.length };
  });
}

interface BundleImportInput {
  readonly from: string;
  /** Id or e-mail address of the new owner. */
  readonly owner: string;
  /** Absent: the original title. */
  readonly title?: string | undefined;
  /** Keeps the original id if no document of this installation ever had it. */
  readonly keepId?: boolean | undefined;
}

interface ImportedBundle {
  readonly document: CreatedDocument;
  /**
   * E-mail addresses in the bundle that no user of this installation has. Shares of these users end, and their formulas
   * cannot read hidden values.
   */
  readonly unknownUsers: readonly string[];
}

/** Creates a document from a bundle. Users are matched by e-mail address. */
export async function importBundle(
  context: DocumentContext,
  input: BundleImportInput,
): Promise<ImportedBundle | Refusal> {
  const owner = await findUser(context, input.owner);
  if (isRefusal(owner)) return owner;
  return refuseOnDamage('from', async () => {
    const { users, unknownUsers } = await matchUsers(context, input.from);
    const { document, snapshot } = await verifyBundle(input.from, users);
    const title = input.title?.trim() ?? String(document['title']);
    if (title === '' || title.length > MAX_NAME_LENGTH) {
      return invalidRequest('title', `A title must have 1 to ${MAX_NAME_LENGTH} characters`);
    }
    const locale = parseLocale(String(document['locale']), context.config);
    if (isRefusal(locale)) return locale;
    const id = input.keepId ? String(document['id']) : randomUUID();
    if (input.keepId && (await hasExisted(context, id))) {
      return invalidRequest(
        'keepId',
        `There is, or was, a document ${id} here; omit --keep-id to import it with another id`,
      );
    }
    const extraStatements = [...buildImportAudit(id, owner, context.clock()), bumpAccessEpoch({})];
    await storeBundle(input.from, users, { id, ownerId: owner.id, title, extraStatements }, context);
    const type = document['type'] === 'text' ? 'text' : 'table';
    const format = document['format'] === 'legacy' ? 'legacy' : 'collaborative';
    const sheets = type === 'table' ? snapshot.sheets.map(({ name }) => name) : [];
    return { document: { id, title, type, format, locale, sheets }, unknownUsers };
  });
}

/**
 * The users of a bundle by their mail addresses in this database, and the addresses that it does not have, except the
 * owner's.
 */
async function matchUsers(
  { database }: DocumentContext,
  from: string,
): Promise<{ readonly users: BundleUserMapping; readonly unknownUsers: readonly string[] }> {
  const bundleUsers = await readBundleUsers(from);
  const keys = [...new Set(bundleUsers.users.map(({ email }) => toEmailKey(email)))];
  const found = keys.length === 0 ? [] : await database.read(queryUsersByEmail(keys));
  const byEmail = new Map(found.map((user) => [user.email_key, user.id]));
  const localIds = new Map(bundleUsers.users.map(({ id, email }) => [id, byEmail.get(toEmailKey(email)) ?? null]));
  const unknown = bundleUsers.users.filter(({ id }) => localIds.get(id) === null && id !== bundleUsers.owner);
  return {
    users: { owner: bundleUsers.owner, targetUsers: (id) => localIds.get(id) ?? null },
    unknownUsers: unknown.map(({ email }) => email),
  };
}

/** True if a document of this installation has or had the id: its audit log may still exist, and tokens may name it. */
async function hasExisted({ database }: DocumentContext, id: string): Promise<boolean> {
  const [existing, removed, unfinished] = await database.readAll([
    documentById({ id }),
    removedDocument({ id }),
    unfinishedDocuments({}),
  ]);
  return existing.length > 0 || removed.length > 0 || unfinished.some(({ document_id }) => document_id === id);
}
