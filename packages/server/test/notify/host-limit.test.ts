import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { HOST_QUICK_SLOTS, HOST_SLOW_SLOTS, MAX_IDLE_CONNECTIONS_PER_HOST } from '../../src/limits/notify.ts';
import type { Api, World } from '../http/support.ts';
import { respondWith, startReceiver } from './receiver.ts';
import { startNotifying, subscribe } from './support.ts';

const MAX_CONNECTIONS = HOST_QUICK_SLOTS + HOST_SLOW_SLOTS;
const BOOKS = 3;
const SUBSCRIPTIONS_PER_BOOK = 100;

async function subscribeMany(world: World, url: string): Promise<readonly Api[]> {
  const books: Api[] = [];
  for (let i = 0; i < BOOKS; i++) books.push(await world.createBook());
  for (const book of books) {
    const responses = Array.from({ length: SUBSCRIPTIONS_PER_BOOK }, () => book.post('/webhooks', { url }));
    for (const { status } of await Promise.all(responses)) assert.equal(status, 200);
  }
  return books;
}

test('a host that never responds has a limited number of connections, and other hosts are served', async (t) => {
  const world = await startNotifying(t, {}, { oneNode: true });
  const receiver = await startReceiver(t);
  const openResponses: ServerResponse[] = [];
  receiver.behaviour = (response) => openResponses.push(response);
  const books = await subscribeMany(world, receiver.url);
  const other = await subscribe(t, world);
  for (const book of books) await book.put('A1', [[1]]);
  await receiver.waitForRequests(MAX_CONNECTIONS);
  await other.book.put('A1', [[1]]);
  await other.receiver.waitForRequests(1);
  assert.equal(receiver.received.length, MAX_CONNECTIONS);

  receiver.behaviour = respondWith(200);
  for (const response of openResponses) response.writeHead(200).end();
  const all = BOOKS * SUBSCRIPTIONS_PER_BOOK;
  const received = await receiver.waitForRequests(all);
  assert.equal(new Set(received.map(({ body }) => body['deliveryId'])).size, all);
  const open = () => new Set(received.map(({ socket }) => socket).filter(({ destroyed }) => !destroyed)).size;
  while (open() > MAX_IDLE_CONNECTIONS_PER_HOST) await once(receiver.progress, 'tick');
});
