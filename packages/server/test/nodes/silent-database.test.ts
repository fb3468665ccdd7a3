import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql as raw } from 'kysely';
import { prepareQuery } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { openPostgres } from '../../../store/src/postgres/database.ts';
import { DatabaseProxy } from '../../../store/test/postgres/database-proxy.ts';
import { createSchema, type TestSchema } from '../../../store/test/postgres/server.ts';
import { sendHttp } from '../http/send.ts';
import { type Api, type ApiResponse, startWorld, type World } from '../http/support.ts';

/** Parallel callers, more than there are connections. */
const CALLERS = 30;
/** Much shorter than the timeouts of TCP and of the server. */
const TIMEOUT_MS = 60_000;
/** Longer than the service trusts a silent connection. */
const SLOW_SECONDS = 5;
const POLL_MS = 50;

suite('a database that stops answering without closing connections', { timeout: 300_000 }, () => {
  let schema: TestSchema;
  let proxy: DatabaseProxy;
  let world: World;

  before(async () => {
    schema = await createSchema();
    proxy = await DatabaseProxy.start(schema.url);
    world = await startWorld({ databaseUrl: proxy.url });
  });
  after(async () => {
    proxy.endSilence();
    await world.close();
    await proxy.close();
    await schema.remove();
  });

  const listRequests = (book: Api): readonly (() => Promise<ApiResponse>)[] => [
    () => book.get('A1'),
    () => book.put('A1', [['put']]),
    () => book.append('B1', [['appended']]),
    () => book.requestInDocument('GET', '/audit'),
    () => book.requestInDocument('POST', '/sheets', { body: { name: 'New' } }),
    () => book.requestInDocument('GET', '/changes?since=0'),
    () => book.request('GET', '/documents'),
  ];

  test('on existing connections: new connections answer callers, and a write happens once', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const book = await world.createBook();
    assert.equal((await book.put('A1', [['first']])).status, 200);
    proxy.dropData();
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => book.get('A1')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    proxy.dropData();
    assert.equal((await book.append('A1', [['once']])).status, 200);
    const cells = (await book.cells('A1:A3')) as unknown as readonly (readonly ({ v: string } | null)[])[];
    assert.deepEqual(
      cells.map(([cell]) => cell?.v),
      ['first', 'once', undefined],
    );
  });

  test('on new connections too: every caller gets 503 with Retry-After, and later requests succeed', {
    timeout: 2 * TIMEOUT_MS,
  }, async (t) => {
    const books = await Promise.all(listRequests(await world.createBook()).map(() => world.createBook()));
    for (const book of books) assert.equal((await book.put('A1', [['first']])).status, 200);
    proxy.dropAllData();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error('no answer')), TIMEOUT_MS);
    t.after(() => clearTimeout(timer));
    const answers = await Promise.race([
      Promise.all(books.map((book, i) => listRequests(book)[i]?.())),
      new Promise<never>((_, reject) =>
        deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason)),
      ),
    ]);
    for (const answer of answers) {
      assert.equal(answer?.status, 503);
      assert.ok(Number(answer?.headers.get('retry-after')) >= 1);
    }
    proxy.endSilence();
    const isReady = async () => (await sendHttp(`${world.server.address}/readyz`)).status === 200;
    while (!(await isReady())) await delay(POLL_MS);
    for (const [i, book] of books.entries()) {
      const value: unknown = (await book.cell('A1')).v;
      assert.ok(value === 'first' || (i === 1 && value === 'put'), String(value));
    }
  });

  test('a slow statement on a live connection completes', async (t) => {
    const database = await openPostgres({ url: schema.url, connections: 1 });
    t.after(() => database.close());
    const slow = prepareQuery(() =>
      sql
        .selectFrom('meta')
        .select(raw<string>`pg_sleep(${raw.lit(SLOW_SECONDS)})::text`.as('slept'))
        .limit(1),
    );
    assert.equal((await database.read(slow({}))).length, 1);
  });
});
