import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { prepare, prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { openPostgres } from '../../../store/src/postgres/database.ts';
import { type PostgresCluster, startCluster } from '../../../store/test/postgres/cluster.ts';
import { DatabaseProxy } from '../../../store/test/postgres/database-proxy.ts';
import { queryRows, runSql } from '../../../store/test/postgres/server.ts';
import { send } from '../http/send.ts';
import { startWorld, type World } from '../http/support.ts';

const setMeta = prepareStatement(
  (p: { name: string }) =>
    sql
      .insertInto('meta')
      .values({ name: p.name, value: '1' })
      .onConflict((conflict) => conflict.doNothing()),
  { rows: 1, conflict: 'there' },
);
const metaNamed = prepare((p: { name: string }) => sql.selectFrom('meta').select('name').where('name', '=', p.name));

/** Between two looks whether the service is back, in milliseconds. */
const LOOK_MS = 100;

async function untilReady({ server }: World): Promise<void> {
  while ((await send(`${server.address}/readyz`)).status !== 200) await delay(LOOK_MS);
}

/** A primary, the server that has taken over from it, and a node at whose address is now the one, now the other. */
async function failedOver(t: TestContext) {
  const primary = await startCluster();
  const wire = await DatabaseProxy.to(primary.url);
  const world = await startWorld({ databaseUrl: wire.url });
  const book = await world.book();
  assert.equal((await book.put('A1', [[1]])).status, 200);
  const successor = await primary.succeed();
  t.after(async () => {
    await world.close();
    await wire.close();
    await successor.remove();
    await primary.remove();
  });
  wire.leadTo(successor.url);
  await untilReady(world);
  return { primary, successor, wire, world, book };
}

test('a node goes on with the server that took over, and not again with the one before it', {
  timeout: 300_000,
}, async (t) => {
  const { primary, successor, wire, world, book } = await failedOver(t);
  assert.equal((await book.put('A1', [[2]])).status, 200);
  wire.leadTo(primary.url);
  for (const answer of [await book.get('A1'), await book.put('A1', [[3]]), await book.append('A1', [[4]])]) {
    assert.equal(answer.status, 503);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
  wire.leadTo(successor.url);
  await untilReady(world);
  assert.equal((await book.cell('A1')).v, 2);
  assert.equal((await book.put('A1', [[5]])).status, 200);
  assert.equal((await book.cell('A1')).v, 5);
});

/** Resolves once a transaction with that text waits for the standby. */
async function untilWaiting({ url }: PostgresCluster, text: string, { signal }: TestContext): Promise<'waits'> {
  const found = `select 1 as found from pg_stat_activity where wait_event = 'SyncRep' and query like '%${text}%'`;
  while (!signal.aborted && (await queryRows(url, found)).length === 0) await delay(LOOK_MS);
  return 'waits';
}

/** From now on nothing is acknowledged before a standby has it, and there is none. */
async function awaitStandby(cluster: PostgresCluster, t: TestContext): Promise<void> {
  await setStandby(cluster, '*');
  // The server takes the setting up in its own time.
  const mark = "select pg_logical_emit_message(true, 'test', 'awaited')";
  const isWaited = async () => {
    const answered = queryRows(cluster.url, mark).then(
      () => 'answered',
      () => 'cut off',
    );
    return (await Promise.race([answered, untilWaiting(cluster, 'awaited', t)])) === 'waits';
  };
  while (!(await isWaited()));
}

async function setStandby({ url }: PostgresCluster, names: string): Promise<void> {
  await runSql(url, `alter system set synchronous_standby_names = '${names}'`);
  await runSql(url, 'select pg_reload_conf()');
}

const UNITS = {
  'asked about by its number': {
    unit: { document: null, statements: [setMeta({ name: 'found' })] },
    waitsIn: 'commit',
  },
  'sent again and proved': {
    unit: { document: null, statements: [setMeta({ name: 'found' })], proof: metaNamed({ name: 'found' }) },
    waitsIn: 'insert into "meta"',
  },
};

for (const [how, { unit, waitsIn }] of Object.entries(UNITS)) {
  test(`a unit whose answer was lost, ${how}, is not acknowledged before the standby has it`, async (t) => {
    const cluster = await startCluster();
    const database = await openPostgres({ url: cluster.url, connections: 2 });
    t.after(async () => {
      await setStandby(cluster, '');
      await database.close();
      await cluster.remove();
    });
    await awaitStandby(cluster, t);
    const writing = database.write(unit);
    const answered = writing.then(
      () => 'answered',
      () => 'refused',
    );
    assert.equal(await Promise.race([answered, untilWaiting(cluster, waitsIn, t)]), 'waits');
    await cluster.restart();
    // It is there, and the standby has still not got it.
    assert.equal(await Promise.race([answered, untilWaiting(cluster, 'emit_message', t)]), 'waits');
    assert.equal((await database.read(metaNamed({ name: 'found' }))).length, 1);
    await setStandby(cluster, '');
    assert.equal((await writing).kind, 'committed');
  });
}
