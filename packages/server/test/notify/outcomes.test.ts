import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { memberAt, ON_ONE_NODE, startWorld, type World } from '../http/support.ts';
import { type ReceiverBehaviour, respondWith } from './receiver.ts';
import { listDeliveries, QUICK, SHORT_TIMEOUT, subscribe, toElements, waitForRetry, waitForState } from './support.ts';

/** `shortTimeoutWorld` is for responses that never end. */
let world: World;
let shortTimeoutWorld: World;
before(async () => {
  world = await startWorld({ notifications: QUICK });
  shortTimeoutWorld = await startWorld({ notifications: SHORT_TIMEOUT });
});
after(() => Promise.all([world.close(), shortTimeoutWorld.close()]));

/** Maximum delay of a busy machine, in milliseconds. */
const MAX_DELAY_MS = 120_000;

interface OutcomeCase {
  readonly name: string;
  readonly behaviour: ReceiverBehaviour;
  readonly state: 'delivered' | 'refused' | 'exhausted';
  readonly attempts: number;
  readonly status: number | null;
  /** True if only the timeout ends the response. */
  readonly hangs?: true;
}

/** An endless body, sent as fast as it is read. */
const sendEndlessBody: ReceiverBehaviour = (response) => {
  response.writeHead(200);
  const part = Buffer.alloc(65_536, 'x');
  const writeUntilFull = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', writeUntilFull).on('error', () => {});
  writeUntilFull();
};

/** An endless body, one byte at a time. */
const sendSlowBody: ReceiverBehaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(timer)).on('error', () => {});
};

/** Answers of a receiver with the outcome of the delivery. */
const CASES: readonly OutcomeCase[] = [
  { name: '200', behaviour: respondWith(200), state: 'delivered', attempts: 1, status: 200 },
  { name: '204', behaviour: respondWith(204), state: 'delivered', attempts: 1, status: 204 },
  { name: '299', behaviour: respondWith(299), state: 'delivered', attempts: 1, status: 299 },
  { name: '500', behaviour: respondWith(500), state: 'exhausted', attempts: 5, status: 500 },
  { name: '503', behaviour: respondWith(503), state: 'exhausted', attempts: 5, status: 503 },
  { name: '408', behaviour: respondWith(408), state: 'exhausted', attempts: 5, status: 408 },
  { name: '429', behaviour: respondWith(429), state: 'exhausted', attempts: 5, status: 429 },
  { name: '400', behaviour: respondWith(400), state: 'refused', attempts: 1, status: 400 },
  { name: '404', behaviour: respondWith(404), state: 'refused', attempts: 1, status: 404 },
  { name: '410', behaviour: respondWith(410), state: 'refused', attempts: 1, status: 410 },
  { name: '301', behaviour: respondWith(301, { location: '/hook' }), state: 'refused', attempts: 1, status: 301 },
  { name: '307', behaviour: respondWith(307, { location: '/hook' }), state: 'refused', attempts: 1, status: 307 },
  { name: 'no header', behaviour: () => {}, state: 'exhausted', attempts: 5, status: null, hangs: true },
  {
    name: 'half a header',
    behaviour: (response) => response.socket?.write('HTTP/1.1 200 OK\r\nContent-'),
    state: 'exhausted',
    attempts: 5,
    status: null,
    hangs: true,
  },
  {
    name: 'a header without a body',
    behaviour: (response) => response.writeHead(200, { 'content-length': '5' }).flushHeaders(),
    state: 'exhausted',
    attempts: 5,
    status: null,
    hangs: true,
  },
  { name: 'a slow body', behaviour: sendSlowBody, state: 'exhausted', attempts: 5, status: null, hangs: true },
  { name: 'an endless body', behaviour: sendEndlessBody, state: 'delivered', attempts: 1, status: 200 },
  {
    name: 'a reset before the header',
    behaviour: (response) => response.socket?.resetAndDestroy(),
    state: 'exhausted',
    attempts: 5,
    status: null,
  },
  {
    name: 'a reset within the body',
    behaviour: (response) => {
      response.writeHead(200, { 'content-length': '50' }).write('part');
      response.socket?.resetAndDestroy();
    },
    state: 'exhausted',
    attempts: 5,
    status: null,
  },
  {
    name: 'another protocol',
    behaviour: (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
    state: 'exhausted',
    attempts: 5,
    status: null,
  },
];

describe('delivery outcomes', { concurrency: true }, () => {
  for (const { name, behaviour, state, attempts, status, hangs = false } of CASES) {
    test(`${name}: ${state} after ${attempts}`, async (t) => {
      const subscription = await subscribe(t, hangs ? shortTimeoutWorld : world);
      const { receiver, book } = subscription;
      receiver.behaviour = behaviour;
      await book.put('A1', [[1]]);
      const delivery = await waitForState(subscription, 'delivered', 'refused', 'exhausted');
      assert.equal(delivery['state'], state);
      assert.deepEqual(
        toElements(delivery['attempts']).map((entry) => [entry['attempt'], entry['status']]),
        Array.from({ length: attempts }, (_, i) => [i + 1, status]),
      );
      // On a busy machine a hanging attempt may time out before its request arrives.
      if (!hangs) assert.ok(receiver.received.length >= attempts);
      for (const { body } of receiver.received) assert.equal(body['deliveryId'], delivery['deliveryId']);
    });
  }
});

test('after a transient failure the next attempt delivers, with a new body and signature', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  receiver.behaviour = (response, _, count) => response.writeHead(count < 3 ? 503 : 200).end();
  await book.put('A1', [[1]]);
  await waitForState(subscription, 'delivered');
  const bodies = receiver.received.map(({ body }) => body);
  assert.deepEqual(
    bodies.map((body) => body['attempt']),
    [1, 2, 3],
  );
  const signatures = receiver.received.map(({ headers }) => headers['x-service-signature']);
  assert.equal(new Set(signatures).size, 3);
});

test('values are read at each attempt, but the set of cells belongs to the window', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  receiver.behaviour = (response, _, count) => {
    if (count > 1) response.writeHead(200).end();
    else book.put('A1', [[7, '', 9]]).then(() => response.writeHead(500).end());
  };
  await book.put('A1', [[1, 2]]);
  // The second write has its own notification, which may arrive before the first one's second attempt.
  const second = (await receiver.waitForRequests(3)).find(({ body }) => Number(body['attempt']) === 2);
  assert.deepEqual(
    toElements(second?.body['cells']).map((cell) => [cell['ref'], cell['v'], cell['t']]),
    [
      ['A1', 7, 'number'],
      ['B1', null, 'empty'],
    ],
  );
  assert.deepEqual(second?.body['revision'], { from: 1, to: 1 });
});

test('Retry-After delays the next attempt', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  receiver.behaviour = (response, _, count) =>
    response.writeHead(count === 1 ? 429 : 200, count === 1 ? { 'retry-after': '1' } : {}).end();
  await book.put('A1', [[1]]);
  const [first, second] = await receiver.waitForRequests(2);
  const delayMs = (second?.at ?? 0) - (first?.at ?? 0);
  // Without Retry-After, the delay would be some milliseconds. Service and receiver use different clocks.
  assert.ok(delayMs >= 900, `${delayMs} ms`);
});

for (const seconds of [86_000, 31_536_000]) {
  test(`Retry-After: ${seconds} seconds are respected up to a day`, async (t) => {
    const subscription = await subscribe(t, world);
    subscription.receiver.behaviour = respondWith(503, { 'retry-after': String(seconds) });
    await subscription.book.put('A1', [[1]]);
    const delivery = await waitForRetry(subscription, 1);
    const wait = Date.parse(String(delivery['nextAttemptAt'])) - Date.now();
    assert.ok(Math.abs(wait - Math.min(seconds, 86_400) * 1000) < MAX_DELAY_MS, `${wait} ms`);
  });
}

test('the delay starts at the end of the previous attempt', async (t) => {
  const subscription = await subscribe(t, world);
  let answeredAt = 0;
  subscription.receiver.behaviour = (response) => {
    setTimeout(() => {
      answeredAt = Date.now();
      response.writeHead(503, { 'retry-after': '3600' }).end();
    }, 150);
  };
  await subscription.book.put('A1', [[1]]);
  const delivery = await waitForRetry(subscription, 1);
  const durationMs = Number(memberAt(delivery, 'attempts')[0]?.['durationMs']);
  assert.ok(durationMs >= 145, `${durationMs} ms`);
  // If the wait were measured from the start of the attempt, it would be 150 ms shorter.
  const wait = Date.parse(String(delivery['nextAttemptAt'])) - answeredAt;
  assert.ok(wait >= 3_600_000 && wait < 3_600_000 + MAX_DELAY_MS, `${wait} ms`);
});

test('a TLS error counts as a timeout', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  const url = receiver.url.replace('http:', 'https:');
  await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { url } });
  await book.put('A1', [[1]]);
  const delivery = await waitForState(subscription, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  assert.match(String(memberAt(delivery, 'attempts')[0]?.['error']), /SSL|TLS|EPROTO/);
});

test('a refused connection counts as a timeout', async (t) => {
  const subscription = await subscribe(t, world);
  const { book, webhook } = subscription;
  await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { url: 'http://127.0.0.1:1/' } });
  await book.put('A1', [[1]]);
  const delivery = await waitForState(subscription, 'delivered', 'refused', 'exhausted');
  assert.deepEqual([delivery['state'], memberAt(delivery, 'attempts')[4]?.['error']], ['exhausted', 'ECONNREFUSED']);
});

test('410 ends the subscription', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  receiver.behaviour = respondWith(410);
  await book.put('A1', [[1]]);
  await waitForState(subscription, 'refused');
  const [listedWebhook] = toElements((await book.requestInDocument('GET', '/webhooks')).body['webhooks']);
  assert.deepEqual(
    [listedWebhook?.['id'], listedWebhook?.['active'], listedWebhook?.['inactiveReason']],
    [webhook, false, 'gone'],
  );
});

test('410 cancels the waiting deliveries of the subscription', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  receiver.behaviour = respondWith(503, { 'retry-after': '3600' });
  await book.put('A1', [[1]]);
  await waitForRetry(subscription, 1);
  receiver.behaviour = respondWith(410);
  await book.put('A1', [[2]]);
  await waitForState(subscription, 'refused');
  const states = toElements((await listDeliveries(subscription, webhook))['entries']).map((one) =>
    String(one['state']),
  );
  assert.deepEqual(states, ['refused', 'cancelled']);
});

test('connections are reused', ON_ONE_NODE, async (t) => {
  const { receiver, book } = await subscribe(t, world);
  receiver.behaviour = respondWith(200, {}, 'thank you');
  await book.put('A1', [[1]]);
  await receiver.waitForRequests(1);
  // The sender closes connections that are idle for some seconds, which may pass on a busy machine. Then repeat.
  for (let count = 2, isReused = false; !isReused; count++) {
    assert.ok(count < 6, 'each request had a connection of its own');
    await book.put('A1', [[count]]);
    const [first, second] = (await receiver.waitForRequests(count)).slice(count - 2);
    isReused = first?.socket === second?.socket;
  }
});

test('a receiver that closes idle connections loses nothing', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  for (let i = 1; i <= 3; i++) {
    await book.put('A1', [[i]]);
    const { socket } = (await receiver.waitForRequests(i))[i - 1] ?? {};
    await waitForState(subscription, 'delivered');
    socket?.destroy();
  }
  const all = await listDeliveries(subscription, subscription.webhook);
  for (const entry of toElements(all['entries'])) assert.equal(toElements(entry['attempts']).length, 1);
});
