import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../test/depth.ts';
import { addOwner, createTemporaryFolder } from '../../server/test/documents/support.ts';
import { eraseAuditNames } from '../src/accounts/users.ts';
import { insertAudits, type NewAuditEntry } from '../src/audit/audit.ts';
import { auditPage, auditTokens, auditTotal } from '../src/audit/listed-entries.ts';
import { type Database, prepareQuery, type Statement } from '../src/database/database.ts';
import { sql } from '../src/database/dialect.ts';
import { insertDocument } from '../src/documents/documents.ts';
import { deleteOldAudit } from '../src/documents/retention.ts';
import { deleteDocumentRow } from '../src/documents/unfinished.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { openSqlite } from '../src/sqlite/database.ts';
import { migrate } from '../src/sqlite/migrate.ts';
import { STORES } from './stores.ts';

const ERASED = 'erased';
/** The migration that added runs of entries. */
const RUNS_MIGRATION = 32;
const OWNER_OF_OLDER_VERSION = `insert into workspaces (name, plan, created_at) values ('W', 'enterprise', 0);
  insert into users (email, email_key, name, password_hash, workspace_id, created_at) values ('o', 'o', 'O', '', 1, 0)`;
const DOCUMENT_OF_OLDER_VERSION = `insert into documents (id, owner_id, title, type, format, locale, date_system,
  time_zone, revision, head, calculated_at, created_at, updated_at)
  values (?, 1, 'Log', 'table', 'collaborative', 'en-US', '1900', 'UTC', 0, '', 0, 0, 0)`;
/** Offsets and limits of the pages that are compared. */
const PAGES = [
  [0, 50],
  [0, 3],
  [1, 2],
  [7, 5],
  [110, 20],
  [500, 10],
] as const;

/** Something that changes a document's log. */
type LogStep =
  | { readonly kind: 'log' | 'logByOlderVersion'; readonly author: LogAuthor; readonly count: number }
  | { readonly kind: 'expire'; readonly count: number }
  | { readonly kind: 'erase'; readonly user: number };

interface LogAuthor {
  readonly user: number;
  readonly token: string | null;
  readonly origin: string;
}

interface LoggedEntry extends LogAuthor {
  readonly id: number;
  readonly isListed: boolean;
}

const AUTHORS: readonly LogAuthor[] = [
  { user: 1, token: 'orders', origin: 'api' },
  { user: 1, token: 'stock', origin: 'api' },
  { user: 2, token: 'orders', origin: 'agent' },
  { user: 2, token: null, origin: 'operator' },
  { user: 1, token: null, origin: 'browser' },
  { user: 1, token: null, origin: 'command' },
];

const LOG_STEPS: fc.Arbitrary<readonly LogStep[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('log' as const),
        author: fc.constantFrom(...AUTHORS),
        count: fc.constantFrom(1, 1, 2, 5, 120),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('logByOlderVersion' as const),
        author: fc.constantFrom(...AUTHORS),
        count: fc.constantFrom(1, 2),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('expire' as const), count: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), user: fc.constantFrom(1, 2) }) },
  ),
  { maxLength: 14 },
);

const countRunStarts = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('audit')
    .select((eb) => eb.fn.count<number>('id').as('starts'))
    .where('document_id', '=', p.id)
    .where('run_start', 'is not', null),
);

function createEntry(document: string, { user, token, origin }: LogAuthor, at: number): NewAuditEntry {
  return {
    document_id: document,
    action: 'update',
    origin,
    user_id: user,
    user_name: `User ${user}`,
    token_id: token === null ? null : 1,
    token_name: token,
    request_id: null,
    range: 'A1',
    cells: 1,
    at,
    subject_id: null,
    subject_address: null,
    proposal: null,
  };
}

function isListed({ origin }: LogAuthor): boolean {
  return origin !== 'browser' && origin !== 'command';
}

/** Returns the statements with which the previous version logs one entry. */
function logAsOlderVersion(document: string, author: LogAuthor, at: number): readonly Statement[] {
  const { user, token, origin } = author;
  const listed = isListed(author) ? 1 : 0;
  return [
    {
      sql: 'update documents set audited = audited + 1, api_audited = api_audited + ? where id = ?',
      parameters: [listed, document],
    },
    {
      sql: `insert into audit (document_id, id, action, origin, user_id, user_name, token_name, "range", cells, at, api_number)
        select documents.id, audited, 'update', ?, ?, 'User', ?, 'A1', 1, ?, ${listed === 1 ? 'api_audited' : 'null'}
        from documents where id = ?`,
      parameters: [origin, user, token, at, document],
    },
  ];
}

/** A document's log in a database, and the entries that it must have. The time of an entry is its id. */
class TestedLog {
  entries: readonly LoggedEntry[] = [];
  private readonly database: Database;
  private readonly document: string;
  private last = 0;

  constructor(database: Database, document: string) {
    this.database = database;
    this.document = document;
  }

  async performStep(step: LogStep): Promise<void> {
    const { database, document } = this;
    switch (step.kind) {
      case 'log': {
        // The entries of a unit have the same time, as in the service.
        const entry = createEntry(document, step.author, this.last + 1);
        await database.write({ document, statements: insertAudits(Array(step.count).fill(entry)) });
        return this.addEntries(step.author, step.count);
      }
      case 'logByOlderVersion':
        for (let i = 0; i < step.count; i++) {
          await database.write({ document, statements: logAsOlderVersion(document, step.author, this.last + 1) });
          this.addEntries(step.author, 1);
        }
        return;
      case 'expire': {
        const limit = step.count;
        await database.write({ document, statements: [deleteOldAudit({ id: document, before: 1e9, limit })] });
        this.entries = this.entries.slice(limit);
        return;
      }
      case 'erase': {
        const { user } = step;
        const names = { document_id: document, user_id: user, from: 0, to: this.last, name: 'x', token: ERASED };
        await database.write({ document, statements: [eraseAuditNames(names)] });
        this.entries = this.entries.map((entry) =>
          entry.user === user && entry.token !== null ? { ...entry, token: ERASED } : entry,
        );
      }
    }
  }

  /** Checks that pages, total and token names are those of all remaining entries. */
  async check(): Promise<void> {
    const { database, document } = this;
    const listed = this.entries.filter((entry) => entry.isListed).toReversed();
    for (const [offset, limit] of PAGES) {
      const page = await database.read(auditPage({ document_id: document, offset, limit }));
      assert.deepEqual(
        page.map(({ id }) => id),
        listed.slice(offset, offset + limit).map(({ id }) => id),
        `entries ${offset} to ${offset + limit}`,
      );
    }
    assert.equal((await database.readOne(auditTotal({ document_id: document })))?.total, listed.length);
    const tokens = new Set(listed.flatMap(({ token }) => token ?? []));
    assert.deepEqual(
      (await database.read(auditTokens({ document_id: document }))).map((row) => row.token_name),
      [...tokens].toSorted(),
    );
  }

  /** Records entries that the log must have. */
  addEntries(author: LogAuthor, count: number): void {
    const added = Array.from({ length: count }, (_, i) => ({
      ...author,
      id: this.last + 1 + i,
      isListed: isListed(author),
    }));
    this.entries = [...this.entries, ...added];
    this.last += count;
  }
}

async function createLog(database: Database): Promise<{ readonly log: TestedLog; readonly document: string }> {
  const document = randomUUID();
  const row = {
    id: document,
    owner_id: 1,
    title: 'Log',
    type: 'table',
    format: 'collaborative',
    locale: 'en-US',
    date_system: '1900',
    time_zone: 'UTC',
    revision: 0,
    head: '',
    calculated_at: 0,
    created_at: 0,
    updated_at: 0,
    committed_at: 0,
    input_locale: null,
  } as const;
  await database.write({ document, statements: [insertDocument(row)] });
  return { log: new TestedLog(database, document), document };
}

for (const [name, createStore] of Object.entries(STORES)) {
  test(`${name}: pages, total and token names match the entries after any changes of the log`, async (t) => {
    const database = await (await createStore(t)).open();
    t.after(() => database.close());
    await addOwner(database);
    await fc.assert(
      fc.asyncProperty(LOG_STEPS, async (steps) => {
        const { log, document } = await createLog(database);
        for (const step of steps) {
          await log.performStep(step);
          await log.check();
        }
        await database.write({ document, statements: [deleteDocumentRow({ id: document })] });
        await log.check();
      }),
      { numRuns: scaleRunCount(60) },
    );
  });
}

for (const [name, createStore] of Object.entries(STORES)) {
  test(`${name}: only the first of consecutive entries by one user and token is in the indexes of the log`, async (t) => {
    const database = await (await createStore(t)).open();
    t.after(() => database.close());
    await addOwner(database);
    const { log, document } = await createLog(database);
    const [author] = AUTHORS as [LogAuthor];
    for (const count of [1, 1, 2, 230, 1]) await log.performStep({ kind: 'log', author, count });
    assert.equal((await database.readOne(countRunStarts({ id: document })))?.starts, 3);
  });
}

test('the log of a database of the previous version is read and continued', async (t) => {
  const folder = createTemporaryFolder(t);
  const connection = new SqliteConnection(join(folder, 'cellwire.db'));
  migrate(
    connection,
    MIGRATIONS.filter(({ id }) => id < RUNS_MIGRATION),
  );
  connection.db.exec(OWNER_OF_OLDER_VERSION);
  const document = randomUUID();
  connection.runStatement(DOCUMENT_OF_OLDER_VERSION, [document]);
  for (const author of [...AUTHORS, ...AUTHORS.toReversed()])
    for (const { sql: text, parameters } of logAsOlderVersion(document, author, 1))
      connection.runStatement(text, parameters);
  connection.close();
  const database = openSqlite({ folder, writer: 'inline' });
  t.after(() => database.close());
  const log = new TestedLog(database, document);
  for (const author of [...AUTHORS, ...AUTHORS.toReversed()]) log.addEntries(author, 1);
  await log.check();
  for (const author of AUTHORS) await log.performStep({ kind: 'log', author, count: 2 });
  await log.check();
});
