import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../http/support.ts';
import { notifyingInstallation } from './installation.ts';
import { startReceiver } from './receiver.ts';
import { hasServiceSignature, untilState } from './support.ts';

test('an operator sees and steers deliveries while the service runs', async (t) => {
  const receiver = await startReceiver(t);
  const { cellwire, document: id, token } = await notifyingInstallation(t);
  const serving = await cellwire.serve();
  t.after(() => serving.end('SIGTERM'));
  const book = new Api(serving.address, token, id);
  const { body } = await book.post('/webhooks', { url: receiver.url });
  const place = ['--document', id, '--webhook', String(body['webhook']['id'])];

  const secret = String(body['secret']);
  const subscribed = { book, receiver, secret, webhook: Number(body['webhook']['id']) };

  const { webhooks } = await cellwire.json('webhook', 'list', '--document', id);
  assert.deepEqual([webhooks[0].id, webhooks[0].active, webhooks[0].url], [body['webhook']['id'], true, receiver.url]);

  const tested = await cellwire.json('webhook', 'test', ...place);
  const [request] = await receiver.take(1);
  assert.ok(request && hasServiceSignature(request, secret));
  assert.equal(request.body['deliveryId'], tested.deliveryId);

  // Asked for while it is being sent, it would not be sent once more.
  await untilState(subscribed, 'delivered');
  await cellwire.json('delivery', 'redeliver', ...place, '--delivery', tested.deliveryId);
  const [, again] = await receiver.take(2);
  assert.deepEqual([again?.body['deliveryId'], again?.body['attempt']], [tested.deliveryId, 2]);

  await untilState(subscribed, 'delivered');
  const { secret: newSecret, overlapEndsAt } = await cellwire.json(
    'webhook',
    'secret',
    ...place,
    '--overlap-seconds',
    '0',
  );
  assert.equal(overlapEndsAt, null);
  await cellwire.json('webhook', 'change', ...place, '--url', receiver.url.replace('/hook', '/other'));
  await cellwire.json('webhook', 'test', ...place);
  const [, , third] = await receiver.take(3);
  assert.ok(third && hasServiceSignature(third, newSecret));
  assert.equal(third.path, '/other');

  await untilState(subscribed, 'delivered');
  const { deliveries } = await cellwire.json('delivery', 'list', ...place);
  assert.equal(deliveries.total, 2);
  const list = async (...filter: string[]) => {
    const found = (await cellwire.json('delivery', 'list', ...place, ...filter)).deliveries;
    return [found.entries.length, found.total];
  };
  const { createdAt } = deliveries.entries[0];
  assert.deepEqual(await list('--since', createdAt, '--state', 'delivered', '--revision', '0'), [1, 1]);
  assert.deepEqual(await list('--until', createdAt), [1, 1]);
  assert.deepEqual(await list('--limit', '1', '--offset', '1'), [1, 2]);
  const wrong = await cellwire.run('delivery', 'list', ...place, '--since', 'yesterday');
  assert.deepEqual([wrong.code, wrong.stderr.includes('since must be a time')], [1, true]);
  assert.equal((await cellwire.json('webhook', 'off', ...place)).inactiveReason, 'request');
  assert.equal((await cellwire.json('webhook', 'on', ...place)).active, true);
  // The operator is no user of the API, whose log tells what its users did.
  assert.deepEqual((await book.audit())['entries'].length, 1);
  const none = await cellwire.run('webhook', 'test', '--document', id, '--webhook', '99');
  assert.deepEqual([none.code, none.stderr.trim()], [1, 'error: Webhook not found']);
  assert.equal((await cellwire.run('delivery', 'list', ...place, '--state', 'odd')).code, 2);
  const pasted = await cellwire.json('webhook', 'list', '--document', ` ${id.toUpperCase()} `);
  assert.equal(pasted.webhooks.length, 1);
  const nowhere = '00000000-0000-4000-8000-000000000000';
  for (const command of [
    ['webhook', 'list', '--document', nowhere],
    ['webhook', 'test', '--document', nowhere, '--webhook', '1'],
    ['delivery', 'list', '--document', nowhere, '--webhook', '1'],
  ]) {
    const { code, stdout, stderr } = await cellwire.run(...command);
    assert.deepEqual(
      [code, stdout, stderr.trim()],
      [1, '', `error: There is no document ${nowhere}`],
      command.join(' '),
    );
  }
});
