import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { prepareStatement } from '../../src/store/database.ts';
import { sql } from '../../src/store/dialect.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { temporaryFolder } from '../documents/support.ts';

const insert = prepareStatement((p: { name: string; value: string }) =>
  sql.insertInto('meta').values({ name: p.name, value: p.value }),
);

test('a data folder made here is for this user only', async (t) => {
  const folder = join(temporaryFolder(t), 'data');
  const database = openSqlite({ folder, writer: 'inline' });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'cellwire.db')).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'cellwire.db-wal')).mode & 0o777, 0o600);
  await database.close();
});

test('a healthy database has no problems, a damaged one says what they are', async (t) => {
  const folder = temporaryFolder(t);
  const database = openSqlite({ folder, writer: 'inline' });
  for (let i = 0; i < 500; i++) {
    await database.write({ document: null, statements: [insert({ name: `n${i}`, value: 'x'.repeat(200) })] });
  }
  assert.deepEqual(await database.check(), []);
  await database.close();
  const file = join(folder, 'cellwire.db');
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 8_192);
  writeFileSync(file, bytes);
  const damaged = openSqlite({ folder, writer: 'inline' });
  assert.notDeepEqual(await damaged.check(), []);
  await damaged.close();
});
