import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as kept from '@cellwire/store/accounts';
import { accountEntriesBefore, auditOfUser, toEmailKey } from '@cellwire/store/accounts';
import yazl from 'yazl';
import { MAX_COMMAND_PAGE } from '../../limits/commands.ts';
import { type Actor, buildAccountEntry, OPERATOR } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { findUser } from './find-user.ts';
import { describeError, isSystemError } from './system-error.ts';

type ExportContext = Pick<ServiceContext, 'database' | 'clock'>;

interface ExportedPerson {
  readonly file: string;
  /** Number of documents that the user owns. */
  readonly documents: number;
  readonly auditEntries: number;
  readonly comments: number;
}

const PRIVATE_FILE = 0o600;
const LAST = Number.MAX_SAFE_INTEGER;

/** Writes all data of a user into a file that only its owner can read: one JSON file for each kind of data. */
export async function exportPerson(
  context: ExportContext,
  { user: text, to: file }: { readonly user: string; readonly to: string },
  actor: Actor = OPERATOR,
): Promise<ExportedPerson | Refusal> {
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  const { database, clock } = context;
  const { id } = user;
  const entries = { count: 0 };
  const documents = await database.read(kept.documentsForExport({ id }));
  const parts: Readonly<Record<string, Iterable<object> | AsyncIterable<object>>> = {
    account: await database.read(kept.accountForExport({ id })),
    sessions: await database.read(kept.sessionsForExport({ id })),
    tokens: await database.read(kept.tokensForExport({ id })),
    documents,
    trash: await database.read(kept.trashForExport({ id })),
    shares: await database.read(kept.sharesForExport({ id })),
    filters: await database.read(kept.filtersForExport({ id })),
    subscriptions: await database.read(kept.subscriptionsForExport({ id })),
    proposals: await database.read(kept.proposalsForExport({ id })),
    requests: await database.read(kept.requestCountsForExport({ id })),
    invitations: await database.read(kept.invitationsForExport({ id, email_key: toEmailKey(user.email) })),
    audit: countRows(readAuditEntries(context, id), entries),
    'account-log': readUserAccountLog(context, id),
    revisions: readUserRevisions(context, id),
    // Documents have no comments yet.
    comments: [],
  };
  try {
    await writeZip(file, parts);
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return invalidRequest('to', `${file} exists already`);
    if (!isSystemError(error)) throw error;
    return invalidRequest('to', describeError(error));
  }
  const note = { workspaceId: user.workspace_id, at: clock(), subject: { id, name: user.name } };
  await database.write({ document: null, statements: [buildAccountEntry(actor, { action: 'user.export', ...note })] });
  return { file, documents: documents.length, auditEntries: entries.count, comments: 0 };
}

async function writeZip(
  file: string,
  parts: Readonly<Record<string, Iterable<object> | AsyncIterable<object>>>,
): Promise<void> {
  await (await open(file, 'wx', PRIVATE_FILE)).close();
  try {
    const zip = new yazl.ZipFile();
    for (const [name, rows] of Object.entries(parts)) {
      zip.addReadStream(Readable.from(writeJsonList(rows), { objectMode: false }), `${name}.json`);
    }
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(file, { flags: 'r+' }));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

async function* writeJsonList(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const row of rows) {
    yield `${before}${JSON.stringify(row)}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

async function* countRows<T>(rows: AsyncIterable<T>, total: { count: number }): AsyncGenerator<T> {
  for await (const row of rows) {
    total.count++;
    yield row;
  }
}

async function* readAuditEntries({ database }: ExportContext, user: number): AsyncGenerator<object> {
  let [at, document, id] = [LAST, '\uffff', LAST];
  for (;;) {
    const rows = await database.read(auditOfUser({ user, at, document, id, limit: MAX_COMMAND_PAGE }));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    [at, document, id] = [last.at, last.document_id, last.id];
  }
}

async function* readUserAccountLog({ database }: ExportContext, user: number): AsyncGenerator<object> {
  let [at, id] = [LAST, LAST];
  for (;;) {
    const rows = await database.read(accountEntriesBefore({ user, at, id, limit: MAX_COMMAND_PAGE }));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    [at, id] = [last.at, last.id];
  }
}

async function* readUserRevisions({ database }: ExportContext, user: number): AsyncGenerator<object> {
  let [document, revision] = ['', 0];
  for (;;) {
    const rows = await database.read(
      kept.revisionsForExport({ id: user, document, revision, limit: MAX_COMMAND_PAGE }),
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    [document, revision] = [last.document_id, last.revision];
  }
}
