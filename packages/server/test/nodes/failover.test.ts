import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareQuery, prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { openPostgres } from '../../../store/src/postgres/database.ts';
import { type PostgresCluster, startCluster } from '../../../store/test/postgres/cluster.ts';
import { DatabaseProxy } from '../../../store/test/postgres/database-proxy.ts';
import { queryRows, runSql } from '../../../store/test/postgres/server.ts';
import { sendHttp } from '../http/send.ts';
import { startWorld, type World } from '../http/support.ts';

const setMeta = prepareStatement(
  (p: { name: string }) =>
    sql
      .insertInto('meta')
      .values({ name: p.name, value: '1' })
      .onConflict((conflict) => conflict.doNothing()),
  { rows: 1, conflict: 'there' },
);
const metaByName = prepareQuery((p: { name: string }) =>
  sql.selectFrom('meta').select('name').where('name', '=', p.name),
);

/** Interval between two polls, in milliseconds. */
const POLL_MS = 100;

async function waitUntilReady({ server }: World): Promise<void> {
  while ((await sendHttp(`${server.address}/readyz`)).status !== 200) await delay(POLL_MS);
}

/** Starts a primary, its successor, and a node behind a proxy that leads to either of them. */
async function startFailover(t: TestContext) {
  const primary = await startCluster();
  const proxy = await DatabaseProxy.start(primary.url);
  const world = await startWorld({ databaseUrl: proxy.url });
  const book = await world.createBook();
  assert.equal((await book.put('A1', [[1]])).status, 200);
  const successor = await primary.succeed();
  t.after(async () => {
    await world.close();
    await proxy.close();
    await successor.remove();
    await primary.remove();
  });
  proxy.redirectTo(successor.url);
  await waitUntilReady(world);
  return { primary, successor, wire: proxy, world, book };
}

test('a node continues with the new primary and never returns to the old one', {
  timeout: 300_000,
}, async (t) => {
  const { primary, successor, wire: proxy, world, book } = await startFailover(t);
  assert.equal((await book.put('A1', [[2]])).status, 200);
  proxy.redirectTo(primary.url);
  for (const answer of [await book.get('A1'), await book.put('A1', [[3]]), await book.append('A1', [[4]])]) {
    assert.equal(answer.status, 503);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
  proxy.redirectTo(successor.url);
  await waitUntilReady(world);
  assert.equal((await book.cell('A1')).v, 2);
  assert.equal((await book.put('A1', [[5]])).status, 200);
  assert.equal((await book.cell('A1')).v, 5);
});

/** Resolves when a transaction with that text waits for the standby. */
async function waitUntilBlocked({ url }: PostgresCluster, text: string, { signal }: TestContext): Promise<'waits'> {
  const activityQuery = `select 1 as found from pg_stat_activity where wait_event = 'SyncRep' and query like '%${text}%'`;
  while (!signal.aborted && (await queryRows(url, activityQuery)).length === 0) await delay(POLL_MS);
  return 'waits';
}

/** Makes every commit wait for a standby that does not exist. */
async function requireStandby(cluster: PostgresCluster, t: TestContext): Promise<void> {
  await setStandby(cluster, '*');
  // The server applies the setting with a delay.
  const markQuery = "select pg_logical_emit_message(true, 'test', 'awaited')";
  const isBlocked = async () => {
    const outcome = queryRows(cluster.url, markQuery).then(
      () => 'answered',
      () => 'cut off',
    );
    return (await Promise.race([outcome, waitUntilBlocked(cluster, 'awaited', t)])) === 'waits';
  };
  while (!(await isBlocked()));
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
    unit: { document: null, statements: [setMeta({ name: 'found' })], proof: metaByName({ name: 'found' }) },
    waitsIn: 'insert into "meta"',
  },
};

for (const [how, { unit, waitsIn: blockedStatement }] of Object.entries(UNITS)) {
  test(`a unit with a lost answer, ${how}, is not acknowledged before the standby has it`, async (t) => {
    const cluster = await startCluster();
    const database = await openPostgres({ url: cluster.url, connections: 2 });
    t.after(async () => {
      await setStandby(cluster, '');
      await database.close();
      await cluster.remove();
    });
    await requireStandby(cluster, t);
    const writing = database.write(unit);
    const outcome = writing.then(
      () => 'answered',
      () => 'refused',
    );
    assert.equal(await Promise.race([outcome, waitUntilBlocked(cluster, blockedStatement, t)]), 'waits');
    await cluster.restart();
    // The row exists, but not on the standby.
    assert.equal(await Promise.race([outcome, waitUntilBlocked(cluster, 'emit_message', t)]), 'waits');
    assert.equal((await database.read(metaByName({ name: 'found' }))).length, 1);
    await setStandby(cluster, '');
    assert.equal((await writing).kind, 'committed');
  });
}
