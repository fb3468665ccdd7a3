import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { startNotifying, subscribe } from './support.ts';

const TEXTS = ['plain', 'Ж 😀 "quoted" \\ \u2028', '', '=1/0'];

test('@octokit/webhooks-methods accepts every delivery', async (t) => {
  const world = await startNotifying(t);
  const { receiver, book, secret } = await subscribe(t, world);
  receiver.behaviour = (response, _, count) => response.writeHead(count % 2 === 1 ? 503 : 200).end();
  await book.put('A1', [TEXTS]);
  for (const { raw, headers } of await receiver.waitForRequests(2)) {
    const signature = String(headers['x-service-signature']);
    assert.equal(await verify(secret, raw.toString('utf8'), signature), true);
    assert.equal(await verify(secret, `${raw.toString('utf8')} `, signature), false);
  }
});

test('standardwebhooks accepts every delivery', async (t) => {
  const world = await startNotifying(t);
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  await book.put('A1', [TEXTS]);
  await receiver.waitForRequests(1);
  const rotated = String((await book.post(`/webhooks/${webhook}/secret`, undefined)).body['secret']);
  await book.put('A2', [TEXTS]);
  const [first, second] = await receiver.waitForRequests(2);
  for (const [request, key] of [
    [first, secret],
    [second, secret],
    [second, rotated],
  ] as const) {
    assert.ok(request);
    const verifier = new Webhook(key);
    const headers = request.headers as Record<string, string>;
    assert.deepEqual(verifier.verify(request.raw.toString('utf8'), headers), request.body);
    assert.throws(() => verifier.verify(`${request.raw.toString('utf8')} `, headers));
  }
});
