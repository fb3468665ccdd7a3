import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createToken, listTokens, revokeToken } from '../../src/service/operator/tokens.ts';
import { readCreatorRights } from '../../src/service/webhooks/subscription-rights.ts';
import { memberAt, ON_ONE_NODE, requireAccepted, startWorld, type World } from '../http/support.ts';
import { respondWith } from './receiver.ts';
import {
  hasServiceSignature,
  listDeliveries,
  QUICK,
  readMetric,
  startNotifying,
  subscribe,
  toElements,
  waitForMetric,
  waitForRetry,
  waitForState,
} from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ notifications: QUICK });
});
after(() => world.close());

test('a redelivery has the same id and five more attempts', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  receiver.behaviour = respondWith(404);
  await book.put('A1', [[1]]);
  const refused = await waitForState(subscription, 'refused');
  receiver.behaviour = respondWith(200);
  const path = `/deliveries/${refused['deliveryId']}/redeliver`;
  assert.equal((await book.post(path, undefined)).status, 200);
  await waitForState(subscription, 'delivered');
  assert.equal((await book.post(`/webhooks/${webhook}${path}`, undefined)).status, 200);
  const [, second, third] = await receiver.waitForRequests(3);
  assert.deepEqual([second?.body['deliveryId'], third?.body['deliveryId']], Array(2).fill(refused['deliveryId']));
  assert.deepEqual([second?.body['attempt'], third?.body['attempt']], [2, 3]);
});

test('a delivery that waits for a retry can be sent immediately', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  receiver.behaviour = respondWith(503, { 'retry-after': '3600' });
  await book.put('A1', [[1]]);
  const waitingDelivery = await waitForRetry(subscription, 1);
  receiver.behaviour = respondWith(200);
  await book.post(`/deliveries/${waitingDelivery['deliveryId']}/redeliver`, undefined);
  const delivered = await waitForState(subscription, 'delivered');
  assert.equal(toElements(delivered['attempts']).length, 2);
});

test('a test notification is delivered like others', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook, secret } = subscription;
  const { status, body } = await book.post(`/webhooks/${webhook}/test`, undefined);
  assert.deepEqual([status, memberAt(body, 'delivery')['test']], [200, true]);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request && hasServiceSignature(request, secret));
  assert.deepEqual(
    [request.body['test'], request.body['cellCount'], request.body['event'], request.body['deliveryId']],
    [true, 0, 'document.updated', memberAt(body, 'delivery')['deliveryId']],
  );
});

test('a deactivated subscription is not notified, and a reactivated one of later changes only', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  const deactivated = await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { active: false } });
  assert.deepEqual(
    [memberAt(deactivated.body, 'webhook')['active'], memberAt(deactivated.body, 'webhook')['inactiveReason']],
    [false, 'request'],
  );
  await book.put('A1', [['unheard']]);
  assert.equal((await book.post(`/webhooks/${webhook}/test`, undefined)).status, 422);
  const reactivated = await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { active: true } });
  assert.deepEqual(
    [memberAt(reactivated.body, 'webhook')['active'], memberAt(reactivated.body, 'webhook')['inactiveReason']],
    [true, undefined],
  );
  await book.put('B1', [['heard']]);
  const [request] = await receiver.waitForRequests(1);
  assert.deepEqual(request?.body['revision'], { from: 2, to: 2 });
});

test('waiting deliveries are sent to a changed address', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  receiver.behaviour = respondWith(503, { 'retry-after': '3600' });
  await book.put('A1', [[1]]);
  const waitingDelivery = await waitForRetry(subscription, 1);
  receiver.behaviour = respondWith(200);
  const url = receiver.url.replace('/hook', '/other');
  const patched = await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { url } });
  assert.equal(memberAt(patched.body, 'webhook')['url'], url);
  await book.post(`/deliveries/${waitingDelivery['deliveryId']}/redeliver`, undefined);
  await receiver.waitForRequests(2);
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/hook', '/other'],
  );
  for (const invalidUrl of ['ftp://example.com/', 'http://user:word@example.com/', 'nonsense']) {
    assert.equal(
      (await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { url: invalidUrl } })).status,
      422,
    );
  }
});

test('a deleted subscription is not notified, and its waiting deliveries leave the queue', async (t) => {
  // Deliveries of other tests would change the length of the queue.
  const ownWorld = await startNotifying(t);
  const subscription = await subscribe(t, ownWorld);
  const { receiver, book, webhook } = subscription;
  receiver.behaviour = respondWith(503, { 'retry-after': '3600' });
  await book.put('A1', [[1]]);
  const { deliveryId } = await waitForRetry(subscription, 1);
  assert.equal(await readMetric(ownWorld, 'cellwire_delivery_queue_depth'), 1);
  assert.equal((await book.requestInDocument('DELETE', `/webhooks/${webhook}`)).status, 200);
  assert.equal(await readMetric(ownWorld, 'cellwire_delivery_queue_depth'), 0);
  assert.equal((await book.post(`/deliveries/${deliveryId}/redeliver`, undefined)).status, 404);
  const control = await subscribe(t, ownWorld, book);
  await book.put('A1', [[2]]);
  await control.receiver.waitForRequests(1);
  assert.equal(receiver.received.length, 1);
});

test('waiting deliveries of a deactivated subscription are cancelled', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  receiver.behaviour = respondWith(503, { 'retry-after': '3600' });
  await book.put('A1', [['old']]);
  await waitForRetry(subscription, 1);
  receiver.behaviour = respondWith(200);
  await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { active: false } });
  assert.equal(memberAt(await listDeliveries(subscription, webhook), 'entries')[0]?.['state'], 'cancelled');
  await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { active: true } });
  await book.put('A1', [['new']]);
  await waitForState(subscription, 'delivered');
  const states = toElements((await listDeliveries(subscription, webhook))['entries']).map((one) =>
    String(one['state']),
  );
  assert.deepEqual(states, ['delivered', 'cancelled']);
  assert.equal(receiver.received.length, 2);
});

test('a subscription can be reactivated only while its creator has access', async (t) => {
  const book = await world.createBook();
  const { id, api } = await world.addMember(book.document, 'view');
  const { webhook } = await subscribe(t, world, api);
  const activate = () => book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { active: true } });
  await world.share(book.document, id, 'none');
  const refused = await activate();
  assert.deepEqual([refused.status, Object.keys(memberAt(refused.body, 'errors'))], [422, ['active']]);
  await world.share(book.document, id, 'view');
  assert.equal((await activate()).status, 200);
  const { context } = world.server.service;
  for (const token of requireAccepted(await listTokens(context, id)))
    requireAccepted(await revokeToken(context, token.id));
  assert.equal((await activate()).status, 422);
  const [listedWebhook] = toElements((await book.requestInDocument('GET', '/webhooks')).body['webhooks']);
  assert.deepEqual([listedWebhook?.['active'], listedWebhook?.['inactiveReason']], [false, 'token']);
});

test('the audit log records changes, tests and redeliveries, but no unchanged updates', async (t) => {
  const subscription = await subscribe(t, world);
  const { receiver, book, webhook } = subscription;
  const path = `/webhooks/${webhook}`;
  const sendPatch = async (body: object) => (await book.requestInDocument('PATCH', path, { body })).status;
  assert.equal(await sendPatch({ url: `${receiver.url}?moved` }), 200);
  assert.equal(await sendPatch({ active: false }), 200);
  assert.equal(await sendPatch({ active: true }), 200);
  for (const unchangedUpdate of [
    {},
    { active: true },
    { url: `${receiver.url}?moved` },
    { events: ['document.updated'] },
  ]) {
    assert.equal(await sendPatch(unchangedUpdate), 200);
  }
  assert.equal(await sendPatch({ url: 'ftp://example.com/' }), 422);
  assert.equal((await book.post(`${path}/secret`, undefined)).status, 200);
  assert.equal((await book.post(`${path}/secret`, { overlapSeconds: -1 })).status, 422);
  assert.equal((await book.post(`${path}/test`, undefined)).status, 200);
  const { deliveryId } = await waitForState(subscription, 'delivered');
  assert.equal((await book.post(`/deliveries/${deliveryId}/redeliver`, undefined)).status, 200);
  assert.equal((await book.requestInDocument('DELETE', path)).status, 200);
  const { entries, total } = (await book.listAuditEntries()) as unknown as {
    entries: Record<string, unknown>[];
    total: number;
  };
  assert.deepEqual(
    entries.map(({ action }) => action),
    [
      'webhook.delete',
      'webhook.redeliver',
      'webhook.test',
      'webhook.secret',
      ...Array(3).fill('webhook.update'),
      'webhook.create',
    ],
  );
  assert.equal(total, 8);
  const addresses = entries.map(({ properties }) => (properties as Record<string, unknown>)['address']);
  assert.deepEqual(addresses, [...Array(7).fill(`${receiver.url}?moved`), receiver.url]);
  for (const { id, createdAt, action, properties, requestId, ...entry } of entries) {
    assert.deepEqual(
      [id, action, createdAt, requestId].map((value) => typeof value),
      ['number', 'string', 'string', 'string'],
    );
    assert.deepEqual(entry, { origin: 'api', userId: 1, userName: 'User 1', token: 'test token' });
    const { address, ...rest } = properties as Record<string, unknown>;
    assert.equal(typeof address, 'string');
    assert.deepEqual(rest, { range: '', cells: 0, webhook });
  }
});

test('a creator without access is not notified', async (t) => {
  const book = await world.createBook();
  const { id, api } = await world.addMember(book.document, 'view');
  const { receiver, webhook } = await subscribe(t, world, api);
  const control = await subscribe(t, world, book);
  await world.share(book.document, id, 'none');
  await book.put('A1', [[1]]);
  await control.receiver.waitForRequests(1);
  await waitForState(control, 'delivered');
  assert.equal(receiver.received.length, 0);
  const listedWebhook = toElements((await book.requestInDocument('GET', '/webhooks')).body['webhooks']).find(
    (one) => Number(one['id']) === webhook,
  );
  assert.deepEqual([listedWebhook?.['active'], listedWebhook?.['inactiveReason']], [false, 'access']);
});

test('a revoked token ends its subscriptions and their waiting deliveries', async (t) => {
  const book = await world.createBook();
  const user = await world.createUser();
  await world.share(book.document, user.id, 'edit');
  const token = await world.createToken(user.id);
  const subscription = await subscribe(t, world, world.apiFor(token, book.document));
  const { context } = world.server.service;
  const revoke = async () => {
    const [row] = requireAccepted(await listTokens(context, user.id));
    requireAccepted(await revokeToken(context, row?.id ?? 0));
  };
  subscription.receiver.behaviour = (response) => void revoke().then(() => response.writeHead(503).end());
  await book.put('A1', [[1]]);
  const ownerSubscription = { ...subscription, book };
  await waitForState(ownerSubscription, 'cancelled');
  assert.equal(subscription.receiver.received.length, 1);
  const listedWebhook = toElements((await book.requestInDocument('GET', '/webhooks')).body['webhooks'])[0];
  assert.deepEqual([listedWebhook?.['active'], listedWebhook?.['inactiveReason']], [false, 'token']);
});

test('an expired token counts as revoked', async () => {
  const { context } = world.server.service;
  const book = await world.createBook();
  const { id: user } = await world.createUser();
  await world.share(book.document, user, 'view');
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = requireAccepted(
    await createToken(context, { user, name: 'short', scopes: ['sheets.webhooks'], expiresAt }),
  );
  const creator = { document_id: book.document, user_id: Number(user), token_id: id };
  const readRights = (time: number) => readCreatorRights(context.database, creator, time);
  assert.equal((await readRights(Date.parse(expiresAt) - 1)).kind, 'allowed');
  assert.deepEqual(await readRights(Date.parse(expiresAt)), { kind: 'lost', reason: 'token' });
});

test('other users can neither see nor manage a subscription', async (t) => {
  const subscription = await subscribe(t, world);
  const { book, webhook, receiver } = subscription;
  await book.put('A1', [[1]]);
  await receiver.waitForRequests(1);
  const delivery = await waitForState(subscription, 'delivered');
  const { api } = await world.addMember(book.document, 'view');
  const paths = [
    ['GET', `/webhooks/${webhook}/deliveries`],
    ['PATCH', `/webhooks/${webhook}`],
    ['POST', `/webhooks/${webhook}/test`],
    ['POST', `/webhooks/${webhook}/secret`],
    ['POST', `/deliveries/${delivery['deliveryId']}/redeliver`],
  ] as const;
  for (const [method, path] of paths) {
    const body = method === 'PATCH' ? { body: {} } : {};
    assert.equal((await api.requestInDocument(method, path, body)).status, 403, `${method} ${path}`);
  }
});

test('unknown subscriptions and deliveries are not found', async (t) => {
  const { book, webhook } = await subscribe(t, world);
  const none = '00000000-0000-4000-8000-000000000000';
  const answers = [
    await book.requestInDocument('GET', '/webhooks/999999/deliveries'),
    await book.requestInDocument('PATCH', '/webhooks/x', { body: {} }),
    await book.post('/webhooks/999999/test', undefined),
    await book.post(`/deliveries/${none}/redeliver`, undefined),
    await book.post(`/webhooks/${webhook}/deliveries/${none}/redeliver`, undefined),
  ];
  assert.deepEqual(
    answers.map(({ status, body }) => `${status} ${body['message']}`),
    [...Array(3).fill('404 Webhook not found'), ...Array(2).fill('404 Delivery not found')],
  );
});

// Skipped on two nodes: each node counts its own attempts.
test('the metrics show the queue and the attempts', ON_ONE_NODE, async (t) => {
  // Deliveries of other tests would be counted, too.
  const ownWorld = await startNotifying(t);
  const subscription = await subscribe(t, ownWorld);
  const { receiver, book } = subscription;
  receiver.behaviour = (response, _, count) => {
    if (count === 1) response.writeHead(503).end();
    else readMetric(ownWorld, 'cellwire_delivery_attempts_running').then((running) => response.end(String(running)));
  };
  await book.put('A1', [[1]]);
  const delivered = await waitForState(subscription, 'delivered');
  assert.equal(memberAt(delivered, 'attempts')[1]?.['response'], '1', 'the attempt was under way');
  receiver.behaviour = respondWith(404);
  await book.put('A1', [[2]]);
  await waitForState(subscription, 'refused');
  await waitForMetric(ownWorld, receiver, 'cellwire_delivery_attempts_running', 0);
  const outcomes = ['delivered', 'retry', 'refused', 'unknown'];
  const formatMetricName = (outcome: string) => `cellwire_delivery_attempts_total{channel="http",outcome="${outcome}"}`;
  const counts = await Promise.all(outcomes.map((outcome) => readMetric(ownWorld, formatMetricName(outcome))));
  assert.deepEqual(counts, [1, 1, 1, 0]);
  assert.equal(await readMetric(ownWorld, 'cellwire_delivery_queue_depth'), 0);
  const durations = 'cellwire_delivery_attempt_duration_seconds_count{channel="http"}';
  assert.ok((await readMetric(ownWorld, durations)) >= 3);
});
