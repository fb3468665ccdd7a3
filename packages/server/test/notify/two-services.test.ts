import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../http/support.ts';
import type { Behaviour } from './receiver.ts';
import { deliveries, items, type Subscribed, startNotifying, subscribe, untilDelivery } from './support.ts';

const DOCUMENTS = 4;
const WRITES = 40;

/** Fails every fifth request, and finds out whether two for one delivery are ever under way at once. */
function watching(overlaps: string[]): Behaviour {
  const underWay = new Set<string>();
  return (response, request, count) => {
    const id = String(request.headers['webhook-id']);
    if (underWay.has(id)) overlaps.push(id);
    underWay.add(id);
    setTimeout(() => {
      underWay.delete(id);
      response.writeHead(count % 5 === 0 ? 503 : 200).end();
    }, count % 30);
  };
}

test('two services on the same data tell each revision in one window, and never send a delivery twice at once', async (t) => {
  const world = await startNotifying(t, { maxWaitMs: 200 });
  const second = await world.startSecondService();
  t.after(() => second.close());
  const overlaps: string[] = [];
  const all: Subscribed[] = [];
  for (let i = 0; i < DOCUMENTS; i++) all.push(await subscribe(t, world, await world.book()));
  for (const { receiver } of all) receiver.behaviour = watching(overlaps);
  await Promise.all(all.map(({ book }) => write(book, second.address)));
  for (const subscribed of all) {
    await untilDelivery(subscribed, (one) => Number(one['revision']['to']) === WRITES);
    const entries = await untilAllDelivered(subscribed);
    const windows = entries.map((one) => [Number(one['revision']['from']), Number(one['revision']['to'])] as const);
    const told = windows.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
    assert.deepEqual(
      told.sort((a, b) => a - b),
      Array.from({ length: WRITES }, (_, i) => i + 1),
    );
    const attempts = entries.reduce((sum, one) => sum + items(one['attempts']).length, 0);
    assert.equal(subscribed.receiver.received.length, attempts, 'every request was one counted attempt');
  }
  assert.deepEqual(overlaps, []);
});

/** Writes through both services in turns. */
async function write(book: Api, other: string): Promise<void> {
  const there = new Api(other, book.token, book.document);
  for (let i = 1; i <= WRITES; i++) {
    const { status } = await (i % 2 === 0 ? there : book).put(`A${i}`, [[i]]);
    assert.equal(status, 200);
  }
}

async function untilAllDelivered(subscribed: Subscribed) {
  for (;;) {
    const entries = items((await deliveries(subscribed, subscribed.webhook, '?limit=200'))['entries']);
    if (entries.every((one) => (one['state'] as unknown) === 'delivered')) return entries;
    await untilDelivery(subscribed, () => true);
  }
}
