import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNotifying, subscribe } from './support.ts';

/** The parts of the two libraries that are used; what else they are is theirs. */
interface Octokit {
  verify(secret: string, payload: string, signature: string): Promise<boolean>;
}
interface StandardWebhooks {
  readonly Webhook: new (secret: string) => { verify(payload: string, headers: Record<string, string>): unknown };
}

/** A verifier that others wrote; null where it is not installed. */
async function load<T>(name: string): Promise<T | null> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

const octokit = await load<Octokit>('@octokit/webhooks-methods');
const standard = await load<StandardWebhooks>('standardwebhooks');
const TEXTS = ['plain', 'Ж 😀 "quoted" \\ \u2028', '', '=1/0'];

test('@octokit/webhooks-methods accepts every delivery', {
  skip: octokit === null && 'LEFT OUT: not installed',
}, async (t) => {
  const world = await startNotifying(t);
  const { receiver, book, secret } = await subscribe(t, world);
  receiver.behaviour = (response, _, count) => response.writeHead(count % 2 === 1 ? 503 : 200).end();
  await book.put('A1', [TEXTS]);
  for (const { raw, headers } of await receiver.take(2)) {
    const signature = String(headers['x-service-signature']);
    assert.equal(await octokit?.verify(secret, raw.toString('utf8'), signature), true);
    assert.equal(await octokit?.verify(secret, `${raw.toString('utf8')} `, signature), false);
  }
});

test('standardwebhooks accepts every delivery', { skip: standard === null && 'LEFT OUT: not installed' }, async (t) => {
  const world = await startNotifying(t);
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  await book.put('A1', [TEXTS]);
  await receiver.take(1);
  const rotated = String((await book.post(`/webhooks/${webhook}/secret`, undefined)).body['secret']);
  await book.put('A1', [TEXTS]);
  const [first, second] = await receiver.take(2);
  for (const [request, key] of [
    [first, secret],
    [second, secret],
    [second, rotated],
  ] as const) {
    assert.ok(request && standard);
    const verifier = new standard.Webhook(key);
    const headers = request.headers as Record<string, string>;
    assert.deepEqual(verifier.verify(request.raw.toString('utf8'), headers), request.body);
    assert.throws(() => verifier.verify(`${request.raw.toString('utf8')} `, headers));
  }
});
