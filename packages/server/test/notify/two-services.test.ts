import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api, memberAt } from '../http/support.ts';
import type { ReceiverBehaviour } from './receiver.ts';
import {
  listDeliveries,
  startNotifying,
  subscribe,
  type TestSubscription,
  toElements,
  waitForDelivery,
} from './support.ts';

const DOCUMENTS = 4;
const WRITES = 40;

/** Fails every fifth request, and detects simultaneous requests for one delivery. */
function detectOverlaps(overlaps: string[]): ReceiverBehaviour {
  const running = new Set<string>();
  return (response, request, count) => {
    const id = String(request.headers['webhook-id']);
    if (running.has(id)) overlaps.push(id);
    running.add(id);
    setTimeout(() => {
      running.delete(id);
      response.writeHead(count % 5 === 0 ? 503 : 200).end();
    }, count % 30);
  };
}

test('two services with the same data notify each revision in one window, and send no delivery twice at once', async (t) => {
  const world = await startNotifying(t, { maxWaitMs: 200 });
  const second = await world.startSecondService();
  t.after(() => second.close());
  const overlaps: string[] = [];
  const subscriptions: TestSubscription[] = [];
  for (let i = 0; i < DOCUMENTS; i++) subscriptions.push(await subscribe(t, world, await world.createBook()));
  for (const { receiver } of subscriptions) receiver.behaviour = detectOverlaps(overlaps);
  await Promise.all(subscriptions.map(({ book }) => write(book, second.address)));
  for (const subscription of subscriptions) {
    await waitForDelivery(subscription, (one) => Number(memberAt(one, 'revision', 'to')) === WRITES);
    const entries = await waitUntilAllDelivered(subscription);
    const windows = entries.map(
      (one) => [Number(memberAt(one, 'revision', 'from')), Number(memberAt(one, 'revision', 'to'))] as const,
    );
    const revisions = windows.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
    assert.deepEqual(
      revisions.sort((a, b) => a - b),
      Array.from({ length: WRITES }, (_, i) => i + 1),
    );
    const attempts = entries.reduce((sum, one) => sum + toElements(one['attempts']).length, 0);
    assert.equal(subscription.receiver.received.length, attempts, 'every request was one counted attempt');
  }
  assert.deepEqual(overlaps, []);
});

/** Writes through both services in turn. */
async function write(book: Api, other: string): Promise<void> {
  const otherApi = new Api(other, book.token, book.document);
  for (let i = 1; i <= WRITES; i++) {
    const { status } = await (i % 2 === 0 ? otherApi : book).put(`A${i}`, [[i]]);
    assert.equal(status, 200);
  }
}

async function waitUntilAllDelivered(subscription: TestSubscription) {
  for (;;) {
    const entries = toElements((await listDeliveries(subscription, subscription.webhook, '?limit=200'))['entries']);
    if (entries.every((one) => (one['state'] as unknown) === 'delivered')) return entries;
    await waitForDelivery(subscription, () => true);
  }
}
