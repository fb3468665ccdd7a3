import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWorld } from '../http/support.ts';
import { answering } from './receiver.ts';
import { QUICK, subscribe, untilRetry, untilState } from './support.ts';

test('a window that is open at a shutdown closes after the next start', async (t) => {
  const world = await startWorld({ notifications: { ...QUICK, quietMs: 1_000, maxWaitMs: 10_000 } });
  const { receiver, book } = await subscribe(t, world);
  await book.put('A1', [[1]]);
  await world.server.close();
  assert.equal(receiver.received.length, 0);
  const again = await world.restart();
  t.after(() => again.close());
  const [request] = await receiver.take(1);
  assert.deepEqual(request?.body['revision'], { from: 1, to: 1 });
});

test('a shutdown lets an attempt under way finish', async (t) => {
  const world = await startWorld({ notifications: { ...QUICK, timeoutMs: 5_000 } });
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
  const world = await startWorld({ notifications: { ...QUICK, timeoutMs: 60_000 } });
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
