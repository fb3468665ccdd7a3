import assert from 'node:assert/strict';
import { lookup } from 'node:dns';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CLAIM_MARGIN_MS } from '../../src/limits/notify.ts';
import { realClock } from '../../src/notify/clock.ts';
import { createHttpSender } from '../../src/notify/http-sender.ts';
import { Api } from '../http/support.ts';
import { notifyingInstallation } from './installation.ts';
import { answering, type Receiver, startReceiver } from './receiver.ts';
import { STUBBORN_DELAYS_MS, untilDelivery } from './support.ts';

const TIMEOUT_MS = 2_000;
/** Of an attempt that no other process is to repeat: a busy machine makes no time-out of its own. */
const LONG_TIMEOUT_MS = 30_000;
/** A claim lasts so long at most; another process sees a little later that it has lapsed. */
const STOPPED_MS = TIMEOUT_MS + CLAIM_MARGIN_MS + 1_500;
/** Between two writes, so that each has a window of its own. */
const PAUSE_MS = 15;
const WRITES = 12;

test('a process that is stopped until its claims have lapsed, and woken, makes no attempt that another makes', {
  timeout: 300_000,
}, async (t) => {
  const notifications = { timeoutMs: TIMEOUT_MS, retryDelaysMs: STUBBORN_DELAYS_MS, quietMs: 5, maxWaitMs: 5 };
  const { cellwire, document, token } = await notifyingInstallation(t, {
    notifications,
    plans: { enterprise: { requestsPerSecond: null } },
  });
  const [stopped, other] = [await cellwire.serve(), await cellwire.serve()];
  t.after(() => Promise.all([stopped.end('SIGKILL'), other.end('SIGKILL')]));
  const nodes = [stopped, other].map(({ address }) => new Api(address, token, document));
  const book = nodes[1] as Api;
  const receiver = await startReceiver(t);
  const overlaps = watch(receiver);
  const { body } = await book.post('/webhooks', { url: receiver.url });
  for (let i = 1; i <= WRITES; i++) {
    assert.equal((await (nodes[i % 2] as Api).put(`A${i}`, [[i]])).status, 200);
    await delay(PAUSE_MS);
  }
  stopped.signal('SIGSTOP');
  await delay(STOPPED_MS);
  stopped.signal('SIGCONT');
  const subscribed = { receiver, book, webhook: Number(body['webhook']['id']), secret: '' };
  for (let told = 0; told < WRITES; ) {
    await untilDelivery(subscribed, (one) => (one['state'] as unknown) === 'delivered');
    told = new Set(receiver.received.flatMap(({ body: { revision } }) => revisionsOf(revision))).size;
  }
  assert.deepEqual(overlaps, []);
});

suite('an attempt whose process was stopped', () => {
  test('while it looked for the receiver is not made', async (t) => {
    const receiver = await startReceiver(t);
    const { post, stop } = sender(t, () => stop());
    assert.equal((await post(receiver)).kind, 'failed');
    assert.equal(receiver.received.length, 0);
  });

  test('while the receiver broke off is not made again', async (t) => {
    const receiver = await startReceiver(t);
    const { post, stop } = sender(t, () => {});
    assert.equal((await post(receiver)).kind, 'status');
    receiver.behaviour = (_, { socket }) => {
      stop();
      socket.resetAndDestroy();
    };
    assert.equal((await post(receiver)).kind, 'failed');
    assert.equal(receiver.received.length, 2);
  });

  test('for less than its time is made', async (t) => {
    const receiver = await startReceiver(t);
    receiver.behaviour = answering(204);
    const { post } = sender(t, () => {});
    assert.deepEqual(await post(receiver), { kind: 'status', status: 204, retryAfter: null, text: '' });
  });
});

/** Posts to receivers; `stop`: as if the process had been stopped for longer than any attempt may take. */
function sender(t: TestContext, onLookup: () => void) {
  let passed = 0;
  const clock = { ...realClock(Date.now), steady: () => performance.now() + passed };
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
      passed += 2 * LONG_TIMEOUT_MS;
    },
    post: ({ url }: Receiver) => {
      const outgoing = { url: new URL(url.replace('127.0.0.1', 'localhost')), headers: {}, body: Buffer.from('{}') };
      return http.send(outgoing, LONG_TIMEOUT_MS, t.signal);
    },
  };
}

/** Finds out whether an attempt is ever under way twice at once. */
function watch(receiver: Receiver): readonly string[] {
  const overlaps: string[] = [];
  const underWay = new Set<string>();
  receiver.behaviour = (response, _, count) => {
    const { deliveryId, attempt } = receiver.received[count - 1]?.body ?? {};
    const name = `${deliveryId} ${attempt}`;
    if (underWay.has(name)) overlaps.push(name);
    underWay.add(name);
    setTimeout(() => {
      underWay.delete(name);
      response.writeHead(200).end();
    }, PAUSE_MS);
  };
  return overlaps;
}

function revisionsOf(revision: { readonly [name: string]: unknown } | undefined): readonly number[] {
  const [from, to] = [Number(revision?.['from']), Number(revision?.['to'])];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
