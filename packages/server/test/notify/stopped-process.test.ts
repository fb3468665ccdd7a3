import assert from 'node:assert/strict';
import { lookup } from 'node:dns';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createSchema } from '../../../store/test/postgres/server.ts';
import { CLAIM_MARGIN_MS } from '../../src/limits/notify.ts';
import { createRealClock } from '../../src/notify/clock.ts';
import { createHttpSender } from '../../src/notify/http-sender.ts';
import { Api, memberAt } from '../http/support.ts';
import { createNotifyingInstallation } from './installation.ts';
import { type Receiver, respondWith, startReceiver } from './receiver.ts';
import { LATE_RETRY_DELAYS_MS, waitForDelivery } from './support.ts';

const TIMEOUT_MS = 2_000;
/** Timeout of an attempt that no other process repeats. It is long, because a busy machine must not time out. */
const LONG_TIMEOUT_MS = 30_000;
/** Longer than a claim lasts, plus the time in which another process detects its lapse. */
const STOPPED_MS = TIMEOUT_MS + CLAIM_MARGIN_MS + 1_500;
/** Pause between two writes, so that each has its own window. */
const PAUSE_MS = 15;
const WRITES = 12;

test('a process that is stopped until its claims lapse makes no attempt that another process makes', {
  timeout: 300_000,
}, async (t) => {
  const notifications = { timeoutMs: TIMEOUT_MS, retryDelaysMs: LATE_RETRY_DELAYS_MS, quietMs: 5, maxWaitMs: 5 };
  const schema = await createSchema();
  t.after(() => schema.remove());
  const { cellwire, document, token } = await createNotifyingInstallation(
    t,
    { notifications, plans: { enterprise: { requestsPerSecond: null } } },
    { CELLWIRE_LOG_LEVEL: 'silent', CELLWIRE_DATABASE_URL: schema.url },
  );
  const [stoppedNode, otherNode] = [await cellwire.serve(), await cellwire.serve()];
  t.after(() => Promise.all([stoppedNode.end('SIGKILL'), otherNode.end('SIGKILL')]));
  const nodes = [stoppedNode, otherNode].map(({ address }) => new Api(address, token, document));
  const book = nodes[1] as Api;
  const receiver = await startReceiver(t);
  const overlaps = detectOverlaps(receiver);
  const { body } = await book.post('/webhooks', { url: receiver.url });
  for (let i = 1; i <= WRITES; i++) {
    assert.equal((await (nodes[i % 2] as Api).put(`A${i}`, [[i]])).status, 200);
    await delay(PAUSE_MS);
  }
  stoppedNode.sendSignal('SIGSTOP');
  await delay(STOPPED_MS);
  stoppedNode.sendSignal('SIGCONT');
  const subscription = { receiver, book, webhook: Number(memberAt(body, 'webhook')['id']), secret: '' };
  for (let notifiedCount = 0; notifiedCount < WRITES; ) {
    await waitForDelivery(subscription, (one) => (one['state'] as unknown) === 'delivered');
    notifiedCount = new Set(receiver.received.flatMap(({ body: { revision } }) => listRevisions(revision))).size;
  }
  assert.deepEqual(overlaps, []);
});

suite('an attempt of a stopped process', () => {
  test('is not made after a stop during the name lookup', async (t) => {
    const receiver = await startReceiver(t);
    const { post, stop } = createStoppableSender(t, () => stop());
    assert.equal((await post(receiver)).kind, 'failed');
    assert.equal(receiver.received.length, 0);
  });

  test('is not repeated after a stop during a connection reset', async (t) => {
    const receiver = await startReceiver(t);
    const { post, stop } = createStoppableSender(t, () => {});
    assert.equal((await post(receiver)).kind, 'status');
    receiver.behaviour = (_, { socket }) => {
      stop();
      socket.resetAndDestroy();
    };
    assert.equal((await post(receiver)).kind, 'failed');
    assert.equal(receiver.received.length, 2);
  });

  test('is made after a stop shorter than its timeout', async (t) => {
    const receiver = await startReceiver(t);
    receiver.behaviour = respondWith(204);
    const { post } = createStoppableSender(t, () => {});
    assert.deepEqual(await post(receiver), { kind: 'status', status: 204, retryAfter: null, text: '' });
  });
});

/** Creates a sender whose `stop` simulates a process that was stopped for longer than any attempt may take. */
function createStoppableSender(t: TestContext, onLookup: () => void) {
  let stoppedMs = 0;
  const clock = { ...createRealClock(Date.now), steady: () => performance.now() + stoppedMs };
  const http = createHttpSender({
    clock,
    allowsHost: () => true,
    lookup: (host, options, found) => {
      onLookup();
      lookup(host, options, found);
    },
  });
  t.after(() => http.close());
  return {
    stop: () => {
      stoppedMs += 2 * LONG_TIMEOUT_MS;
    },
    post: ({ url }: Receiver) => {
      const outgoing = { url: new URL(url.replace('127.0.0.1', 'localhost')), headers: {}, body: Buffer.from('{}') };
      return http.send(outgoing, LONG_TIMEOUT_MS, t.signal);
    },
  };
}

/** Detects attempts that run twice at the same time. */
function detectOverlaps(receiver: Receiver): readonly string[] {
  const overlaps: string[] = [];
  const running = new Set<string>();
  receiver.behaviour = (response, _, count) => {
    const { deliveryId, attempt } = receiver.received[count - 1]?.body ?? {};
    const name = `${deliveryId} ${attempt}`;
    if (running.has(name)) overlaps.push(name);
    running.add(name);
    setTimeout(() => {
      running.delete(name);
      response.writeHead(200).end();
    }, PAUSE_MS);
  };
  return overlaps;
}

function listRevisions(revision: { readonly [name: string]: unknown } | undefined): readonly number[] {
  const [from, to] = [Number(revision?.['from']), Number(revision?.['to'])];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
