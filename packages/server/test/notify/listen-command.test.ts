import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { documentById } from '@cellwire/store/documents';
import { extendListener } from '@cellwire/store/webhooks';
import { createRealClock } from '../../src/notify/clock.ts';
import { DeliveryRetention } from '../../src/notify/retention.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { startListening } from '../../src/service/webhooks/listen.ts';
import { Api, startWorld } from '../http/support.ts';
import { COMMAND, type Installation } from '../main/support.ts';
import { createNotifyingInstallation } from './installation.ts';
import { startReceiver } from './receiver.ts';
import { countStandardSignatures, hasServiceSignature } from './support.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Starts `webhook listen` like an operator. */
async function startListen(t: TestContext, { env, folder }: Installation, ...options: readonly string[]) {
  const child = spawn(process.execPath, [COMMAND, 'webhook', 'listen', ...options], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const waitForLine = async (pattern: RegExp) => {
    for (;;) {
      const line = lines.find((line_) => pattern.test(line_));
      if (line !== undefined) return line;
      await once(reader, 'line');
    }
  };
  await waitForLine(/^Signed with/);
  return { child, said: waitForLine };
}

test('relays signed deliveries with retries to a local address, and deletes its subscription', async (t) => {
  const receiver = await startReceiver(t);
  const { cellwire, document, token } = await createNotifyingInstallation(t, {
    notifications: { allowPrivateNetworks: false },
  });
  const service = await cellwire.serveInProcess();
  t.after(() => service.end());
  const book = new Api(service.address, token, document);
  // The service itself refuses local addresses.
  assert.equal((await book.post('/webhooks', { url: receiver.url })).status, 422);
  const options = ['--document', document, '--forward', receiver.url, '--secret', SECRET];
  const { child, said: waitForLine } = await startListen(t, cellwire, ...options);
  receiver.behaviour = (response, _request, count) => response.writeHead(count === 1 ? 503 : 200).end();
  await book.put('A1', [['changed']]);
  const [first, second] = await receiver.waitForRequests(2);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(
    [first.body['deliveryId'], first.body['attempt'], second.body['attempt']],
    [second.body['deliveryId'], 1, 2],
  );
  for (const received of [first, second]) {
    assert.ok(hasServiceSignature(received, SECRET));
    assert.equal(countStandardSignatures(received, SECRET), 1);
  }
  await waitForLine(/attempt 1 {2}503 {2}is sent again$/);
  await waitForLine(/attempt 2 {2}200 {2}delivered$/);
  const { body } = await book.requestInDocument('GET', '/webhooks');
  assert.equal((body['webhooks'] as unknown as readonly unknown[]).length, 1);
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  assert.deepEqual(await exit, [0, null]);
  await waitForLine(/^Ended: 1 delivered, 0 refused, 1 attempts to be repeated/);
  assert.deepEqual((await book.requestInDocument('GET', '/webhooks')).body['webhooks'], []);
});

test('sends to the address of the command only, even if the subscription is changed', async (t) => {
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)];
  const { cellwire, document, token } = await createNotifyingInstallation(t);
  const service = await cellwire.serveInProcess();
  t.after(() => service.end());
  const book = new Api(service.address, token, document);
  const options = ['--document', document, '--forward', receiver.url, '--count', '1', '--json'];
  const listenCommand = cellwire.runAsProcess('webhook', 'listen', ...options);
  let id: number | undefined;
  while (id === undefined) id = (await cellwire.runForJson('webhook', 'list', '--document', document)).webhooks[0]?.id;
  await cellwire.runForJson('webhook', 'change', '--document', document, '--webhook', String(id), '--url', other.url);
  await book.put('A1', [['changed']]);
  const { code, stdout } = await listenCommand;
  const { delivered, secret } = JSON.parse(stdout);
  assert.deepEqual([code, delivered, receiver.received.length, other.received.length], [0, 1, 1, 0]);
  assert.ok(receiver.received[0] !== undefined && hasServiceSignature(receiver.received[0], secret));
});

test('refuses an invalid address, an invalid secret and an unknown document', async (t) => {
  const { cellwire, document } = await createNotifyingInstallation(t);
  const forward = 'http://127.0.0.1:1/hook';
  const listen = (...options: readonly string[]) => cellwire.runCommand('webhook', 'listen', ...options);
  assert.equal((await listen('--document', document, '--forward', 'ftp://127.0.0.1')).code, 2);
  assert.equal((await listen('--document', document, '--forward', forward, '--secret', 'short')).code, 1);
  assert.equal((await listen('--document', 'none', '--forward', forward)).code, 1);
});

test('the subscription of a killed process is deleted', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const book = await world.createBook();
  const { context } = world.server.service;
  const owner = await context.database.readOne(documentById({ id: book.document }));
  const listener = await startListening(context, {
    document: book.document,
    user: Number(owner?.owner_id),
    url: 'http://127.0.0.1:1/hook',
    secret: null,
  });
  assert.ok(!isRefusal(listener));
  const { document_id, id } = listener.row;
  await context.database.write({ document: document_id, statements: [extendListener({ document_id, id, until: 1 })] });
  const errors: unknown[] = [];
  const retention = new DeliveryRetention({
    database: context.database,
    clock: createRealClock(context.clock),
    onError: (_what, error) => errors.push(error),
  });
  retention.start();
  await retention.stop();
  assert.deepEqual(errors, []);
  assert.deepEqual((await book.requestInDocument('GET', '/webhooks')).body['webhooks'], []);
});
