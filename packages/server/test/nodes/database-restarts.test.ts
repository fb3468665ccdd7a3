import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareQuery, prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { openPostgres } from '../../../store/src/postgres/database.ts';
import { type PostgresCluster, startCluster } from '../../../store/test/postgres/cluster.ts';
import { DatabaseProxy } from '../../../store/test/postgres/database-proxy.ts';
import { runSql } from '../../../store/test/postgres/server.ts';
import { sendHttp } from '../http/send.ts';
import { startWorld, type World } from '../http/support.ts';

/** Interval between two polls, in milliseconds. */
const POLL_MS = 100;
/** More transactions than were open at the crash. */
const LATER_TRANSACTIONS = 20;

const setMeta = prepareStatement((p: { name: string }) => sql.insertInto('meta').values({ name: p.name, value: '1' }));
const metaNames = prepareQuery(() => sql.selectFrom('meta').select('name').orderBy('name'));

suite('a database server that restarts', { timeout: 300_000 }, () => {
  let cluster: PostgresCluster;
  let world: World;

  before(async () => {
    cluster = await startCluster();
    world = await startWorld({ databaseUrl: cluster.url });
  });
  after(async () => {
    await world.close();
    await cluster.remove();
  });

  test('while it is down, requests get 503 with Retry-After, and afterwards succeed', async () => {
    const book = await world.createBook();
    const readStatus = async (path: string) => (await sendHttp(`${world.server.address}${path}`)).status;
    assert.equal((await book.put('A1', [[1]])).status, 200);
    assert.equal(await readStatus('/readyz'), 200);
    await cluster.halt();
    for (const answer of [await book.get('A1'), await book.put('A1', [[2]]), await book.append('A1', [[3]])]) {
      assert.equal(answer.status, 503);
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    while ((await readStatus('/readyz')) === 200) await delay(POLL_MS);
    assert.equal(await readStatus('/healthz'), 200);
    await cluster.resume();
    while ((await readStatus('/readyz')) !== 200) await delay(POLL_MS);
    assert.equal((await book.cell('A1')).v, 1);
    assert.equal((await book.put('A1', [[4]])).status, 200);
    assert.equal((await book.cell('A1')).v, 4);
  });

  test('a transaction lost in a crash is not confused with a later one of the same number', async (t) => {
    const proxy = await DatabaseProxy.start(cluster.url);
    const database = await openPostgres({ url: proxy.url, connections: 2 });
    t.after(async () => {
      await database.close();
      await proxy.close();
    });
    proxy.cutAtCommit('before commit', true);
    const writing = database.write({ document: null, statements: [setMeta({ name: 'lost' })] });
    writing.catch(() => {});
    await proxy.waitUntilRefused();
    await cluster.restart('at once');
    for (let i = 0; i < LATER_TRANSACTIONS; i++) await runSql(cluster.url, 'select pg_current_xact_id()');
    proxy.restore();
    await assert.rejects(writing, { name: 'StoreError', code: 'UNKNOWN_OUTCOME' });
    assert.equal(
      (await database.write({ document: null, statements: [setMeta({ name: 'later' })] })).kind,
      'committed',
    );
    const names = (await database.read(metaNames({}))).map(({ name }) => name);
    assert.deepEqual([names.includes('lost'), names.includes('later')], [false, true]);
  });

  test('after it becomes a standby, which may lag behind, it is treated as unavailable', async () => {
    const book = await world.createBook();
    assert.equal((await book.put('A1', [[1]])).status, 200);
    await cluster.demote();
    for (const answer of [await book.get('A1'), await book.put('A1', [[2]])]) {
      assert.equal(answer.status, 503);
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    await assert.rejects(openPostgres({ url: cluster.url, connections: 1 }), { code: 'UNAVAILABLE' });
  });
});
