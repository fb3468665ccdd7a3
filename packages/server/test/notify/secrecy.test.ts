import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Api, memberAt } from '../http/support.ts';
import { COMMAND } from '../main/support.ts';
import { createNotifyingInstallation } from './installation.ts';
import { type ReceiverBehaviour, startReceiver } from './receiver.ts';
import { toElements, waitForState } from './support.ts';

const BOT_TOKEN = '987654321:very-secret_bot-token';

/** Fails in ways that are likely to be logged with details. */
const failInVariousWays: ReceiverBehaviour = (response, request, count) => {
  if (count === 1) response.socket?.resetAndDestroy();
  else if (count === 2) response.socket?.end('no HTTP at all');
  else if (count === 3) response.writeHead(500).end(`cannot POST ${request.url}`);
  else if (count === 4) response.writeHead(429, { 'retry-after': '0' }).end('{"parameters": {"retry_after": 0}}');
  else response.writeHead(403).end('{"description": "Forbidden: bot was blocked by the user"}');
};

test('bot tokens, signing secrets and addresses are neither logged nor stored in plain text', async (t) => {
  const receiver = await startReceiver(t, '');
  receiver.behaviour = failInVariousWays;
  const settings = {
    notifications: { messengerBaseUrl: receiver.url },
    plans: { enterprise: { requestsPerSecond: null } },
  };
  const env = { CELLWIRE_LOG_LEVEL: 'trace' };
  const { cellwire, document: id, token } = await createNotifyingInstallation(t, settings, env);
  const server = spawn(process.execPath, [COMMAND, 'serve'], { env: cellwire.env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => server.kill('SIGKILL'));
  let log = '';
  server.stderr.on('data', (part: Buffer) => {
    log += part.toString();
  });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const book = new Api(line.replace('listening on ', ''), token, id);
  const chat = await book.post('/webhooks', { channel: 'messenger', botToken: BOT_TOKEN, chatId: '-100' });
  const failingWebhook = await book.post('/webhooks', { url: 'http://127.0.0.1:1/address-of-the-hook' });
  await book.put('A1', [['text in a cell']]);
  for (const { body } of [chat, failingWebhook]) {
    const webhook = Number(memberAt(body, 'webhook')['id']);
    const delivery = await waitForState({ receiver, book, webhook, secret: '' }, 'refused', 'exhausted');
    assert.equal(toElements(delivery['attempts']).length, 5);
    assert.equal(JSON.stringify(delivery).includes(BOT_TOKEN), false);
  }
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  await exit;
  const secret = String(failingWebhook.body['secret']);
  assert.match(log, /webhooks/, 'the log tells of requests');
  for (const secretText of [BOT_TOKEN, secret, token, 'address-of-the-hook', 'text in a cell']) {
    assert.equal(log.includes(secretText), false, secretText);
  }
  for (const name of readdirSync(cellwire.data, { recursive: true, encoding: 'utf8' })) {
    if (!name.startsWith('cellwire.db')) continue;
    const bytes = readFileSync(join(cellwire.data, name));
    for (const secretText of [BOT_TOKEN, secret, token])
      assert.equal(bytes.includes(secretText), false, `${secretText} in ${name}`);
  }
});
