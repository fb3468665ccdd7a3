import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import { prepareQuery, prepareStatement } from '../src/database/database.ts';
import { sql } from '../src/database/dialect.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { openSqlite } from '../src/sqlite/database.ts';

const insert = prepareStatement((p: { name: string; value: string }) =>
  sql.insertInto('meta').values({ name: p.name, value: p.value }),
);

const namesLike = prepareQuery((p: { name: string }) =>
  sql.selectFrom('meta').select('name').where('name', '=', p.name),
);

test('a new data folder is accessible only for this user', async (t) => {
  const folder = join(createTemporaryFolder(t), 'data');
  const database = openSqlite({ folder, writer: 'inline' });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'cellwire.db')).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'cellwire.db-wal')).mode & 0o777, 0o600);
  await database.close();
});

test('the next read sees a commit of another process, also in the same turn of the event loop', async (t) => {
  const folder = createTemporaryFolder(t);
  const database = openSqlite({ folder, writer: 'inline' });
  const otherConnection = new SqliteConnection(join(folder, 'cellwire.db'));
  for (const name of ['a', 'b']) {
    const look = async () => database.readLatest(namesLike({ name }));
    assert.equal(await look(), null);
    otherConnection.runStatement(`insert into meta (name, value) values ('${name}', '')`);
    assert.deepEqual(await look(), { name });
    assert.deepEqual(await look(), { name });
  }
  otherConnection.close();
  await database.close();
});

test('other work of the thread runs between two batches of a long list', async (t) => {
  const database = openSqlite({ folder: createTemporaryFolder(t), writer: 'thread' });
  let turn = 0;
  let isDone = false;
  const countTurns = () => {
    turn += 1;
    if (!isDone) setImmediate(countTurns);
  };
  countTurns();
  const numbers = {
    sql: 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select i from n',
  };
  const turns: number[] = [];
  for await (const _rows of database.readInBatches({ ...numbers, parameters: [] }, 20)) {
    turns.push(turn);
    // The thread has answered the next request before this batch is processed.
    for (const end = performance.now() + 1; performance.now() < end; );
  }
  isDone = true;
  assert.equal(turns.length, 100);
  assert.equal(new Set(turns).size, turns.length);
  await database.close();
});

test('reports the problems of a damaged database, and none of a healthy one', async (t) => {
  const folder = createTemporaryFolder(t);
  const database = openSqlite({ folder, writer: 'inline' });
  for (let i = 0; i < 500; i++) {
    await database.write({ document: null, statements: [insert({ name: `n${i}`, value: 'x'.repeat(200) })] });
  }
  assert.deepEqual(await database.checkIntegrity(), []);
  await database.close();
  const file = join(folder, 'cellwire.db');
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 8_192);
  writeFileSync(file, bytes);
  const damagedDatabase = openSqlite({ folder, writer: 'inline' });
  assert.notDeepEqual(await damagedDatabase.checkIntegrity(), []);
  await damagedDatabase.close();
});
