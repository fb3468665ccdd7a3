import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { HOST_QUICK_SLOTS, HOST_SLOW_SLOTS, MAX_IDLE_CONNECTIONS_PER_HOST } from '../../src/limits/notify.ts';
import type { Api, World } from '../http/support.ts';
import { answering, startReceiver } from './receiver.ts';
import { startNotifying, subscribe } from './support.ts';

const MOST_CONNECTIONS = HOST_QUICK_SLOTS + HOST_SLOW_SLOTS;
const BOOKS = 3;
const SUBSCRIPTIONS_EACH = 100;

async function subscribeMany(world: World, url: string): Promise<readonly Api[]> {
  const books: Api[] = [];
  for (let i = 0; i < BOOKS; i++) books.push(await world.book());
  for (const book of books) {
    const made = Array.from({ length: SUBSCRIPTIONS_EACH }, () => book.post('/webhooks', { url }));
    for (const { status } of await Promise.all(made)) assert.equal(status, 200);
  }
  return books;
}

test('a host that answers nobody has a bounded number of connections, and other hosts are told meanwhile', async (t) => {
  const world = await startNotifying(t, {}, { oneNode: true });
  const receiver = await startReceiver(t);
  const held: ServerResponse[] = [];
  receiver.behaviour = (response) => held.push(response);
  const books = await subscribeMany(world, receiver.url);
  const other = await subscribe(t, world);
  for (const book of books) await book.put('A1', [[1]]);
  await receiver.take(MOST_CONNECTIONS);
  await other.book.put('A1', [[1]]);
  await other.receiver.take(1);
  assert.equal(receiver.received.length, MOST_CONNECTIONS);

  receiver.behaviour = answering(200);
  for (const response of held) response.writeHead(200).end();
  const all = BOOKS * SUBSCRIPTIONS_EACH;
  const received = await receiver.take(all);
  assert.equal(new Set(received.map(({ body }) => body['deliveryId'])).size, all);
  const open = () => new Set(received.map(({ socket }) => socket).filter(({ destroyed }) => !destroyed)).size;
  while (open() > MAX_IDLE_CONNECTIONS_PER_HOST) await once(receiver.progress, 'tick');
});
