import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { startServer } from '../../src/compose/server.ts';
import { realClock } from '../../src/notify/clock.ts';
import { readQueueFigures } from '../../src/notify/metrics.ts';
import { startWorld } from '../http/support.ts';
import { answering } from './receiver.ts';
import { metric, QUICK, subscribe, untilRetry, untilState } from './support.ts';

test('a window that is open at a shutdown closes after the next start', async (t) => {
  const world = await startWorld({ notifications: { ...QUICK, quietMs: 60_000, maxWaitMs: 60_000 } });
  const { receiver, book } = await subscribe(t, world);
  await book.put('A1', [[1]]);
  const { config } = world.server.service.context;
  await world.server.close();
  assert.equal(receiver.received.length, 0);
  // With the time that it had before, the test would wait for it.
  const { quietMs } = QUICK;
  const again = await startServer({ ...config, notifications: { ...config.notifications, quietMs } });
  t.after(() => again.close().then(() => rm(config.dataFolder, { recursive: true, force: true })));
  const [request] = await receiver.take(1);
  assert.deepEqual(request?.body['revision'], { from: 1, to: 1 });
});

test('a shutdown lets an attempt under way finish', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.behaviour = (response) => void released.then(() => response.writeHead(200).end());
  await book.put('A1', [[1]]);
  await receiver.take(1);
  const closed = world.server.close();
  release();
  await closed;
  const again = await world.restart();
  t.after(() => again.close());
  const delivery = await untilState({ ...subscribed, book: again.api(book.token, book.document) }, 'delivered');
  assert.equal(delivery['attempts']['length'], 1);
  assert.equal(receiver.received.length, 1);
});

test('an attempt that a shutdown cuts off is repeated under the same id and number', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  receiver.behaviour = () => {};
  await book.put('A1', [[1]]);
  const [first] = await receiver.take(1);
  await world.server.close();
  receiver.behaviour = answering(200);
  const again = await world.restart();
  t.after(() => again.close());
  const [, second] = await receiver.take(2);
  assert.equal(second?.body['deliveryId'], first?.body['deliveryId']);
  assert.deepEqual([first?.body['attempt'], second?.body['attempt']], [1, 1]);
});

test('retries survive a restart, numbered on', async (t) => {
  const world = await startWorld({ notifications: { ...QUICK, retryDelaysMs: [1_500, 20, 20, 20] } });
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  receiver.behaviour = answering(500);
  await book.put('A1', [[1]]);
  await untilRetry(subscribed, 1);
  await world.server.close();
  receiver.behaviour = answering(200);
  const again = await world.restart();
  t.after(() => again.close());
  const [, second] = await receiver.take(2);
  assert.equal(second?.body['attempt'], 2);
});

test('metrics are right from the first look after a restart', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  const subscribed = await subscribe(t, world);
  subscribed.receiver.behaviour = answering(503, { 'retry-after': '3600' });
  await subscribed.book.put('A1', [[1]]);
  await untilRetry(subscribed, 1);
  const again = await world.restart();
  t.after(() => again.close());
  assert.equal(await metric(again, 'cellwire_delivery_queue_depth'), 1);
  assert.equal(await metric(again, 'cellwire_delivery_oldest_waiting_seconds'), 0, 'it waits, but is not late');
  for (const outcome of ['delivered', 'retry', 'refused', 'unknown']) {
    for (const channel of ['http', 'messenger']) {
      const labels = `{channel="${channel}",outcome="${outcome}"}`;
      assert.equal(await metric(again, `cellwire_delivery_attempts_total${labels}`), 0, labels);
    }
  }
});

test('the oldest waiting delivery is as old as its delay, not as its window', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  t.after(() => world.close());
  const subscribed = await subscribe(t, world);
  subscribed.receiver.behaviour = answering(503, { 'retry-after': '3600' });
  await subscribed.book.put('A1', [[1]]);
  const waiting = await untilRetry(subscribed, 1);
  // As a service sees it that was stopped and comes back a minute after the delivery was due.
  const now = Date.parse(String(waiting['nextAttemptAt'])) + 60_000;
  const clock = realClock(() => now);
  const figures = await readQueueFigures(world.server.service.context.database, clock, 0);
  assert.deepEqual(figures, { depth: 1, lateMs: 60_000, running: 0 });
});
