import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Database } from '@cellwire/store';
import { prepare, prepareStatement } from '../../../../store/src/database/database.ts';
import { sql } from '../../../../store/src/database/dialect.ts';
import { PostgresConnection } from '../../../../store/src/postgres/connection.ts';
import { ConnectionPool } from '../../../../store/src/postgres/connection-pool.ts';
import { openPostgres } from '../../../../store/src/postgres/database.ts';
import { lockStatements } from '../../../../store/src/postgres/locks.ts';
import { DatabaseProxy } from '../../../../store/test/postgres/database-proxy.ts';
import { createSchema, postgresUrl, runSql } from '../../../../store/test/postgres/server.ts';
import { openDocuments } from '../../../src/documents/documents.ts';
import { readiness } from '../../../src/service/health.ts';
import { addOwner, LIMITS, newDocument, openDocument, setValue, snapshotOf, valueAt } from '../../documents/support.ts';

/** Not the same when it is done twice. */
const count = prepareStatement((p: { name: string }) =>
  sql
    .insertInto('meta')
    .values({ name: p.name, value: '1' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: 'twice' })),
);
const all = prepare(() => sql.selectFrom('meta').selectAll().orderBy('name'));

async function behindWire(t: TestContext): Promise<{ readonly database: Database; readonly wire: DatabaseProxy }> {
  const place = await createSchema();
  const wire = await DatabaseProxy.to(place.url);
  const database = await openPostgres({ url: wire.url, connections: 2 });
  t.after(async () => {
    await database.close();
    await wire.close();
    await place.remove();
  });
  return { database, wire };
}

function unit(name: string) {
  return { document: null, statements: [count({ name })] };
}

for (const when of ['before commit', 'after commit'] as const) {
  test(`a unit whose connection is cut ${when} is written once`, async (t) => {
    const { database, wire } = await behindWire(t);
    wire.cutAtCommit(when);
    const outcomes = await Promise.all([database.write(unit('a')), database.write(unit('b'))]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['committed', 'committed'],
    );
    assert.deepEqual(await database.read(all({})), [
      { name: 'a', value: '1' },
      { name: 'b', value: '1' },
    ]);
  });
}

/** A document whose writer is behind a wire, and what anybody sees in the database. */
async function documentBehindWire(t: TestContext) {
  const place = await createSchema();
  const wire = await DatabaseProxy.to(place.url);
  const [database, direct] = await Promise.all(
    [wire.url, place.url].map((url) => openPostgres({ url, connections: 2 })),
  );
  const environment = { database, clock: Date.now, limits: LIMITS, onError: () => {} };
  const documents = openDocuments(environment);
  t.after(async () => {
    await documents.close();
    await database.close();
    await direct.close();
    await wire.close();
    await place.remove();
  });
  await addOwner(direct);
  const id = await newDocument(documents);
  return { wire, id, direct, document: await openDocument(documents, id) };
}

const revisions = prepare((p: { id: string }) =>
  sql.selectFrom('commits').select('revision').where('document_id', '=', p.id).orderBy('revision'),
);

for (const when of ['before commit', 'after commit', 'late'] as const) {
  test(`commits that share a transaction whose connection is cut are written once: ${when}`, async (t) => {
    const { wire, id, direct, document } = await documentBehindWire(t);
    const before = await direct.read(revisions({ id }));
    wire.cutAtCommit(when);
    const written = await Promise.all([1, 2, 3].map((row) => document.write(setValue(row, 0, row))));
    assert.deepEqual(
      written.map(({ kind }) => kind),
      ['written', 'written', 'written'],
    );
    assert.equal(wire.isWaitingToCut, false);
    wire.deliver();
    assert.equal((await document.write(setValue(4, 0, 4))).kind, 'written');
    const after = await direct.read(revisions({ id }));
    assert.deepEqual(
      after.map(({ revision }) => revision),
      Array.from({ length: before.length + 4 }, (_, i) => i + 1),
    );
    const snapshot = await snapshotOf(document);
    assert.deepEqual(
      [1, 2, 3, 4].map((row) => valueAt(snapshot, row, 0)),
      [1, 2, 3, 4],
    );
  });
}

test('connections that were cut while nobody used them are no loss', async (t) => {
  const { database, wire } = await behindWire(t);
  await Promise.all([database.write(unit('a')), database.read(all({}))]);
  wire.cut();
  assert.equal((await database.read(all({}))).length, 1);
  wire.cut();
  assert.equal((await database.write(unit('b'))).kind, 'committed');
  wire.cut();
  assert.deepEqual(await database.readLatest(all({})), { name: 'a', value: '1' });
});

test('while the database is away reads and writes say so, and go on when it is back', async (t) => {
  const { database, wire } = await behindWire(t);
  await database.write(unit('a'));
  wire.goAway();
  await assert.rejects(database.write(unit('b')), { name: 'StoreError', code: 'UNAVAILABLE' });
  await assert.rejects(database.read(all({})), { code: 'UNAVAILABLE' });
  await assert.rejects(async () => database.readLatest(all({})), { code: 'UNAVAILABLE' });
  await assert.rejects(database.readAll([all({})]), { code: 'UNAVAILABLE' });
  wire.restore();
  assert.equal((await database.write(unit('c'))).kind, 'committed');
  assert.deepEqual(
    (await database.read(all({}))).map(({ name }) => name),
    ['a', 'c'],
  );
});

test('a commit that takes long keeps no node from being ready', { timeout: 60_000 }, async (t) => {
  const { database, wire } = await behindWire(t);
  const slow = await PostgresConnection.open(wire.url);
  t.after(() => slow.close());
  await slow.send('begin');
  for (const { sql: lock } of lockStatements(null, 'shared')) await slow.send(lock);
  assert.equal(await readiness({ database, folder: null, timeoutMs: 30_000 })(), true);
  await slow.send('rollback');
});

test('a database that only reads is not available for writes', async (t) => {
  const { database, wire } = await behindWire(t);
  await database.write(unit('a'));
  const url = new URL(wire.url);
  url.searchParams.set('options', `${url.searchParams.get('options')} -c default_transaction_read_only=on`);
  const reading = await openPostgres({ url: url.href, connections: 1 });
  assert.equal((await reading.read(all({}))).length, 1);
  await assert.rejects(reading.write(unit('b')), { code: 'UNAVAILABLE' });
  await reading.close();
});

test('who would wait for a connection for too long is told to come again', { timeout: 60_000 }, async (t) => {
  const place = await createSchema();
  const links = new ConnectionPool(place.url, 1, 200);
  t.after(() => place.remove());
  const busy = Promise.withResolvers<void>();
  const slow = links.use(() => busy.promise);
  const ask = () => links.read((link) => link.send('select 1 as one'));
  for (let i = 0; i < 2; i++) {
    const refused = await Promise.allSettled([ask(), ask()]);
    assert.deepEqual(
      refused.map((one) => (one.status === 'rejected' ? one.reason.code : one.status)),
      ['UNAVAILABLE', 'UNAVAILABLE'],
    );
  }
  busy.resolve();
  await slow;
  assert.equal((await ask()).count, 1);
  await links.close();
});

test('a node goes on with the connections that it has where the server takes no more', {
  timeout: 60_000,
}, async (t) => {
  const url = await postgresUrl();
  const name = `limited_${randomBytes(8).toString('hex')}`;
  await runSql(url, `create role ${name} login connection limit 2 password '${name}'`);
  const links = new ConnectionPool(asRole(url, name), 5);
  t.after(async () => {
    await links.close();
    await runSql(url, `drop role ${name}`);
  });
  const ask = () => links.read((link) => link.send('select 1 as one'));
  const asked = await Promise.all(Array.from({ length: 8 }, ask));
  assert.deepEqual(
    asked.map(({ count }) => count),
    Array(8).fill(1),
  );
});

test('a server that lets a node in no more is away until it does', { timeout: 60_000 }, async (t) => {
  const url = await postgresUrl();
  const name = `kept_out_${randomBytes(8).toString('hex')}`;
  await runSql(url, `create role ${name} login password '${name}'`);
  const links = new ConnectionPool(asRole(url, name), 2);
  t.after(async () => {
    await links.close();
    await runSql(url, `drop role ${name}`);
  });
  const ask = () => links.read((link) => link.send('select 1 as one'));
  assert.equal((await ask()).count, 1);
  await runSql(url, `alter role ${name} nologin`);
  await runSql(url, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = '${name}'`);
  await assert.rejects(ask(), { name: 'StoreError', code: 'UNAVAILABLE', message: /not permitted to log in/ });
  await runSql(url, `alter role ${name} login`);
  assert.equal((await ask()).count, 1);
});

test('a server without memory for a statement refuses that one and goes on', async (t) => {
  const link = await PostgresConnection.open(await postgresUrl());
  t.after(() => link.close());
  const short = "do $$ begin raise exception 'out of shared memory' using errcode = '53200'; end $$";
  await assert.rejects(link.send(short), { name: 'StoreError', code: 'UNAVAILABLE' });
  assert.equal(link.isBroken, false);
  assert.equal((await link.send('select 1 as one')).count, 1);
});

/** The server of an address, for somebody whose password is its name. */
function asRole(url: string, name: string): string {
  const there = new URL(url);
  there.username = name;
  there.password = name;
  return there.href;
}
