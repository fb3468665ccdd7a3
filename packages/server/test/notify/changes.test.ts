import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { maintain } from '../../src/documents/maintenance.ts';
import { COMMIT_LOG_MS } from '../../src/limits/limits.ts';
import type { Api, Json, World } from '../http/support.ts';
import { startWorld } from '../http/support.ts';
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
  await maintain({ database, clock, onError: fail }, { auditDays: 365, idempotencyMs: 0 });
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
