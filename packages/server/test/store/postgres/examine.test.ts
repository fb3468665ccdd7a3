import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../src/store/migrations.ts';
import { openPostgres } from '../../../src/store/postgres/database.ts';
import { examinePostgres } from '../../../src/store/postgres/examine.ts';
import { Link } from '../../../src/store/postgres/link.ts';
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

test('a server that is not there is named as such', async () => {
  await assert.rejects(examinePostgres('postgres://nobody@127.0.0.1:1/x'), { name: 'StoreError', code: 'UNAVAILABLE' });
});
