import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../src/store/migrations.ts';
import { openPostgres } from '../../../src/store/postgres/database.ts';
import { examinePostgres } from '../../../src/store/postgres/examine.ts';
import { Link } from '../../../src/store/postgres/link.ts';
import { SCHEMA_LOCK, SCHEMA_UNLOCK } from '../../../src/store/postgres/locks.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { newPlace } from '../../postgres/server.ts';

test('a database is examined and left as it is', async (t) => {
  const place = await newPlace();
  t.after(() => place.remove());
  assert.equal((await examinePostgres(place.url)).sealed, null);
  const link = await Link.open(place.url);
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
  const place = await newPlace();
  t.after(() => place.remove());
  const nodes = await Promise.all([1, 2, 3].map(() => openPostgres({ url: place.url, connections: 2 })));
  assert.deepEqual((await examinePostgres(place.url)).sealed, []);
  for (const node of nodes) await node.close();
});

test('a node that starts waits for as long as another migrates, and a migration may take as long as it has to', {
  timeout: 60_000,
}, async (t) => {
  const place = await newPlace();
  const [other, second] = await Promise.all([Link.open(place.url), Link.open(place.url, 'patient')]);
  t.after(async () => {
    for (const link of [other, second]) await link.close();
    await place.remove();
  });
  const bound = async (of: Link, name: string) =>
    (await of.send('select current_setting(?) as value', [name])).rows[0]?.['value'];
  assert.deepEqual([await bound(other, 'statement_timeout'), await bound(second, 'statement_timeout')], ['30s', '0']);
  await second.send("select set_config('lock_timeout', '100', false)");
  const own = (await second.send('select pg_backend_pid() as pid')).rows[0]?.['pid'];
  await other.send(SCHEMA_LOCK);
  const migrated = migrate(second, MIGRATIONS);
  migrated.catch(() => {});
  const waits = `select 1 as waits from pg_locks where pid = ? and not granted
    and clock_timestamp() - waitstart > interval '300 milliseconds'`;
  while ((await other.send(waits, [Number(own)])).count === 0) t.signal.throwIfAborted();
  await other.send(SCHEMA_UNLOCK);
  await migrated;
  assert.equal(await bound(second, 'lock_timeout'), '10s');
});

test('a server that is not there is named as such', async () => {
  await assert.rejects(examinePostgres('postgres://nobody@127.0.0.1:1/x'), { name: 'StoreError', code: 'UNAVAILABLE' });
});
