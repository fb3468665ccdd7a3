import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Json, memberAt, startWorld } from '../http/support.ts';
import { killWhileWriting } from '../kill-while-writing.ts';
import type { ReceivedRequest, ReceiverBehaviour } from './receiver.ts';
import {
  LATE_RETRY_DELAYS_MS,
  listDeliveries,
  SHORT_TIMEOUT,
  subscribe,
  type TestSubscription,
  toElements,
} from './support.ts';

const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const DOCUMENTS = 3;
/** `node packages/server/test/notify/kill.test.ts 50` kills more often. */
const ROUNDS = Number(process.argv[2] ?? 3);
/** Each round is killed after a random number of acknowledged commits, up to this maximum. */
const MAX_ACKNOWLEDGED = 150;
const PAGE = 200;
/** A receiver responds after a random time, up to this maximum. */
const MAX_ANSWER_MS = 100;

const failedIds = new Set<unknown>();

/** Responds slowly, so that kills interrupt attempts, and sometimes fails, but at most once per delivery. */
const unreliable: ReceiverBehaviour = (response, { headers }) => {
  const id = headers['webhook-id'];
  const shouldFail = !failedIds.has(id) && Math.random() < 0.1;
  if (shouldFail) failedIds.add(id);
  const status = shouldFail ? 503 : 200;
  setTimeout(() => response.writeHead(status).end(), Math.random() * MAX_ANSWER_MS);
};

/** Waits until all deliveries of a subscription are delivered; returns their ids. */
async function waitUntilAllDelivered(subscriptions: TestSubscription): Promise<readonly string[]> {
  for (;;) {
    const all = await readAllDeliveries(subscriptions);
    if (all.every((entry) => checkState(entry) === 'delivered')) return all.map((entry) => String(entry['deliveryId']));
    await once(subscriptions.receiver.progress, 'tick');
  }
}

async function readAllDeliveries(subscriptions: TestSubscription): Promise<readonly Json[]> {
  const all: Json[] = [];
  for (;;) {
    const page = await listDeliveries(subscriptions, subscriptions.webhook, `?limit=${PAGE}&offset=${all.length}`);
    all.push(...toElements(page['entries']));
    if (all.length >= Number(page['total'])) return all;
  }
}

/** The state of a delivery, which must not be a failure. */
function checkState(delivery: Json): string {
  const state = String(delivery['state']);
  assert.ok(['waiting', 'sending', 'delivered'].includes(state), state);
  return state;
}

/**
 * Checks that every revision is in one window of its source, and that every window arrived, with the same cells each
 * time.
 */
function checkWindows(received: readonly ReceivedRequest[], newest: number): number {
  const windows = new Map<string, string>();
  const cellsByDelivery = new Map<string, Set<number>>();
  for (const { body } of received) {
    const window = JSON.stringify([body['source'], body['revision'], body['ranges']]);
    const id = String(body['deliveryId']);
    assert.equal(windows.get(id) ?? window, window, 'a deliveryId stands for one window');
    windows.set(id, window);
    const cells = toElements(body['cells']).map((cell) => Number(cell['row']) + 1);
    const earlierCells = cellsByDelivery.get(id);
    assert.deepEqual([...(earlierCells ?? cells)], cells);
    cellsByDelivery.set(id, new Set(cells));
  }
  const revisions = [...cellsByDelivery.values()].flatMap((cells) => [...cells]).sort((a, b) => a - b);
  assert.deepEqual(
    revisions,
    Array.from({ length: newest }, (_, i) => i + 1),
    'each revision is told in exactly one window',
  );
  return windows.size;
}

test(`after ${ROUNDS} kills, every window is delivered`, async (t) => {
  const world = await startWorld({
    notifications: { ...SHORT_TIMEOUT, retryDelaysMs: LATE_RETRY_DELAYS_MS, maxWaitMs: 150, maxCells: 100_000 },
  });
  const subscriptions: TestSubscription[] = [];
  for (let i = 0; i < DOCUMENTS; i++) subscriptions.push(await subscribe(t, world, await world.createBook()));
  for (const { receiver } of subscriptions) receiver.behaviour = unreliable;
  const { config } = world.server.service.context;
  const file = join(config.dataFolder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  await world.server.close();
  const acknowledged = new Map<string, number>();
  const ids = subscriptions.map(({ book }) => book.document);
  for (let round = 0; round < ROUNDS; round++) {
    const writes = 1 + Math.floor(Math.random() * MAX_ACKNOWLEDGED);
    const latest = await killWhileWriting(CHILD, [file, ...ids], writes);
    for (const [id, revision] of latest) acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, revision));
  }
  const restarted = await world.restart();
  t.after(() => restarted.close());
  let windows = 0;
  let requests = 0;
  for (const subscription of subscriptions) {
    const book = restarted.apiFor(subscription.book.token, subscription.book.document);
    const newest = Number(await book.revision());
    assert.ok(newest >= (acknowledged.get(book.document) ?? 0));
    const listNotifiedRevisions = () =>
      new Set(subscription.receiver.received.flatMap(({ body }) => Number(memberAt(body, 'revision')['to'])));
    while (newest > 0 && !listNotifiedRevisions().has(newest)) await once(subscription.receiver.progress, 'tick');
    const delivered = await waitUntilAllDelivered({ ...subscription, book });
    windows += checkWindows(subscription.receiver.received, newest);
    const receivedIds = new Set(subscription.receiver.received.map(({ body }) => String(body['deliveryId'])));
    for (const id of delivered) assert.ok(receivedIds.has(id));
    requests += subscription.receiver.received.length;
  }
  t.diagnostic(`${windows} windows in ${requests} requests`);
});
