import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { examinePostgres } from '../../src/examine/postgres.ts';
import { MIGRATIONS } from '../../src/migrations/migrations.ts';
import { PostgresConnection } from '../../src/postgres/connection.ts';
import { openPostgres } from '../../src/postgres/database.ts';
import { SCHEMA_LOCK } from '../../src/postgres/locks.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { findSnapshotDamage } from '../../src/transfer/damage.ts';
import { openSnapshot } from '../../src/transfer/open-transfer.ts';
import { createSchema, getPostgresUrl, runSql } from './server.ts';

test('examining a database does not change it', async (t) => {
  const testSchema = await createSchema();
  t.after(() => testSchema.remove());
  assert.equal((await examinePostgres(testSchema.url)).sealed, null);
  const link = await PostgresConnection.open(testSchema.url);
  assert.equal(
    (await link.sendStatement("select to_regclass('schema_migrations')::text as name")).rows[0]?.['name'],
    null,
  );
  await migrate(link, MIGRATIONS.slice(0, 1));
  assert.equal((await examinePostgres(testSchema.url)).sealed, null);
  await migrate(link, MIGRATIONS);
  assert.deepEqual((await examinePostgres(testSchema.url)).sealed, []);
  await link.sendStatement("insert into schema_migrations (id, name, checksum) values (9999, 'later', '')");
  await assert.rejects(examinePostgres(testSchema.url), { code: 'NEWER_SCHEMA' });
  await link.close();
});

test('a commit that was changed after later commits is not reported as missing', async (t) => {
  const testSchema = await createSchema();
  t.after(() => testSchema.remove());
  await (await openPostgres({ url: testSchema.url, connections: 1 })).close();
  await runSql(testSchema.url, "insert into unfinished (document_id, reason, touched_at) values ('d', 'creation', 1)");
  await runSql(testSchema.url, "insert into checkpoints (document_id, revision, meta) values ('d', 0, '')");
  for (const revision of [1, 2, 3]) {
    await runSql(
      testSchema.url,
      `insert into commits (document_id, revision, head, parent, at, origin, delta, areas)
        values ('d', ${revision}, 'h${revision}', '', 1, 'api', '', '[]')`,
    );
  }
  await runSql(testSchema.url, 'update commits set undone_by = 4 where revision = 1');
  const snapshot = await openSnapshot({ kind: 'postgres', url: testSchema.url, connections: 1 });
  const { documents: damage } = await findSnapshotDamage(snapshot).finally(() => snapshot.close());
  assert.deepEqual(damage, []);
});

test('nodes that start at the same time run each migration once', async (t) => {
  const testSchema = await createSchema();
  t.after(() => testSchema.remove());
  const nodes = await Promise.all([1, 2, 3].map(() => openPostgres({ url: testSchema.url, connections: 2 })));
  assert.deepEqual((await examinePostgres(testSchema.url)).sealed, []);
  for (const node of nodes) await node.close();
});

test('a starting node waits for the migration of another node, and migrates if that node dies', {
  timeout: 60_000,
}, async (t) => {
  const testSchema = await createSchema();
  const [first, second] = await Promise.all([
    PostgresConnection.open(testSchema.url),
    PostgresConnection.open(testSchema.url, 'patient'),
  ]);
  t.after(async () => {
    for (const link of [first, second]) await link.close();
    await testSchema.remove();
  });
  const bound = async (connection: PostgresConnection, name: string) =>
    (await connection.sendStatement('select current_setting(?) as value', [name])).rows[0]?.['value'];
  assert.deepEqual([await bound(first, 'statement_timeout'), await bound(second, 'statement_timeout')], ['30s', '0']);
  await second.sendStatement("select set_config('lock_timeout', '100', false)");
  const processId = (await second.sendStatement('select pg_backend_pid() as pid')).rows[0]?.['pid'];
  await first.sendStatement(SCHEMA_LOCK);
  await first.sendStatement('begin');
  await first.sendStatement('create table half_done (id bigint)');
  const migration = migrate(second, MIGRATIONS);
  migration.catch(() => {});
  const waits = `select 1 as waits from pg_locks where pid = ? and not granted
    and clock_timestamp() - waitstart > interval '300 milliseconds'`;
  while ((await first.sendStatement(waits, [Number(processId)])).count === 0) t.signal.throwIfAborted();
  // The connection breaks, as if the node had crashed during the migration.
  first.dropConnection();
  await migration;
  assert.equal(await bound(second, 'lock_timeout'), '10s');
  const tables = await second.sendStatement(
    "select to_regclass('documents')::text as documents, to_regclass('half_done')::text as half",
  );
  assert.deepEqual(tables.rows, [{ documents: 'documents', half: null }]);
});

test('a database with an unsuitable encoding is refused before tables are created', async (t) => {
  const url = await getPostgresUrl();
  const name = `latin_${randomBytes(8).toString('hex')}`;
  await runSql(url, `create database ${name} encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`);
  t.after(() => runSql(url, `drop database ${name}`));
  const otherUrl = new URL(url);
  otherUrl.pathname = name;
  const expectedError = { code: 'WRONG_ENCODING', message: /LATIN1/ };
  await assert.rejects(openPostgres({ url: otherUrl.href, connections: 1 }), expectedError);
  await assert.rejects(examinePostgres(otherUrl.href), expectedError);
  const link = await PostgresConnection.open(otherUrl.href);
  assert.equal(
    (await link.sendStatement("select to_regclass('schema_migrations')::text as name")).rows[0]?.['name'],
    null,
  );
  await link.close();
});

test('a user without rights to create or write the tables is refused at the start', async (t) => {
  const testSchema = await createSchema();
  const reader = `reader_${randomBytes(8).toString('hex')}`;
  const schema = await readSchema(testSchema.url);
  await runSql(testSchema.url, `create user ${reader} password 'r'; grant usage on schema ${schema} to ${reader}`);
  t.after(async () => {
    await testSchema.remove();
    await runSql(await getPostgresUrl(), `drop user ${reader}`);
  });
  const asReader = new URL(testSchema.url);
  asReader.username = reader;
  asReader.password = 'r';
  const assertRefused = async (message: RegExp) => {
    const expectedError = { name: 'StoreError', code: 'NO_RIGHTS', message };
    await assert.rejects(openPostgres({ url: asReader.href, connections: 1 }), expectedError);
    await assert.rejects(examinePostgres(asReader.href), expectedError);
  };
  await assertRefused(/may create tables/);
  await (await openPostgres({ url: testSchema.url, connections: 1 })).close();
  await runSql(testSchema.url, `grant select on all tables in schema ${schema} to ${reader}`);
  await assertRefused(/access_epoch/);
  await runSql(testSchema.url, `grant insert, update, delete on all tables in schema ${schema} to ${reader}`);
  await (await openPostgres({ url: asReader.href, connections: 1 })).close();
});

async function readSchema(url: string): Promise<string> {
  const link = await PostgresConnection.open(url);
  const schema = (await link.sendStatement('select current_schema() as name')).rows[0]?.['name'];
  await link.close();
  return String(schema);
}

test('a missing certificate file is named, and counts as an unavailable database', async () => {
  const url = new URL(await getPostgresUrl());
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', '/there/is/no/ca.crt');
  await assert.rejects(PostgresConnection.open(url.href), {
    name: 'StoreError',
    code: 'UNAVAILABLE',
    message: /no\/ca\.crt/,
  });
});

test('required settings override the server’s settings', async (t) => {
  const url = new URL(await getPostgresUrl());
  url.searchParams.set('options', '-c bytea_output=escape -c default_transaction_isolation=serializable');
  const link = await PostgresConnection.open(url.href);
  t.after(() => link.close());
  const { rows } = await link.sendStatement(
    "select decode('00ff', 'hex') as bytes, current_setting('transaction_isolation') as level",
  );
  assert.deepEqual(rows, [{ bytes: new Uint8Array([0, 255]), level: 'read committed' }]);
});

test('a missing server is reported as unavailable', async () => {
  await assert.rejects(examinePostgres('postgres://nobody@127.0.0.1:1/x'), { name: 'StoreError', code: 'UNAVAILABLE' });
});
