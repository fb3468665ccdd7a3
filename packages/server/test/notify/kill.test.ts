import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Json, startWorld } from '../http/support.ts';
import { killWhileWriting } from '../killing.ts';
import type { Behaviour, Received } from './receiver.ts';
import { deliveries, HASTY, items, STUBBORN_DELAYS_MS, type Subscribed, subscribe } from './support.ts';

const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const DOCUMENTS = 3;
/** `node packages/server/test/notify/kill.test.ts 50` kills more often. */
const ROUNDS = Number(process.argv[2] ?? 3);
/** A round is killed after a random number of acknowledged commits up to this. */
const MAX_ACKNOWLEDGED = 150;
const PAGE = 200;
/** A receiver answers after a random time up to this. */
const MAX_ANSWER_MS = 100;

const failed = new Set<unknown>();

/** Takes a moment, so that kills meet attempts under way, and fails now and then; no delivery twice. */
const slowAndFickle: Behaviour = (response, { headers }) => {
  const id = headers['webhook-id'];
  const fails = !failed.has(id) && Math.random() < 0.1;
  if (fails) failed.add(id);
  const status = fails ? 503 : 200;
  setTimeout(() => response.writeHead(status).end(), Math.random() * MAX_ANSWER_MS);
};

/** Waits until all deliveries of a subscription are delivered; their ids. */
async function allDelivered(subscribed: Subscribed): Promise<readonly string[]> {
  for (;;) {
    const all = await allDeliveries(subscribed);
    if (all.every((entry) => ended(entry) === 'delivered')) return all.map((entry) => String(entry['deliveryId']));
    await once(subscribed.receiver.progress, 'tick');
  }
}

async function allDeliveries(subscribed: Subscribed): Promise<readonly Json[]> {
  const all: Json[] = [];
  for (;;) {
    const page = await deliveries(subscribed, subscribed.webhook, `?limit=${PAGE}&offset=${all.length}`);
    all.push(...items(page['entries']));
    if (all.length >= Number(page['total'])) return all;
  }
}

/** The state of a delivery, which must not have ended but well. */
function ended(delivery: Json): string {
  const state = String(delivery['state']);
  assert.ok(['waiting', 'sending', 'delivered'].includes(state), state);
  return state;
}

/** Every revision is in one window of its own source, and every window came at least once, always with the same set. */
function checkWindows(received: readonly Received[], newest: number): number {
  const windows = new Map<string, string>();
  const told = new Map<string, Set<number>>();
  for (const { body } of received) {
    const window = JSON.stringify([body['source'], body['revision'], body['ranges']]);
    const id = String(body['deliveryId']);
    assert.equal(windows.get(id) ?? window, window, 'a deliveryId stands for one window');
    windows.set(id, window);
    const cells = items(body['cells']).map((cell) => Number(cell['row']) + 1);
    const before = told.get(id);
    assert.deepEqual([...(before ?? cells)], cells);
    told.set(id, new Set(cells));
  }
  const revisions = [...told.values()].flatMap((cells) => [...cells]).sort((a, b) => a - b);
  assert.deepEqual(
    revisions,
    Array.from({ length: newest }, (_, i) => i + 1),
    'each revision is told in exactly one window',
  );
  return windows.size;
}

test(`killed ${ROUNDS} times: every window is delivered, none forgotten`, async (t) => {
  const world = await startWorld({
    notifications: { ...HASTY, retryDelaysMs: STUBBORN_DELAYS_MS, maxWaitMs: 150, maxCells: 100_000 },
  });
  const subscribed: Subscribed[] = [];
  for (let i = 0; i < DOCUMENTS; i++) subscribed.push(await subscribe(t, world, await world.book()));
  for (const { receiver } of subscribed) receiver.behaviour = slowAndFickle;
  const { config } = world.server.service.context;
  const file = join(config.dataFolder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  await world.server.close();
  const acknowledged = new Map<string, number>();
  const ids = subscribed.map(({ book }) => book.document);
  for (let round = 0; round < ROUNDS; round++) {
    const writes = 1 + Math.floor(Math.random() * MAX_ACKNOWLEDGED);
    const latest = await killWhileWriting(CHILD, [file, ...ids], writes);
    for (const [id, revision] of latest) acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, revision));
  }
  const after = await world.restart();
  t.after(() => after.close());
  let windows = 0;
  let requests = 0;
  for (const one of subscribed) {
    const book = after.api(one.book.token, one.book.document);
    const newest = Number(await book.revision());
    assert.ok(newest >= (acknowledged.get(book.document) ?? 0));
    const told = () => new Set(one.receiver.received.flatMap(({ body }) => Number(body['revision']['to'])));
    while (newest > 0 && !told().has(newest)) await once(one.receiver.progress, 'tick');
    const delivered = await allDelivered({ ...one, book });
    windows += checkWindows(one.receiver.received, newest);
    const arrived = new Set(one.receiver.received.map(({ body }) => String(body['deliveryId'])));
    for (const id of delivered) assert.ok(arrived.has(id));
    requests += one.receiver.received.length;
  }
  t.diagnostic(`${windows} windows in ${requests} requests`);
});
