import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, prepare, prepareStatement } from '../../../src/store/database.ts';
import { sql } from '../../../src/store/dialect.ts';
import { openPostgres } from '../../../src/store/postgres/database.ts';
import { newPlace } from '../../postgres/server.ts';
import { Wire } from '../../postgres/wire.ts';

/** Not the same when it is done twice. */
const count = prepareStatement((p: { name: string }) =>
  sql
    .insertInto('meta')
    .values({ name: p.name, value: '1' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: 'twice' })),
);
const all = prepare(() => sql.selectFrom('meta').selectAll().orderBy('name'));

async function behindWire(t: TestContext): Promise<{ readonly database: Database; readonly wire: Wire }> {
  const place = await newPlace();
  const wire = await Wire.to(place.url);
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
