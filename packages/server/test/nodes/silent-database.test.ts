import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql as raw } from 'kysely';
import { prepare } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { openPostgres } from '../../../store/src/postgres/database.ts';
import { DatabaseProxy } from '../../../store/test/postgres/database-proxy.ts';
import { createSchema, type TestSchema } from '../../../store/test/postgres/server.ts';
import { send } from '../http/send.ts';
import { type Api, type ApiResponse, startWorld, type World } from '../http/support.ts';

/** Callers at once: more than there are connections. */
const CALLERS = 30;
/** Far less than TCP, or the server's own bounds, would take to find out. */
const TIMEOUT_MS = 30_000;
/** Longer than a silent connection is believed in. */
const SLOW_SECONDS = 5;
const LOOK_MS = 50;

suite('a database that falls silent without a word', { timeout: 300_000 }, () => {
  let place: TestSchema;
  let wire: DatabaseProxy;
  let world: World;

  before(async () => {
    place = await createSchema();
    wire = await DatabaseProxy.to(place.url);
    world = await startWorld({ databaseUrl: wire.url });
  });
  after(async () => {
    wire.endSilence();
    await world.close();
    await wire.close();
    await place.remove();
  });

  const ways = (book: Api): readonly (() => Promise<ApiResponse>)[] => [
    () => book.get('A1'),
    () => book.put('A1', [['put']]),
    () => book.append('B1', [['appended']]),
    () => book.here('GET', '/audit'),
    () => book.here('POST', '/sheets', { body: { name: 'New' } }),
    () => book.here('GET', '/changes?since=0'),
    () => book.request('GET', '/documents'),
  ];

  test('on the connections that there are: callers have their answers from new ones, and a write is done once', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const book = await world.book();
    assert.equal((await book.put('A1', [['first']])).status, 200);
    wire.silence();
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => book.get('A1')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    wire.silence();
    assert.equal((await book.append('A1', [['once']])).status, 200);
    const cells = (await book.cells('A1:A3')) as unknown as readonly (readonly ({ v: string } | null)[])[];
    assert.deepEqual(
      cells.map(([cell]) => cell?.v),
      ['first', 'once', undefined],
    );
  });

  test('on new ones, too: every caller is told to come again, and then all goes on', { timeout: 60_000 }, async (t) => {
    const books = await Promise.all(ways(await world.book()).map(() => world.book()));
    for (const book of books) assert.equal((await book.put('A1', [['first']])).status, 200);
    wire.silenceAll();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('no answer')), TIMEOUT_MS);
    t.after(() => clearTimeout(timer));
    const answers = await Promise.race([
      Promise.all(books.map((book, i) => ways(book)[i]?.())),
      new Promise<never>((_, reject) => late.signal.addEventListener('abort', () => reject(late.signal.reason))),
    ]);
    for (const answer of answers) {
      assert.equal(answer?.status, 503);
      assert.ok(Number(answer?.headers.get('retry-after')) >= 1);
    }
    wire.endSilence();
    const isReady = async () => (await send(`${world.server.address}/readyz`)).status === 200;
    while (!(await isReady())) await delay(LOOK_MS);
    for (const [i, book] of books.entries()) {
      const value: unknown = (await book.cell('A1')).v;
      assert.ok(value === 'first' || (i === 1 && value === 'put'), String(value));
    }
  });

  test('a statement that takes long on a connection that lives goes on', async (t) => {
    const database = await openPostgres({ url: place.url, connections: 1 });
    t.after(() => database.close());
    const slow = prepare(() =>
      sql
        .selectFrom('meta')
        .select(raw<string>`pg_sleep(${raw.lit(SLOW_SECONDS)})::text`.as('slept'))
        .limit(1),
    );
    assert.equal((await database.read(slow({}))).length, 1);
  });
});
