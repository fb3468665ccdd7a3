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

/** Resolves in the next turn of the event loop. */
const waitForTurn = () => new Promise((resolve) => setImmediate(resolve));

test('units of many turns are written in order, also while a transaction runs and before the database closes', async (t) => {
  const folder = createTemporaryFolder(t);
  const database = openSqlite({ folder, writer: 'thread' });
  const outcomes: string[] = [];
  const written: Promise<void>[] = [];
  for (let i = 0; i < 60; i++) {
    // Every seventh unit has the name of the unit before it, so that the database refuses it.
    const name = String(i % 7 === 6 ? i - 1 : i);
    const unit = { document: null, statements: [insert({ name, value: 'x'.repeat(i % 10 === 0 ? 300_000 : 3) })] };
    written.push(
      database.write(unit).then(
        ({ kind }) => void outcomes.push(`${i} ${kind}`),
        () => void outcomes.push(`${i} refused`),
      ),
    );
    if (i % 3 === 0) await waitForTurn();
  }
  await database.close();
  await Promise.all(written);
  const expected = Array.from({ length: 60 }, (_, i) => `${i} ${i % 7 === 6 ? 'refused' : 'committed'}`);
  assert.deepEqual(outcomes, expected);
  const reopened = openSqlite({ folder, writer: 'inline' });
  const rows = await reopened.read<{ name: string }>({
    sql: "select name from meta where value like 'xxx%' order by length(name), name",
    parameters: [],
  });
  const kept = Array.from({ length: 60 }, (_, i) => i).filter((i) => i % 7 !== 6);
  assert.deepEqual(
    rows.map(({ name }) => Number(name)),
    kept,
  );
  await reopened.close();
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
