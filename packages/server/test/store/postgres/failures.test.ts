import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Database } from '@cellwire/store';
import { prepareQuery, prepareStatement } from '../../../../store/src/database/database.ts';
import { sql } from '../../../../store/src/database/dialect.ts';
import { PostgresConnection } from '../../../../store/src/postgres/connection.ts';
import { ConnectionPool } from '../../../../store/src/postgres/connection-pool.ts';
import { openPostgres } from '../../../../store/src/postgres/database.ts';
import { lockStatements } from '../../../../store/src/postgres/locks.ts';
import { DatabaseProxy } from '../../../../store/test/postgres/database-proxy.ts';
import { createSchema, getPostgresUrl, runSql } from '../../../../store/test/postgres/server.ts';
import { openDocuments } from '../../../src/documents/documents.ts';
import { createReadinessCheck } from '../../../src/service/health.ts';
import {
  addOwner,
  createDocument,
  LIMITS,
  openDocument,
  readSnapshot,
  readValue,
  setValue,
} from '../../documents/support.ts';

/** A second execution writes another value. */
const insertOrMarkTwice = prepareStatement((p: { name: string }) =>
  sql
    .insertInto('meta')
    .values({ name: p.name, value: '1' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: 'twice' })),
);
const allMetas = prepareQuery(() => sql.selectFrom('meta').selectAll().orderBy('name'));

async function openBehindProxy(
  t: TestContext,
): Promise<{ readonly database: Database; readonly proxy: DatabaseProxy }> {
  const schema = await createSchema();
  const proxy = await DatabaseProxy.start(schema.url);
  const database = await openPostgres({ url: proxy.url, connections: 2 });
  t.after(async () => {
    await database.close();
    await proxy.close();
    await schema.remove();
  });
  return { database, proxy };
}

function createUnit(name: string) {
  return { document: null, statements: [insertOrMarkTwice({ name })] };
}

for (const when of ['before commit', 'after commit'] as const) {
  test(`a unit whose connection is cut ${when} is written once`, async (t) => {
    const { database, proxy } = await openBehindProxy(t);
    proxy.cutAtCommit(when);
    const outcomes = await Promise.all([database.write(createUnit('a')), database.write(createUnit('b'))]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['committed', 'committed'],
    );
    assert.deepEqual(await database.read(allMetas({})), [
      { name: 'a', value: '1' },
      { name: 'b', value: '1' },
    ]);
  });
}

/** Creates a document whose writer uses a proxy, and a direct connection to the database. */
async function createDocumentBehindProxy(t: TestContext) {
  const schema = await createSchema();
  const proxy = await DatabaseProxy.start(schema.url);
  const [database, direct] = await Promise.all([
    openPostgres({ url: proxy.url, connections: 2 }),
    openPostgres({ url: schema.url, connections: 2 }),
  ]);
  const environment = { database, clock: Date.now, limits: LIMITS, onError: () => {} };
  const documents = openDocuments(environment);
  t.after(async () => {
    await documents.close();
    await database.close();
    await direct.close();
    await proxy.close();
    await schema.remove();
  });
  await addOwner(direct);
  const id = await createDocument(documents);
  return { wire: proxy, id, direct, document: await openDocument(documents, id) };
}

const revisions = prepareQuery((p: { id: string }) =>
  sql.selectFrom('commits').select('revision').where('document_id', '=', p.id).orderBy('revision'),
);

for (const when of ['before commit', 'after commit', 'late'] as const) {
  test(`commits in one transaction whose connection is cut are written once: ${when}`, async (t) => {
    const { wire: proxy, id, direct, document } = await createDocumentBehindProxy(t);
    const before = await direct.read(revisions({ id }));
    proxy.cutAtCommit(when);
    const results = await Promise.all([1, 2, 3].map((row) => document.write(setValue(row, 0, row))));
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ['written', 'written', 'written'],
    );
    assert.equal(proxy.isWaitingToCut, false);
    proxy.deliverCommit();
    assert.equal((await document.write(setValue(4, 0, 4))).kind, 'written');
    const after = await direct.read(revisions({ id }));
    assert.deepEqual(
      after.map(({ revision }) => revision),
      Array.from({ length: before.length + 4 }, (_, i) => i + 1),
    );
    const snapshot = await readSnapshot(document);
    assert.deepEqual(
      [1, 2, 3, 4].map((row) => readValue(snapshot, row, 0)),
      [1, 2, 3, 4],
    );
  });
}

test('connections that are cut while unused are replaced', async (t) => {
  const { database, proxy } = await openBehindProxy(t);
  await Promise.all([database.write(createUnit('a')), database.read(allMetas({}))]);
  proxy.closeConnections();
  assert.equal((await database.read(allMetas({}))).length, 1);
  proxy.closeConnections();
  assert.equal((await database.write(createUnit('b'))).kind, 'committed');
  proxy.closeConnections();
  assert.deepEqual(await database.readLatest(allMetas({})), { name: 'a', value: '1' });
});

test('while the database is down, reads and writes report UNAVAILABLE, and later succeed', async (t) => {
  const { database, proxy } = await openBehindProxy(t);
  await database.write(createUnit('a'));
  proxy.refuseConnections();
  await assert.rejects(database.write(createUnit('b')), { name: 'StoreError', code: 'UNAVAILABLE' });
  await assert.rejects(database.read(allMetas({})), { code: 'UNAVAILABLE' });
  await assert.rejects(async () => database.readLatest(allMetas({})), { code: 'UNAVAILABLE' });
  await assert.rejects(database.readAll([allMetas({})]), { code: 'UNAVAILABLE' });
  proxy.restore();
  assert.equal((await database.write(createUnit('c'))).kind, 'committed');
  assert.deepEqual(
    (await database.read(allMetas({}))).map(({ name }) => name),
    ['a', 'c'],
  );
});

test('a slow commit does not make other nodes unready', { timeout: 60_000 }, async (t) => {
  const { database, proxy } = await openBehindProxy(t);
  const slow = await PostgresConnection.open(proxy.url);
  t.after(() => slow.close());
  await slow.sendStatement('begin');
  for (const { sql: lock } of lockStatements(null, 'shared')) await slow.sendStatement(lock);
  assert.equal(await createReadinessCheck({ database, folder: null, timeoutMs: 30_000 })(), true);
  await slow.sendStatement('rollback');
});

test('a read-only database is unavailable for writes', async (t) => {
  const { database, proxy } = await openBehindProxy(t);
  await database.write(createUnit('a'));
  const url = new URL(proxy.url);
  url.searchParams.set('options', `${url.searchParams.get('options')} -c default_transaction_read_only=on`);
  const readOnly = await openPostgres({ url: url.href, connections: 1 });
  assert.equal((await readOnly.read(allMetas({}))).length, 1);
  await assert.rejects(readOnly.write(createUnit('b')), { code: 'UNAVAILABLE' });
  await readOnly.close();
});

test('a caller that waits too long for a connection gets UNAVAILABLE', { timeout: 60_000 }, async (t) => {
  const schema = await createSchema();
  const pool = new ConnectionPool(schema.url, 1, 200);
  t.after(() => schema.remove());
  const busy = Promise.withResolvers<void>();
  const slow = pool.runWithConnection(() => busy.promise);
  const selectOne = () => pool.read((link) => link.sendStatement('select 1 as one'));
  for (let i = 0; i < 2; i++) {
    const refused = await Promise.allSettled([selectOne(), selectOne()]);
    assert.deepEqual(
      refused.map((one) => (one.status === 'rejected' ? one.reason.code : one.status)),
      ['UNAVAILABLE', 'UNAVAILABLE'],
    );
  }
  busy.resolve();
  await slow;
  assert.equal((await selectOne()).count, 1);
  await pool.close();
});

test('a node continues with its existing connections if the server refuses more', {
  timeout: 60_000,
}, async (t) => {
  const url = await getPostgresUrl();
  const name = `limited_${randomBytes(8).toString('hex')}`;
  await runSql(url, `create role ${name} login connection limit 2 password '${name}'`);
  const pool = new ConnectionPool(formatRoleUrl(url, name), 5);
  t.after(async () => {
    await pool.close();
    await runSql(url, `drop role ${name}`);
  });
  const selectOne = () => pool.read((link) => link.sendStatement('select 1 as one'));
  const results = await Promise.all(Array.from({ length: 8 }, selectOne));
  assert.deepEqual(
    results.map(({ count: insertOrMarkTwice }) => insertOrMarkTwice),
    Array(8).fill(1),
  );
});

test('a server that refuses logins is unavailable until it accepts them', { timeout: 60_000 }, async (t) => {
  const url = await getPostgresUrl();
  const name = `kept_out_${randomBytes(8).toString('hex')}`;
  await runSql(url, `create role ${name} login password '${name}'`);
  const pool = new ConnectionPool(formatRoleUrl(url, name), 2);
  t.after(async () => {
    await pool.close();
    await runSql(url, `drop role ${name}`);
  });
  const selectOne = () => pool.read((link) => link.sendStatement('select 1 as one'));
  assert.equal((await selectOne()).count, 1);
  await runSql(url, `alter role ${name} nologin`);
  await runSql(url, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = '${name}'`);
  await assert.rejects(selectOne(), { name: 'StoreError', code: 'UNAVAILABLE', message: /not permitted to log in/ });
  await runSql(url, `alter role ${name} login`);
  assert.equal((await selectOne()).count, 1);
});

test('a server out of memory refuses one statement, and the connection remains usable', async (t) => {
  const link = await PostgresConnection.open(await getPostgresUrl());
  t.after(() => link.close());
  const failingStatement = "do $$ begin raise exception 'out of shared memory' using errcode = '53200'; end $$";
  await assert.rejects(link.sendStatement(failingStatement), { name: 'StoreError', code: 'UNAVAILABLE' });
  assert.equal(link.isBroken, false);
  assert.equal((await link.sendStatement('select 1 as one')).count, 1);
});

/** Formats the address of the same server for a role whose password is its name. */
function formatRoleUrl(url: string, name: string): string {
  const roleUrl = new URL(url);
  roleUrl.username = name;
  roleUrl.password = name;
  return roleUrl.href;
}
