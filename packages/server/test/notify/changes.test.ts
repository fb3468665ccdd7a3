import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runMaintenanceRound } from '../../src/documents/maintenance.ts';
import { COMMIT_LOG_MS } from '../../src/limits/retention.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { openEventStream } from './event-stream.ts';
import { toElements } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function readChanges(book: Api, query: string): Promise<Json> {
  const answer = await book.requestInDocument('GET', `/changes?${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return memberAt(answer.body, 'changes');
}

test('the change feed returns the changes after a revision, in pages', async () => {
  const book = await world.createBook();
  await book.put('B1', [['=A1*2']]);
  await book.put('A1', [[1], [2]]);
  await book.clear('A2');
  const first = await readChanges(book, 'since=0&limit=2');
  const entries = toElements(first['entries']);
  assert.deepEqual(
    entries.map((entry_) => [
      entry_['revision'],
      entry_['ranges'],
      entry_['derived'],
      entry_['cellCount'],
      entry_['origin'],
    ]),
    [
      [1, ['Sheet1!B1'], [], 1, 'api'],
      [2, ['Sheet1!A1:A2'], ['Sheet1!B1'], 3, 'api'],
    ],
  );
  assert.deepEqual(entries[0]?.['author'], { id: 1, name: 'User 1' });
  assert.equal(entries[0]?.['sourceToken'], 'test token');
  assert.deepEqual([first['revision'], first['next'], first['hasMore'], first['gap']], [3, 2, true, false]);
  const second = await readChanges(book, `since=${first['next']}`);
  assert.deepEqual(
    toElements(second['entries']).map((entry_) => [entry_['revision'], entry_['ranges']]),
    [[3, ['Sheet1!A2']]],
  );
  assert.deepEqual([second['next'], second['hasMore']], [3, false]);
  assert.deepEqual(toElements((await readChanges(book, 'since=3'))['entries']), []);
});

/** Every second cell of 60 × 60, so that no two cells form a range. */
const CHECKERBOARD = Array.from({ length: 60 }, (_, row) =>
  Array.from({ length: 60 }, (_, column) => ((row + column) % 2 === 0 ? row : null)),
);

test('a commit with more areas than the log stores is truncated and counted', async (t) => {
  const book = await world.createBook();
  await book.put('CA1', [['=MAP(A1:BH60;LAMBDA(x;x+1))']]);
  const stream = await openEventStream(t, book, {}, '?since=1');
  assert.equal((await book.put('A1', CHECKERBOARD)).status, 200);
  const answer = await readChanges(book, 'since=1');
  const [entry] = toElements(answer['entries']);
  // Every second derived cell changes, too. In row 1 blank cells count as zero.
  assert.equal(Number(entry?.['cellCount']), 1_800 + 1_770);
  assert.deepEqual([entry?.['truncated'], toElements(entry?.['ranges'] as Json).length], [true, 200]);
  assert.equal(memberAt(entry, 'ranges', 0), 'Sheet1!A1');
  assert.equal((await stream.next())?.data['truncated'], true);
});

test('the change feed returns as many changes as fit into a response', async () => {
  const limitedWorld = await startWorld({ limits: { maxResponseBytes: 20_000 } });
  const book = await limitedWorld.createBook();
  for (let i = 1; i <= 4; i++)
    await book.put(
      'A1',
      CHECKERBOARD.map((row) => row.map((cell) => (cell === null ? null : i))),
    );
  const listedRevisions: number[] = [];
  for (let since = 0, more = true; more; ) {
    const answer = (await book.requestInDocument('GET', `/changes?since=${since}`)).body['changes'];
    const entries = toElements(memberAt(answer, 'entries'));
    assert.ok(entries.length < 4);
    assert.ok(Buffer.byteLength(JSON.stringify(answer)) < 20_000);
    listedRevisions.push(...entries.map((entry_) => Number(entry_['revision'])));
    assert.equal(Number(memberAt(answer, 'next')), listedRevisions.at(-1));
    since = Number(memberAt(answer, 'next'));
    more = Boolean(memberAt(answer, 'hasMore'));
  }
  assert.deepEqual(listedRevisions, [1, 2, 3, 4]);
  await limitedWorld.close();
});

test('a new number format counts as a change, also in dependent cells', async () => {
  const book = await world.createBook();
  await book.put('A1', [[46_000, '=A1+1']]);
  await book.put('A1', [['12/09/2025']]);
  await book.put('A1', [['12/09/2025']]);
  const { entries } = await readChanges(book, 'since=1');
  assert.deepEqual(
    toElements(entries).map((entry_) => [entry_['ranges'], entry_['derived']]),
    [
      [['Sheet1!A1'], ['Sheet1!B1']],
      [[], []],
    ],
  );
  assert.deepEqual(await book.cell('B1'), { v: 46_001, m: '12/10/2025', f: '=A1+1', t: 'd' });
});

test('an unknown revision is a gap', async () => {
  const book = await world.createBook();
  await book.put('A1', [[1]]);
  const answer = await readChanges(book, 'since=99');
  assert.deepEqual([answer['gap'], answer['next'], toElements(answer['entries']).length], [true, 1, 0]);
});

for (const query of ['', 'since=-1', 'since=x', 'since=1.5', 'since=1&limit=0', 'since=1&limit=x']) {
  test(`?${query} is refused`, async () => {
    const book = await world.createBook();
    assert.equal((await book.requestInDocument('GET', `/changes?${query}`)).status, 422);
  });
}

test('the change feed omits cells of hidden sheets', async () => {
  const book = await world.createBook();
  await book.addSheet('Salaries');
  await book.put('Salaries!A1', [[1]]);
  await world.protect(book.document, 'Salaries', { hideValues: true });
  const { api } = await world.addMember(book.document, 'view');
  const entries = toElements((await readChanges(api, 'since=0'))['entries']);
  assert.deepEqual(
    entries.map((entry_) => [entry_['ranges'], entry_['cellCount']]),
    [
      [[], 0],
      [[], 0],
    ],
  );
});

test('a page has 100 entries by default, and at most 500', async () => {
  const book = await world.createBook();
  const revisions = Array.from({ length: 510 }, (_, i) => i + 1);
  await Promise.all(revisions.map((i) => book.put('A1', [[i]])));
  for (const [query, count] of [
    ['since=0', 100],
    ['since=0&limit=1', 1],
    ['since=0&limit=100000', 500],
    ['since=500&limit=10', 10],
  ] as const) {
    const page = await readChanges(book, query);
    const since = Number(/since=(\d+)/.exec(query)?.[1]);
    assert.deepEqual(
      toElements(page['entries']).map((entry_) => entry_['revision']),
      revisions.slice(since, since + count),
      query,
    );
    assert.deepEqual([page['next'], page['hasMore']], [since + count, since + count < 510], query);
  }
});

test('a revision older than the log is a gap', async (t) => {
  const first = await startWorld();
  const book = await first.createBook();
  for (let i = 1; i <= 20; i++) await book.put('A1', [[i]]);
  const restarted = await first.restart();
  t.after(() => restarted.close());
  const { database } = restarted.server.service.context;
  const readClock = () => Date.now() + COMMIT_LOG_MS + 1;
  const fail = (what: string, error: unknown) => assert.fail(`${what}: ${error}`);
  await runMaintenanceRound(
    { database, clock: readClock, onError: fail },
    { auditDays: 365, idempotencyMs: 0, history: { retentionDays: 30, maxRevisions: 10_000 }, trashDays: 30 },
  );
  const api = restarted.apiFor(book.token, book.document);
  const oldPage = await readChanges(api, 'since=5');
  assert.deepEqual(
    [oldPage['gap'], oldPage['next'], oldPage['hasMore'], toElements(oldPage['entries'])],
    [true, 20, false, []],
  );
  await api.put('A1', [['new']]);
  const newPage = await readChanges(api, `since=${oldPage['next']}`);
  assert.deepEqual([newPage['gap'], toElements(newPage['entries']).map((entry_) => entry_['revision'])], [false, [21]]);
  const stream = await openEventStream(t, api, { 'last-event-id': '5' });
  const event = await stream.next();
  assert.deepEqual([event?.event, event?.id], ['reset', '21']);
});
