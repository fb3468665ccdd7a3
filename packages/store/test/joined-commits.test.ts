import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import { accessUnchanged } from '../src/accounts/access-epoch.ts';
import { insertNumberedAudits, type NewAuditEntry } from '../src/audit/audit.ts';
import type { Database, Unit, UnitOutcome } from '../src/database/database.ts';
import { commitAt, insertCommit } from '../src/documents/commits.ts';
import { advanceDocument, recalculateDocument } from '../src/documents/documents.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { openSqlite } from '../src/sqlite/database.ts';
import { joinCommits, splitResults } from '../src/sqlite/joined-commits.ts';
import { runUnits } from '../src/sqlite/transaction.ts';
import { createEmptyDatabase } from './empty-database.ts';

const DOCUMENTS = ['a', 'b'];
const AT = 1_700_000_000_000;
const EPOCH = 1;

interface SentCommit {
  readonly document: string;
  readonly revision: number;
  /** The entries of the audit log, by the token that wrote them; null: the browser, whose entries the API does not list. */
  readonly tokens: readonly (string | null)[];
  /** The commit does not follow the newest commit. */
  readonly isStale: boolean;
  readonly isRecalculation: boolean;
  /** The access epoch of the sender's rights, if the unit checks it. */
  readonly senderEpoch: number | null;
}

/** Opens a database with documents at revision 0. */
function openDatabase(t: TestContext, writer: 'thread' | 'inline'): { database: Database; file: string } {
  const folder = createTemporaryFolder(t);
  createEmptyDatabase(folder);
  const database = openSqlite({ folder, writer });
  t.after(() => database.close());
  const file = join(folder, 'cellwire.db');
  const connection = new SqliteConnection(file);
  connection.db.exec(`
    insert into workspaces (name, plan, created_at) values ('W', 'standard', 0);
    insert into users (email, email_key, name, password_hash, workspace_id, created_at) values ('o', 'o', 'O', '', 1, 0);
  `);
  for (const id of DOCUMENTS) {
    connection.runStatement(
      `insert into documents (id, owner_id, title, type, format, locale, date_system, time_zone, revision, head,
        calculated_at, created_at, updated_at)
        values (?, 1, 'T', 'table', 'collaborative', 'en-US', 'google', 'UTC', 0, 'head 0', 0, 0, 0)`,
      [id],
    );
  }
  connection.close();
  return { database, file };
}

function createUnit({ document, revision, tokens, isStale, isRecalculation, senderEpoch }: SentCommit): Unit {
  const at = AT + revision;
  const head = `head ${revision}`;
  const parent = isStale ? 'another head' : `head ${revision - 1}`;
  const entries = tokens.map(
    (token, i): NewAuditEntry => createEntry(document, token, `Sheet1!A${revision}:B${i}`, at),
  );
  const move = {
    id: document,
    revision: revision - 1,
    head: parent,
    nextRevision: revision,
    nextHead: head,
    calculatedAt: at,
    committedAt: at,
    epoch: EPOCH,
    audited: entries.length,
    apiAudited: tokens.filter((token) => token !== null).length,
  };
  return {
    document,
    statements: [
      isRecalculation ? recalculateDocument(move) : advanceDocument(move),
      insertCommit({
        document_id: document,
        revision,
        head,
        parent,
        at,
        author_id: 1,
        origin: 'api',
        token_id: null,
        token_name: null,
        request_id: null,
        delta: Uint8Array.of(revision),
        areas: '{}',
        row_orders: null,
        structure: null,
        inverse: Uint8Array.of(7),
      }),
      ...insertNumberedAudits(entries),
      ...(senderEpoch === null ? [] : [accessUnchanged({ version: senderEpoch })]),
    ],
    proof: commitAt({ id: document, revision, head }),
  };
}

function createEntry(document: string, token: string | null, range: string, at: number): NewAuditEntry {
  return {
    document_id: document,
    action: 'update',
    origin: token === null ? 'browser' : 'api',
    user_id: 1,
    user_name: 'O',
    token_id: null,
    token_name: token,
    request_id: null,
    range,
    cells: 1,
    at,
    subject_id: null,
    subject_address: null,
    proposal: null,
  };
}

/** All rows that commits write. */
function readRows(file: string): unknown {
  const connection = new SqliteConnection(file);
  try {
    return ['documents', 'commits', 'audit'].map((table) =>
      connection.readRows(`select * from ${table} order by 1, 2`),
    );
  } finally {
    connection.close();
  }
}

const WRITE: SentCommit = {
  document: 'a',
  revision: 1,
  tokens: ['t'],
  isStale: false,
  isRecalculation: false,
  senderEpoch: null,
};

/** Commits with consecutive revisions of each document; refused commits take no revision. */
const commits = fc
  .array(
    fc.record({
      document: fc.constantFrom('a', 'a', 'a', 'b'),
      tokens: fc.array(fc.constantFrom('t', 'u', null), { maxLength: 3 }),
      isStale: fc.nat(9).map((n) => n === 0),
      isRecalculation: fc.boolean(),
      senderEpoch: fc.constantFrom(null, null, null, EPOCH, EPOCH - 1),
    }),
    { minLength: 4, maxLength: 12 },
  )
  .map((list) => {
    const revisions = new Map<string, number>();
    return list.map((drawn): SentCommit => {
      const { document, isStale, senderEpoch } = drawn;
      const revision = (revisions.get(document) ?? 0) + 1;
      if (!isStale && (senderEpoch ?? EPOCH) === EPOCH) revisions.set(document, revision);
      // All entries of a commit are listed by the API, or none.
      const [first] = drawn.tokens;
      return { ...drawn, tokens: drawn.tokens.filter((token) => (token === null) === (first === null)), revision };
    });
  });

test('commits that are sent together leave the same rows as commits that are sent one by one', async (t) => {
  await fc.assert(
    fc.asyncProperty(commits, async (list) => {
      const [together, alone] = [openDatabase(t, 'thread'), openDatabase(t, 'inline')];
      const outcomes = await Promise.all(list.map((commit) => together.database.write(createUnit(commit))));
      const expected: UnitOutcome[] = [];
      for (const commit of list) expected.push(await alone.database.write(createUnit(commit)));
      assert.deepEqual(outcomes.map(findConflict), expected.map(findConflict));
      assert.deepEqual(readRows(together.file), readRows(alone.file));
      await together.database.close();
      await alone.database.close();
    }),
    { numRuns: 15, examples: [[[WRITE, { ...WRITE, revision: 2, isRecalculation: true }]]] },
  );
});

function findConflict(outcome: UnitOutcome): string | null {
  return outcome.kind === 'conflict' ? outcome.conflict : null;
}

/** Commits to document `a`, each on top of the previous one. */
function createChain(): [Unit, Unit, Unit] {
  return [1, 2, 3].map((revision) => createUnit({ ...WRITE, revision })) as [Unit, Unit, Unit];
}

test('if one of several commits cannot be stored, none of them is, and the others can be sent again', async (t) => {
  const { database, file } = openDatabase(t, 'thread');
  const [first, second, third] = createChain();
  const [move, commit, ...entries] = third.statements;
  assert.ok(move !== undefined && commit !== undefined);
  // The origin of a commit must not be null.
  const parameters = commit.parameters.map((value) => (value === 'api' ? null : value));
  const broken = { ...third, statements: [move, { ...commit, parameters }, ...entries] };
  const conflict = { kind: 'conflict', conflict: 'revision' };
  const outcomes = await Promise.all([first, second, broken].map((unit) => database.write(unit)));
  assert.deepEqual(outcomes, [conflict, conflict, conflict]);
  assert.equal((await database.write(first)).kind, 'committed');
  assert.equal((await database.write(second)).kind, 'committed');
  await assert.rejects(database.write(broken), /NOT NULL/);
  const connection = new SqliteConnection(file);
  assert.deepEqual(connection.readRows("select revision, audited from documents where id = 'a'"), [
    { revision: 2, audited: 2 },
  ]);
  connection.close();
});

test('commits that are sent together fail with the database if the disk is full', (t) => {
  const connection = new SqliteConnection(openDatabase(t, 'inline').file);
  t.after(() => connection.close());
  const pages = connection.db.pragma('page_count', { simple: true });
  connection.db.pragma(`max_page_count = ${pages}`);
  const units = createChain().map(({ statements: [move, commit, ...entries], ...unit }): Unit => {
    assert.ok(move !== undefined && commit !== undefined);
    const parameters = commit.parameters.map((value) =>
      value instanceof Uint8Array ? new Uint8Array(100_000) : value,
    );
    return { ...unit, statements: [move, { ...commit, parameters }, ...entries] };
  });
  const joined = joinCommits(units);
  assert.equal(joined.length, 1);
  const results = splitResults(runUnits(connection, joined), joined);
  assert.deepEqual(
    results.map((result) => result.kind === 'failed' && result.code),
    ['SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL'],
  );
});
