import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { startServer } from '../../src/compose/server.ts';
import { createRealClock } from '../../src/notify/clock.ts';
import { readQueueMetrics } from '../../src/notify/metrics.ts';
import { memberAt, startWorld } from '../http/support.ts';
import { respondWith } from './receiver.ts';
import { QUICK, readMetric, subscribe, waitForRetry, waitForState } from './support.ts';

test('a window open at a shutdown closes after the next start', async (t) => {
  const world = await startWorld({ notifications: { ...QUICK, quietMs: 60_000, maxWaitMs: 60_000 } });
  const { receiver, book } = await subscribe(t, world);
  await book.put('A1', [[1]]);
  const { config } = world.server.service.context;
  await world.server.close();
  assert.equal(receiver.received.length, 0);
  // A short window. With the original settings, the test would wait for its end.
  const { quietMs } = QUICK;
  const restarted = await startServer({ ...config, notifications: { ...config.notifications, quietMs } });
  t.after(() => restarted.close().then(() => rm(config.dataFolder, { recursive: true, force: true })));
  const [request] = await receiver.waitForRequests(1);
  assert.deepEqual(request?.body['revision'], { from: 1, to: 1 });
});

test('a shutdown completes a running attempt', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.behaviour = (response) => void released.then(() => response.writeHead(200).end());
  await book.put('A1', [[1]]);
  await receiver.waitForRequests(1);
  const closed = world.server.close();
  release();
  await closed;
  const restarted = await world.restart();
  t.after(() => restarted.close());
  const delivery = await waitForState(
    { ...subscription, book: restarted.apiFor(book.token, book.document) },
    'delivered',
  );
  assert.equal(memberAt(delivery, 'attempts')['length'], 1);
  assert.equal(receiver.received.length, 1);
});

test('an attempt aborted by a shutdown is repeated with the same id and number', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  receiver.behaviour = () => {};
  await book.put('A1', [[1]]);
  const [first] = await receiver.waitForRequests(1);
  await world.server.close();
  receiver.behaviour = respondWith(200);
  const restarted = await world.restart();
  t.after(() => restarted.close());
  const [, second] = await receiver.waitForRequests(2);
  assert.equal(second?.body['deliveryId'], first?.body['deliveryId']);
  assert.deepEqual([first?.body['attempt'], second?.body['attempt']], [1, 1]);
});

test('retries survive a restart and keep their numbers', async (t) => {
  const world = await startWorld({ notifications: { ...QUICK, retryDelaysMs: [1_500, 20, 20, 20] } });
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  receiver.behaviour = respondWith(500);
  await book.put('A1', [[1]]);
  await waitForRetry(subscription, 1);
  await world.server.close();
  receiver.behaviour = respondWith(200);
  const restarted = await world.restart();
  t.after(() => restarted.close());
  const [, second] = await receiver.waitForRequests(2);
  assert.equal(second?.body['attempt'], 2);
});

test('metrics are correct immediately after a restart', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  const subscription = await subscribe(t, world);
  subscription.receiver.behaviour = respondWith(503, { 'retry-after': '3600' });
  await subscription.book.put('A1', [[1]]);
  await waitForRetry(subscription, 1);
  const restarted = await world.restart();
  t.after(() => restarted.close());
  assert.equal(await readMetric(restarted, 'cellwire_delivery_queue_depth'), 1);
  assert.equal(await readMetric(restarted, 'cellwire_delivery_oldest_waiting_seconds'), 0, 'it waits, but is not late');
  for (const outcome of ['delivered', 'retry', 'refused', 'unknown']) {
    for (const channel of ['http', 'messenger']) {
      const labels = `{channel="${channel}",outcome="${outcome}"}`;
      assert.equal(await readMetric(restarted, `cellwire_delivery_attempts_total${labels}`), 0, labels);
    }
  }
});

test('the age of the oldest waiting delivery counts from its due time', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  t.after(() => world.close());
  const subscription = await subscribe(t, world);
  subscription.receiver.behaviour = respondWith(503, { 'retry-after': '3600' });
  await subscription.book.put('A1', [[1]]);
  const waitingDelivery = await waitForRetry(subscription, 1);
  // The view of a service that starts a minute after the delivery was due.
  const now = Date.parse(String(waitingDelivery['nextAttemptAt'])) + 60_000;
  const clock = createRealClock(() => now);
  const figures = await readQueueMetrics(world.server.service.context.database, clock, 0);
  assert.deepEqual(figures, { depth: 1, lateMs: 60_000, running: 0 });
});
