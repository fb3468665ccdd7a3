import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ON_ONE_NODE, startWorld, type World } from '../http/support.ts';
import { answering, type Behaviour } from './receiver.ts';
import { deliveries, HASTY, items, QUICK, subscribe, untilRetry, untilState } from './support.ts';

/** Where an answer never ends, `hasty`. */
let world: World;
let hasty: World;
before(async () => {
  world = await startWorld({ notifications: QUICK });
  hasty = await startWorld({ notifications: HASTY });
});
after(() => Promise.all([world.close(), hasty.close()]));

/** A busy machine looks at what it has done at most so much later, in milliseconds. */
const PATIENCE_MS = 120_000;

interface Case {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly state: 'delivered' | 'refused' | 'exhausted';
  readonly attempts: number;
  readonly status: number | null;
  /** Whether only a time-out ends it. */
  readonly hangs?: true;
}

/** A body that never ends, as fast as it is taken. */
const endless: Behaviour = (response) => {
  response.writeHead(200);
  const part = Buffer.alloc(65_536, 'x');
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', more).on('error', () => {});
  more();
};

/** A body that comes one byte at a time and never ends. */
const dripping: Behaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(timer)).on('error', () => {});
};

/** The table of the contract's “Delivery outcomes”, with decisions §10.2. */
const CASES: readonly Case[] = [
  { name: '200', behaviour: answering(200), state: 'delivered', attempts: 1, status: 200 },
  { name: '204', behaviour: answering(204), state: 'delivered', attempts: 1, status: 204 },
  { name: '299', behaviour: answering(299), state: 'delivered', attempts: 1, status: 299 },
  { name: '500', behaviour: answering(500), state: 'exhausted', attempts: 5, status: 500 },
  { name: '503', behaviour: answering(503), state: 'exhausted', attempts: 5, status: 503 },
  { name: '408', behaviour: answering(408), state: 'exhausted', attempts: 5, status: 408 },
  { name: '429', behaviour: answering(429), state: 'exhausted', attempts: 5, status: 429 },
  { name: '400', behaviour: answering(400), state: 'refused', attempts: 1, status: 400 },
  { name: '404', behaviour: answering(404), state: 'refused', attempts: 1, status: 404 },
  { name: '410', behaviour: answering(410), state: 'refused', attempts: 1, status: 410 },
  { name: '301', behaviour: answering(301, { location: '/hook' }), state: 'refused', attempts: 1, status: 301 },
  { name: '307', behaviour: answering(307, { location: '/hook' }), state: 'refused', attempts: 1, status: 307 },
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
  { name: 'a body that drips', behaviour: dripping, state: 'exhausted', attempts: 5, status: null, hangs: true },
  { name: 'an endless body', behaviour: endless, state: 'delivered', attempts: 1, status: 200 },
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
    name: 'no HTTP',
    behaviour: (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
    state: 'exhausted',
    attempts: 5,
    status: null,
  },
];

describe('outcomes', { concurrency: true }, () => {
  for (const { name, behaviour, state, attempts, status, hangs = false } of CASES) {
    test(`${name}: ${state} after ${attempts}`, async (t) => {
      const subscribed = await subscribe(t, hangs ? hasty : world);
      const { receiver, book } = subscribed;
      receiver.behaviour = behaviour;
      await book.put('A1', [[1]]);
      const delivery = await untilState(subscribed, 'delivered', 'refused', 'exhausted');
      assert.equal(delivery['state'], state);
      assert.deepEqual(
        items(delivery['attempts']).map((entry) => [entry['attempt'], entry['status']]),
        Array.from({ length: attempts }, (_, i) => [i + 1, status]),
      );
      // A busy machine may let the time of each attempt that hangs run out before its request has arrived.
      if (!hangs) assert.ok(receiver.received.length >= attempts);
      for (const { body } of receiver.received) assert.equal(body['deliveryId'], delivery['deliveryId']);
    });
  }
});

test('a failure that passes: the next attempt delivers, with fresh bytes and a fresh signature', async (t) => {
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  receiver.behaviour = (response, _, count) => response.writeHead(count < 3 ? 503 : 200).end();
  await book.put('A1', [[1]]);
  await untilState(subscribed, 'delivered');
  const bodies = receiver.received.map(({ body }) => body);
  assert.deepEqual(
    bodies.map((body) => body['attempt']),
    [1, 2, 3],
  );
  const signatures = receiver.received.map(({ headers }) => headers['x-service-signature']);
  assert.equal(new Set(signatures).size, 3);
});

test('values are those of the attempt, the set of cells that of the window', async (t) => {
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  receiver.behaviour = (response, _, count) => {
    if (count > 1) response.writeHead(200).end();
    else book.put('A1', [[7, '', 9]]).then(() => response.writeHead(500).end());
  };
  await book.put('A1', [[1, 2]]);
  // The second write is told of by a notification of its own, which may come before the first one's second attempt.
  const second = (await receiver.take(3)).find(({ body }) => Number(body['attempt']) === 2);
  assert.deepEqual(
    items(second?.body['cells']).map((cell) => [cell['ref'], cell['v'], cell['t']]),
    [
      ['A1', 7, 'number'],
      ['B1', null, 'empty'],
    ],
  );
  assert.deepEqual(second?.body['revision'], { from: 1, to: 1 });
});

test('Retry-After puts the next attempt off', async (t) => {
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  receiver.behaviour = (response, _, count) =>
    response.writeHead(count === 1 ? 429 : 200, count === 1 ? { 'retry-after': '1' } : {}).end();
  await book.put('A1', [[1]]);
  const [first, second] = await receiver.take(2);
  const waited = (second?.at ?? 0) - (first?.at ?? 0);
  // Without it, it would come after some milliseconds. The wait is told by another clock than the receiver’s.
  assert.ok(waited >= 900, `${waited} ms`);
});

for (const seconds of [86_000, 31_536_000]) {
  test(`Retry-After: ${seconds} seconds are kept up to a day`, async (t) => {
    const subscribed = await subscribe(t, world);
    subscribed.receiver.behaviour = answering(503, { 'retry-after': String(seconds) });
    await subscribed.book.put('A1', [[1]]);
    const delivery = await untilRetry(subscribed, 1);
    const wait = Date.parse(String(delivery['nextAttemptAt'])) - Date.now();
    assert.ok(Math.abs(wait - Math.min(seconds, 86_400) * 1000) < PATIENCE_MS, `${wait} ms`);
  });
}

test('the wait begins at the end of the attempt before', async (t) => {
  const subscribed = await subscribe(t, world);
  let answeredAt = 0;
  subscribed.receiver.behaviour = (response) => {
    setTimeout(() => {
      answeredAt = Date.now();
      response.writeHead(503, { 'retry-after': '3600' }).end();
    }, 150);
  };
  await subscribed.book.put('A1', [[1]]);
  const delivery = await untilRetry(subscribed, 1);
  const durationMs = Number(delivery['attempts'][0]?.['durationMs']);
  assert.ok(durationMs >= 145, `${durationMs} ms`);
  // From its beginning on, it would be 150 ms less.
  const wait = Date.parse(String(delivery['nextAttemptAt'])) - answeredAt;
  assert.ok(wait >= 3_600_000 && wait < 3_600_000 + PATIENCE_MS, `${wait} ms`);
});

test('a TLS error counts as a time-out', async (t) => {
  const subscribed = await subscribe(t, world);
  const { receiver, book, webhook } = subscribed;
  const url = receiver.url.replace('http:', 'https:');
  await book.here('PATCH', `/webhooks/${webhook}`, { body: { url } });
  await book.put('A1', [[1]]);
  const delivery = await untilState(subscribed, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  assert.match(String(delivery['attempts'][0]?.['error']), /SSL|TLS|EPROTO/);
});

test('a port where nobody listens counts as a time-out', async (t) => {
  const subscribed = await subscribe(t, world);
  const { book, webhook } = subscribed;
  await book.here('PATCH', `/webhooks/${webhook}`, { body: { url: 'http://127.0.0.1:1/' } });
  await book.put('A1', [[1]]);
  const delivery = await untilState(subscribed, 'delivered', 'refused', 'exhausted');
  assert.deepEqual([delivery['state'], delivery['attempts'][4]?.['error']], ['exhausted', 'ECONNREFUSED']);
});

test('410 ends the subscription', async (t) => {
  const subscribed = await subscribe(t, world);
  const { receiver, book, webhook } = subscribed;
  receiver.behaviour = answering(410);
  await book.put('A1', [[1]]);
  await untilState(subscribed, 'refused');
  const [shown] = items((await book.here('GET', '/webhooks')).body['webhooks']);
  assert.deepEqual([shown?.['id'], shown?.['active'], shown?.['inactiveReason']], [webhook, false, 'gone']);
});

test('410 cancels what waits for the subscription', async (t) => {
  const subscribed = await subscribe(t, world);
  const { receiver, book, webhook } = subscribed;
  receiver.behaviour = answering(503, { 'retry-after': '3600' });
  await book.put('A1', [[1]]);
  await untilRetry(subscribed, 1);
  receiver.behaviour = answering(410);
  await book.put('A1', [[2]]);
  await untilState(subscribed, 'refused');
  const states = items((await deliveries(subscribed, webhook))['entries']).map((one) => String(one['state']));
  assert.deepEqual(states, ['refused', 'cancelled']);
});

test('connections are kept', ON_ONE_NODE, async (t) => {
  const { receiver, book } = await subscribe(t, world);
  receiver.behaviour = answering(200, {}, 'thank you');
  await book.put('A1', [[1]]);
  await receiver.take(1);
  await book.put('A1', [[2]]);
  const [first, second] = await receiver.take(2);
  assert.equal(first?.socket, second?.socket);
});

test('a receiver that closes kept connections loses nothing', async (t) => {
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  for (let i = 1; i <= 3; i++) {
    await book.put('A1', [[i]]);
    const { socket } = (await receiver.take(i))[i - 1] ?? {};
    await untilState(subscribed, 'delivered');
    socket?.destroy();
  }
  const all = await deliveries(subscribed, subscribed.webhook);
  for (const entry of items(all['entries'])) assert.equal(items(entry['attempts']).length, 1);
});
