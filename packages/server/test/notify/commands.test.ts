import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api, memberAt } from '../http/support.ts';
import { createNotifyingInstallation } from './installation.ts';
import { startReceiver } from './receiver.ts';
import { hasServiceSignature, waitForState } from './support.ts';

test('an operator lists and manages deliveries while the service runs', async (t) => {
  const receiver = await startReceiver(t);
  const { cellwire, document: id, token } = await createNotifyingInstallation(t);
  const service = await cellwire.serveInProcess();
  t.after(() => service.end());
  const book = new Api(service.address, token, id);
  const { body } = await book.post('/webhooks', { url: receiver.url });
  const target = ['--document', id, '--webhook', String(memberAt(body, 'webhook')['id'])];

  const secret = String(body['secret']);
  const subscription = { book, receiver, secret, webhook: Number(memberAt(body, 'webhook')['id']) };

  const { webhooks } = await cellwire.runForJson('webhook', 'list', '--document', id);
  assert.deepEqual(
    [webhooks[0].id, webhooks[0].active, webhooks[0].url],
    [memberAt(body, 'webhook')['id'], true, receiver.url],
  );

  const testDelivery = await cellwire.runForJson('webhook', 'test', ...target);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request && hasServiceSignature(request, secret));
  assert.equal(request.body['deliveryId'], testDelivery.deliveryId);

  // A delivery that is being sent would not be sent again.
  await waitForState(subscription, 'delivered');
  await cellwire.runForJson('delivery', 'redeliver', ...target, '--delivery', testDelivery.deliveryId);
  const [, redelivered] = await receiver.waitForRequests(2);
  assert.deepEqual([redelivered?.body['deliveryId'], redelivered?.body['attempt']], [testDelivery.deliveryId, 2]);

  await waitForState(subscription, 'delivered');
  const { secret: newSecret, overlapEndsAt } = await cellwire.runForJson(
    'webhook',
    'secret',
    ...target,
    '--overlap-seconds',
    '0',
  );
  assert.equal(overlapEndsAt, null);
  await cellwire.runForJson('webhook', 'change', ...target, '--url', receiver.url.replace('/hook', '/other'));
  await cellwire.runForJson('webhook', 'test', ...target);
  const [, , thirdRequest] = await receiver.waitForRequests(3);
  assert.ok(thirdRequest && hasServiceSignature(thirdRequest, newSecret));
  assert.equal(thirdRequest.path, '/other');

  await waitForState(subscription, 'delivered');
  const { deliveries } = await cellwire.runForJson('delivery', 'list', ...target);
  assert.equal(deliveries.total, 2);
  const list = async (...filter: string[]) => {
    const listed = (await cellwire.runForJson('delivery', 'list', ...target, ...filter)).deliveries;
    return [listed.entries.length, listed.total];
  };
  const { createdAt } = deliveries.entries[0];
  assert.deepEqual(await list('--since', createdAt, '--state', 'delivered', '--revision', '0'), [1, 1]);
  assert.deepEqual(await list('--until', createdAt), [1, 1]);
  assert.deepEqual(await list('--limit', '1', '--offset', '1'), [1, 2]);
  const invalidTime = await cellwire.runCommand('delivery', 'list', ...target, '--since', 'yesterday');
  assert.deepEqual([invalidTime.code, invalidTime.stderr.includes('since must be a time')], [1, true]);
  assert.equal((await cellwire.runForJson('webhook', 'off', ...target)).inactiveReason, 'request');
  assert.equal((await cellwire.runForJson('webhook', 'on', ...target)).active, true);
  // The audit log contains actions of API users only; the operator is not an API user.
  assert.deepEqual(memberAt(await book.listAuditEntries(), 'entries').length, 1);
  const missingWebhook = await cellwire.runCommand('webhook', 'test', '--document', id, '--webhook', '99');
  assert.deepEqual([missingWebhook.code, missingWebhook.stderr.trim()], [1, 'error: Webhook not found']);
  assert.equal((await cellwire.runCommand('delivery', 'list', ...target, '--state', 'odd')).code, 2);
  const listedByPastedId = await cellwire.runForJson('webhook', 'list', '--document', ` ${id.toUpperCase()} `);
  assert.equal(listedByPastedId.webhooks.length, 1);
  const nowhere = '00000000-0000-4000-8000-000000000000';
  for (const command of [
    ['webhook', 'list', '--document', nowhere],
    ['webhook', 'test', '--document', nowhere, '--webhook', '1'],
    ['delivery', 'list', '--document', nowhere, '--webhook', '1'],
  ]) {
    const { code, stdout, stderr } = await cellwire.runCommand(...command);
    assert.deepEqual(
      [code, stdout, stderr.trim()],
      [1, '', `error: There is no document ${nowhere}`],
      command.join(' '),
    );
  }
});
