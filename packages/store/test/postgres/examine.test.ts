import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { examinePostgres } from '../../src/examine/postgres.ts';
import { MIGRATIONS } from '../../src/migrations/migrations.ts';
import { PostgresConnection } from '../../src/postgres/connection.ts';
import { openPostgres } from '../../src/postgres/database.ts';
import { SCHEMA_LOCK } from '../../src/postgres/locks.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { createSchema, postgresUrl, runSql } from './server.ts';

test('a database is examined and left as it is', async (t) => {
  const place = await createSchema();
  t.after(() => place.remove());
  assert.equal((await examinePostgres(place.url)).sealed, null);
  const link = await PostgresConnection.open(place.url);
  assert.equal((await link.send("select to_regclass('schema_migrations')::text as name")).rows[0]?.['name'], null);
  await migrate(link, MIGRATIONS.slice(0, 1));
  assert.equal((await examinePostgres(place.url)).sealed, null);
  await migrate(link, MIGRATIONS);
  assert.deepEqual((await examinePostgres(place.url)).sealed, []);
  await link.send("insert into schema_migrations (id, name, checksum) values (9999, 'later', '')");
  await assert.rejects(examinePostgres(place.url), { code: 'NEWER_SCHEMA' });
  await link.close();
});

test('nodes that start at once migrate once', async (t) => {
  const place = await createSchema();
  t.after(() => place.remove());
  const nodes = await Promise.all([1, 2, 3].map(() => openPostgres({ url: place.url, connections: 2 })));
  assert.deepEqual((await examinePostgres(place.url)).sealed, []);
  for (const node of nodes) await node.close();
});

test('a node that starts waits for as long as another migrates, also where that one dies, and a migration may take as long as it has to', {
  timeout: 60_000,
}, async (t) => {
  const place = await createSchema();
  const [other, second] = await Promise.all([
    PostgresConnection.open(place.url),
    PostgresConnection.open(place.url, 'patient'),
  ]);
  t.after(async () => {
    for (const link of [other, second]) await link.close();
    await place.remove();
  });
  const bound = async (of: PostgresConnection, name: string) =>
    (await of.send('select current_setting(?) as value', [name])).rows[0]?.['value'];
  assert.deepEqual([await bound(other, 'statement_timeout'), await bound(second, 'statement_timeout')], ['30s', '0']);
  await second.send("select set_config('lock_timeout', '100', false)");
  const own = (await second.send('select pg_backend_pid() as pid')).rows[0]?.['pid'];
  await other.send(SCHEMA_LOCK);
  await other.send('begin');
  await other.send('create table half_done (id bigint)');
  const migrated = migrate(second, MIGRATIONS);
  migrated.catch(() => {});
  const waits = `select 1 as waits from pg_locks where pid = ? and not granted
    and clock_timestamp() - waitstart > interval '300 milliseconds'`;
  while ((await other.send(waits, [Number(own)])).count === 0) t.signal.throwIfAborted();
  // As a node that dies in the middle of it.
  other.drop();
  await migrated;
  assert.equal(await bound(second, 'lock_timeout'), '10s');
  const tables = await second.send(
    "select to_regclass('documents')::text as documents, to_regclass('half_done')::text as half",
  );
  assert.deepEqual(tables.rows, [{ documents: 'documents', half: null }]);
});

test('a database that does not keep all texts is refused before there are tables in it', async (t) => {
  const url = await postgresUrl();
  const name = `latin_${randomBytes(8).toString('hex')}`;
  await runSql(url, `create database ${name} encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`);
  t.after(() => runSql(url, `drop database ${name}`));
  const there = new URL(url);
  there.pathname = name;
  const refused = { code: 'WRONG_ENCODING', message: /LATIN1/ };
  await assert.rejects(openPostgres({ url: there.href, connections: 1 }), refused);
  await assert.rejects(examinePostgres(there.href), refused);
  const link = await PostgresConnection.open(there.href);
  assert.equal((await link.send("select to_regclass('schema_migrations')::text as name")).rows[0]?.['name'], null);
  await link.close();
});

test('a user who may not make the tables, or not write into them, is refused at the start', async (t) => {
  const place = await createSchema();
  const reader = `reader_${randomBytes(8).toString('hex')}`;
  const schema = await schemaOf(place.url);
  await runSql(place.url, `create user ${reader} password 'r'; grant usage on schema ${schema} to ${reader}`);
  t.after(async () => {
    await place.remove();
    await runSql(await postgresUrl(), `drop user ${reader}`);
  });
  const asReader = new URL(place.url);
  asReader.username = reader;
  asReader.password = 'r';
  const isRefused = async (message: RegExp) => {
    const refused = { name: 'StoreError', code: 'NO_RIGHTS', message };
    await assert.rejects(openPostgres({ url: asReader.href, connections: 1 }), refused);
    await assert.rejects(examinePostgres(asReader.href), refused);
  };
  await isRefused(/may create tables/);
  await (await openPostgres({ url: place.url, connections: 1 })).close();
  await runSql(place.url, `grant select on all tables in schema ${schema} to ${reader}`);
  await isRefused(/access_epoch/);
  await runSql(place.url, `grant insert, update, delete on all tables in schema ${schema} to ${reader}`);
  await (await openPostgres({ url: asReader.href, connections: 1 })).close();
});

async function schemaOf(url: string): Promise<string> {
  const link = await PostgresConnection.open(url);
  const schema = (await link.send('select current_schema() as name')).rows[0]?.['name'];
  await link.close();
  return String(schema);
}

test('a file of a certificate that is not there is named, and taken as a database that is away', async () => {
  const url = new URL(await postgresUrl());
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', '/there/is/no/ca.crt');
  await assert.rejects(PostgresConnection.open(url.href), {
    name: 'StoreError',
    code: 'UNAVAILABLE',
    message: /no\/ca\.crt/,
  });
});

test('what a server has set otherwise is set as it has to be', async (t) => {
  const url = new URL(await postgresUrl());
  url.searchParams.set('options', '-c bytea_output=escape -c default_transaction_isolation=serializable');
  const link = await PostgresConnection.open(url.href);
  t.after(() => link.close());
  const { rows } = await link.send(
    "select decode('00ff', 'hex') as bytes, current_setting('transaction_isolation') as level",
  );
  assert.deepEqual(rows, [{ bytes: new Uint8Array([0, 255]), level: 'read committed' }]);
});

test('a server that is not there is named as such', async () => {
  await assert.rejects(examinePostgres('postgres://nobody@127.0.0.1:1/x'), { name: 'StoreError', code: 'UNAVAILABLE' });
});
