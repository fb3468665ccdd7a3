import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { maintain } from '../../src/documents/maintenance.ts';
import { COMMIT_LOG_MS } from '../../src/limits/retention.ts';
import { type Api, type Json, startWorld, type World } from '../http/support.ts';
import { follow } from './event-stream.ts';
import { items } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function changes(book: Api, query: string): Promise<Json> {
  const answer = await book.here('GET', `/changes?${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body['changes'];
}

test('what happened after a revision, page by page', async () => {
  const book = await world.book();
  await book.put('B1', [['=A1*2']]);
  await book.put('A1', [[1], [2]]);
  await book.clear('A2');
  const first = await changes(book, 'since=0&limit=2');
  const entries = items(first['entries']);
  assert.deepEqual(
    entries.map((one) => [one['revision'], one['ranges'], one['derived'], one['cellCount'], one['origin']]),
    [
      [1, ['Sheet1!B1'], [], 1, 'api'],
      [2, ['Sheet1!A1:A2'], ['Sheet1!B1'], 3, 'api'],
    ],
  );
  assert.deepEqual(entries[0]?.['author'], { id: 1, name: 'User 1' });
  assert.equal(entries[0]?.['sourceToken'], 'test token');
  assert.deepEqual([first['revision'], first['next'], first['hasMore'], first['gap']], [3, 2, true, false]);
  const second = await changes(book, `since=${first['next']}`);
  assert.deepEqual(
    items(second['entries']).map((one) => [one['revision'], one['ranges']]),
    [[3, ['Sheet1!A2']]],
  );
  assert.deepEqual([second['next'], second['hasMore']], [3, false]);
  assert.deepEqual(items((await changes(book, 'since=3'))['entries']), []);
});

/** Every other cell of 60 × 60, so that no two belong to one range. */
const CHECKERBOARD = Array.from({ length: 60 }, (_, row) =>
  Array.from({ length: 60 }, (_, column) => ((row + column) % 2 === 0 ? row : null)),
);

test('a commit of more areas than the log keeps is cut and counted, not refused', async (t) => {
  const book = await world.book();
  await book.put('CA1', [['=MAP(A1:BH60;LAMBDA(x;x+1))']]);
  const stream = await follow(t, book, {}, '?since=1');
  assert.equal((await book.put('A1', CHECKERBOARD)).status, 200);
  const answer = await changes(book, 'since=1');
  const [entry] = items(answer['entries']);
  // Of the derived cells, too, every other one changes: row 1 has zeros, as blanks have.
  assert.equal(Number(entry?.['cellCount']), 1_800 + 1_770);
  assert.deepEqual([entry?.['truncated'], items(entry?.['ranges'] as Json).length], [true, 200]);
  assert.equal(entry?.['ranges'][0], 'Sheet1!A1');
  assert.equal((await stream.next())?.data['truncated'], true);
});

test('changes are told as far as they fit into an answer', async () => {
  const small = await startWorld({ limits: { maxResponseBytes: 20_000 } });
  const book = await small.book();
  for (let i = 1; i <= 4; i++)
    await book.put(
      'A1',
      CHECKERBOARD.map((row) => row.map((cell) => (cell === null ? null : i))),
    );
  const seen: number[] = [];
  for (let since = 0, more = true; more; ) {
    const answer = (await book.here('GET', `/changes?since=${since}`)).body['changes'];
    const entries = items(answer['entries']);
    assert.ok(entries.length < 4);
    assert.ok(Buffer.byteLength(JSON.stringify(answer)) < 20_000);
    seen.push(...entries.map((one) => Number(one['revision'])));
    assert.equal(Number(answer['next']), seen.at(-1));
    since = Number(answer['next']);
    more = Boolean(answer['hasMore']);
  }
  assert.deepEqual(seen, [1, 2, 3, 4]);
  await small.close();
});

test('a cell that only shows another number format has changed, and so has what takes it on', async () => {
  const book = await world.book();
  await book.put('A1', [[46_000, '=A1+1']]);
  await book.put('A1', [['12/09/2025']]);
  await book.put('A1', [['12/09/2025']]);
  const { entries } = await changes(book, 'since=1');
  assert.deepEqual(
    items(entries).map((one) => [one['ranges'], one['derived']]),
    [
      [['Sheet1!A1'], ['Sheet1!B1']],
      [[], []],
    ],
  );
  assert.deepEqual(await book.cell('B1'), { v: 46_001, m: '12/10/2025', f: '=A1+1', t: 'd' });
});

test('a revision that is not there is a gap', async () => {
  const book = await world.book();
  await book.put('A1', [[1]]);
  const answer = await changes(book, 'since=99');
  assert.deepEqual([answer['gap'], answer['next'], items(answer['entries']).length], [true, 1, 0]);
});

for (const query of ['', 'since=-1', 'since=x', 'since=1.5', 'since=1&limit=0', 'since=1&limit=x']) {
  test(`?${query} is refused`, async () => {
    const book = await world.book();
    assert.equal((await book.here('GET', `/changes?${query}`)).status, 422);
  });
}

test('cells of hidden sheets are not told', async () => {
  const book = await world.book();
  await book.addSheet('Salaries');
  await book.put('Salaries!A1', [[1]]);
  await world.protect(book.document, 'Salaries', { hideValues: true });
  const { api } = await world.member(book.document, 'view');
  const entries = items((await changes(api, 'since=0'))['entries']);
  assert.deepEqual(
    entries.map((one) => [one['ranges'], one['cellCount']]),
    [
      [[], 0],
      [[], 0],
    ],
  );
});

test('a page has 100 entries unless told otherwise, and 500 at most', async () => {
  const book = await world.book();
  const revisions = Array.from({ length: 510 }, (_, i) => i + 1);
  await Promise.all(revisions.map((i) => book.put('A1', [[i]])));
  for (const [query, count] of [
    ['since=0', 100],
    ['since=0&limit=1', 1],
    ['since=0&limit=100000', 500],
    ['since=500&limit=10', 10],
  ] as const) {
    const page = await changes(book, query);
    const since = Number(/since=(\d+)/.exec(query)?.[1]);
    assert.deepEqual(
      items(page['entries']).map((one) => one['revision']),
      revisions.slice(since, since + count),
      query,
    );
    assert.deepEqual([page['next'], page['hasMore']], [since + count, since + count < 510], query);
  }
});

test('a revision that the log does not reach back to is a gap', async (t) => {
  const first = await startWorld();
  const book = await first.book();
  for (let i = 1; i <= 20; i++) await book.put('A1', [[i]]);
  const again = await first.restart();
  t.after(() => again.close());
  const { database } = again.server.service.context;
  const clock = () => Date.now() + COMMIT_LOG_MS + 1;
  const fail = (what: string, error: unknown) => assert.fail(`${what}: ${error}`);
  await maintain(
    { database, clock, onError: fail },
    { auditDays: 365, idempotencyMs: 0, history: { retentionDays: 30, maxRevisions: 10_000 }, trashDays: 30 },
  );
  const api = again.api(book.token, book.document);
  const old = await changes(api, 'since=5');
  assert.deepEqual([old['gap'], old['next'], old['hasMore'], items(old['entries'])], [true, 20, false, []]);
  await api.put('A1', [['new']]);
  const fresh = await changes(api, `since=${old['next']}`);
  assert.deepEqual([fresh['gap'], items(fresh['entries']).map((one) => one['revision'])], [false, [21]]);
  const stream = await follow(t, api, { 'last-event-id': '5' });
  const event = await stream.next();
  assert.deepEqual([event?.event, event?.id], ['reset', '21']);
});
