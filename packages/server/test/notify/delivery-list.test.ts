import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Statement } from '@cellwire/store';
import { formatStructure } from '@cellwire/store/stored-forms';
import { insertDelivery, insertNotification } from '@cellwire/store/webhooks';
import { type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { respondWith } from './receiver.ts';
import { listDeliveries, QUICK, subscribe, toElements, waitForDelivery, waitForState } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ notifications: QUICK });
});
after(() => world.close());

test('deliveries are listed newest first, with their attempts', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  receiver.behaviour = (response, _, count) => response.writeHead(count === 1 ? 500 : 200).end(`answer ${count}`);
  await book.put('A1', [[1, 2]]);
  await waitForState(subscription, 'delivered');
  await book.put('A1', [[3]]);
  await receiver.waitForRequests(3);
  await waitForState(subscription, 'delivered');
  const list = await listDeliveries(subscription, webhook);
  assert.deepEqual([list['total'], list['offset'], list['limit']], [2, 0, 50]);
  const [newest, oldest] = toElements(list['entries']);
  assert.deepEqual(
    [newest?.['revision'], oldest?.['revision']],
    [
      { from: 2, to: 2 },
      { from: 1, to: 1 },
    ],
  );
  assert.equal(oldest?.['cellCount'], 2);
  assert.equal(oldest?.['nextAttemptAt'], null);
  assert.deepEqual(
    toElements(oldest?.['attempts']).map((one) => [one['attempt'], one['outcome'], one['status'], one['response']]),
    [
      [1, 'retry', 500, 'answer 1'],
      [2, 'delivered', 200, 'answer 2'],
    ],
  );
  const page = await listDeliveries(subscription, webhook, '?limit=1&offset=1');
  assert.deepEqual(toElements(page['entries'])[0]?.['deliveryId'], oldest?.['deliveryId']);
  assert.equal((await listDeliveries(subscription, webhook, '?state=refused'))['total'], 0);
  assert.equal((await book.requestInDocument('GET', `/webhooks/${webhook}/deliveries?state=odd`)).status, 422);
});

test('windows closed at the same time are listed by revision, newest first', async (t) => {
  const { book, webhook } = await subscribe(t, world);
  const { database, clock } = world.server.service.context;
  const at = clock();
  const revisions = Array.from({ length: 8 }, (_, i) => i + 1);
  const statements = revisions.flatMap((revision) => createWindow(book.document, webhook, revision, at));
  await database.write({ document: book.document, statements });
  const entries = toElements((await listDeliveries({ book }, webhook))['entries']);
  assert.deepEqual(
    entries.map((one) => Number(memberAt(one, 'revision', 'to'))),
    revisions.toReversed(),
  );
});

/** Creates a closed window of one revision, with its delivery. */
function createWindow(document_id: string, webhook_id: number, revision: number, at: number): readonly Statement[] {
  const notification_id = randomUUID();
  return [
    insertNotification({
      ...{ document_id, id: notification_id, kind: 'change', origin: 'api', token_id: null, token_name: null },
      ...{ from_revision: revision, to_revision: revision, changed_at: at, created_at: at },
      ...{ authors: '[]', sheets: '[]', structure: formatStructure([]), records: null, request_id: null },
    }),
    insertDelivery({ document_id, id: randomUUID(), webhook_id, notification_id, hidden: '[]', created_at: at }),
  ];
}

test('deliveries are filtered by state, time and revision, in pages', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  const newestFirst: Json[] = [];
  for (const status of [200, 404, 200, 404]) {
    receiver.behaviour = respondWith(status);
    const { body } = await book.post(`/webhooks/${webhook}/test`, undefined);
    newestFirst.unshift(memberAt(body, 'delivery'));
    await waitForState(subscription, 'delivered', 'refused');
  }
  receiver.behaviour = respondWith(200);
  for (let i = 1; i <= 3; i++) {
    await book.put('A1', [[i]]);
    await waitForDelivery(
      subscription,
      (one) => Number(memberAt(one, 'revision', 'to')) === i && one['finishedAt'] !== null,
    );
    newestFirst.unshift(memberAt(await listDeliveries(subscription, webhook), 'entries', 0) as Json);
  }
  const getCreatedAt = (index: number) => String(newestFirst[index]?.['createdAt']);
  const listIds = (...indices: number[]) => indices.map((index) => newestFirst[index]?.['deliveryId']);
  const cases: readonly (readonly [query: string, ids: readonly unknown[], total: number])[] = [
    ['', listIds(0, 1, 2, 3, 4, 5, 6), 7],
    ['?state=refused', listIds(3, 5), 2],
    ['?state=refused&limit=1&offset=1', listIds(5), 2],
    ['?state=waiting', [], 0],
    [`?since=${getCreatedAt(1)}`, listIds(0, 1), 2],
    [`?until=${getCreatedAt(1)}`, listIds(2, 3, 4, 5, 6), 5],
    [`?since=${getCreatedAt(5)}&until=${getCreatedAt(2)}`, listIds(3, 4, 5), 3],
    [`?since=${getCreatedAt(5)}&until=${getCreatedAt(2)}&state=delivered`, listIds(4), 1],
    [`?since=${encodeURIComponent(getCreatedAt(1).replace('Z', '+00:00'))}`, listIds(0, 1), 2],
    ['?revision=2', listIds(1), 1],
    ['?revision=0', listIds(3, 4, 5, 6), 4],
    ['?revision=99', [], 0],
    ['?limit=2', listIds(0, 1), 7],
    ['?limit=2&offset=2', listIds(2, 3), 7],
    ['?limit=2&offset=6', listIds(6), 7],
    ['?offset=7', [], 7],
    [`?offset=${'9'.repeat(30)}`, [], 7],
  ];
  for (const [query, expected, total] of cases) {
    const list = await listDeliveries(subscription, webhook, query);
    assert.deepEqual(
      [toElements(list['entries']).map((one) => one['deliveryId']), list['total']],
      [expected, total],
      query,
    );
  }
  assert.equal((await listDeliveries(subscription, webhook, '?limit=100000'))['limit'], 200);
  for (const [query, field] of [
    ['?state=odd', 'state'],
    ['?since=yesterday', 'since'],
    ['?since=2026-11-21', 'since'],
    ['?since=2026-11-21T08:00', 'since'],
    ['?until=2026-13-41T08:00:00Z', 'until'],
    ['?until=2026-02-30T08:00:00Z', 'until'],
    ['?revision=x', 'revision'],
    ['?revision=-1', 'revision'],
    ['?limit=0', 'limit'],
    ['?offset=-1', 'offset'],
  ] as const) {
    const { status, body } = await book.requestInDocument('GET', `/webhooks/${webhook}/deliveries${query}`);
    assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, [field]], query);
  }
});
