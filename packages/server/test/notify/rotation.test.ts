import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSecretBox } from '@cellwire/store/keys';
import { replaceSecret, subscriptionById } from '@cellwire/store/webhooks';
import { oldSecrets } from '../../src/service/webhooks/manage-webhook.ts';
import { startWorld, type World } from '../http/support.ts';
import { hasServiceSignature, QUICK, standardSignatures, subscribe, untilState } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ notifications: QUICK });
});
after(() => world.close());

test('a rotated secret signs beside the old one while the overlap lasts', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await book.post(`/webhooks/${webhook}/secret`, undefined);
  const fresh = String(rotated.body['secret']);
  assert.notEqual(fresh, secret);
  const overlap = Date.parse(String(rotated.body['overlapEndsAt'])) - Date.now();
  assert.ok(Math.abs(overlap - 86_400_000) < 120_000);
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.take(1);
  assert.ok(request);
  assert.equal(hasServiceSignature(request, secret), true);
  assert.equal(hasServiceSignature(request, fresh), false);
  assert.deepEqual([standardSignatures(request, secret), standardSignatures(request, fresh)], [1, 1]);
});

test('a leaked secret stops signing at once', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds: 0 });
  const fresh = String(rotated.body['secret']);
  assert.equal(rotated.body['overlapEndsAt'], null);
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.take(1);
  assert.ok(request);
  assert.deepEqual([hasServiceSignature(request, secret), hasServiceSignature(request, fresh)], [false, true]);
  assert.deepEqual([standardSignatures(request, secret), standardSignatures(request, fresh)], [0, 1]);
  assert.equal((await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds: -1 })).status, 422);
});

test('a secret rotated twice, as after an answer that was lost, signs with all of them', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotate = async (body?: object) => book.post(`/webhooks/${webhook}/secret`, body);
  const secrets = [secret];
  for (let i = 0; i < 4; i++) secrets.push(String((await rotate()).body['secret']));
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.take(1);
  assert.ok(request);
  assert.ok(hasServiceSignature(request, secret), 'the receiver may still have the first one only');
  for (const one of secrets) assert.equal(standardSignatures(request, one), 1);
  const fifth = await rotate();
  assert.deepEqual([fifth.status, Object.keys(fifth.body['errors'])], [422, ['overlapSeconds']]);
  const fresh = String((await rotate({ overlapSeconds: 0 })).body['secret']);
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [, second] = await receiver.take(2);
  assert.ok(second && hasServiceSignature(second, fresh));
  assert.deepEqual(
    [...secrets, fresh].map((one) => standardSignatures(second, one)),
    [0, 0, 0, 0, 0, 1],
  );
});

test('all old secrets end together, when the last rotation says', async (t) => {
  const { book, webhook, secret } = await subscribe(t, world);
  const { database, secrets } = world.server.service.context;
  /** Rotates; when that ends by its answer, in milliseconds since 1970-01-01 UTC. */
  const rotate = async (overlapSeconds: number): Promise<{ readonly fresh: string; readonly end: number }> => {
    const { body } = await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds });
    return { fresh: String(body['secret']), end: Date.parse(String(body['overlapEndsAt'])) };
  };
  const oldAt = async (now: number): Promise<readonly string[]> => {
    const row = await database.readOne(subscriptionById({ document_id: book.document, id: webhook }));
    assert.ok(row);
    return oldSecrets(secrets, row, now);
  };
  const first = await rotate(60);
  const prolonged = await rotate(3_600);
  assert.deepEqual(await oldAt(first.end), [first.fresh, secret]);
  assert.deepEqual(await oldAt(prolonged.end), []);
  const shortened = await rotate(60);
  assert.deepEqual(await oldAt(shortened.end - 1), [prolonged.fresh, first.fresh, secret]);
  assert.deepEqual(await oldAt(shortened.end), []);
});

test('secrets rotated at once all sign', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await Promise.all([1, 2, 3].map(() => book.post(`/webhooks/${webhook}/secret`, undefined)));
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.take(1);
  assert.ok(request && hasServiceSignature(request, secret));
  for (const { body } of rotated) assert.equal(standardSignatures(request, String(body['secret'])), 1);
});

test('when the overlap ends, the old secret does', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds: 1 });
  const [fresh, end] = [String(rotated.body['secret']), String(rotated.body['overlapEndsAt'])];
  for (let count = 1; ; count++) {
    await book.post(`/webhooks/${webhook}/test`, undefined);
    const request = (await receiver.take(count))[count - 1];
    assert.ok(request);
    const isOver = String(request.body['deliveredAt']) >= end;
    assert.equal(hasServiceSignature(request, isOver ? fresh : secret), true);
    assert.deepEqual([standardSignatures(request, secret), standardSignatures(request, fresh)], [isOver ? 0 : 1, 1]);
    if (isOver) return;
  }
});

test('a secret sealed with another key is no secret: nothing is sent', async (t) => {
  const subscribed = await subscribe(t, world);
  const { book, webhook, receiver } = subscribed;
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-key-'));
  t.after(() => rm(folder, { recursive: true }));
  const { database } = world.server.service.context;
  const place = { document_id: book.document, id: webhook };
  const row = await database.readOne(subscriptionById(place));
  assert.ok(row?.secret);
  const secret = openSecretBox({ dataFolder: folder, secretsKey: null }).seal('whsec_of_another_installation');
  const old = { old_secret: null, old_secret_until: null };
  await database.write({
    document: book.document,
    statements: [replaceSecret({ ...place, seen_secret: row.secret, secret, ...old })],
  });
  await book.put('A1', [[1]]);
  const refused = await untilState(subscribed, 'refused');
  assert.match(String(refused['attempts'][0]?.['error']), /secret cannot be read/);
  assert.equal(receiver.received.length, 0);
  const fresh = String((await book.post(`/webhooks/${webhook}/secret`, undefined)).body['secret']);
  await book.put('A1', [[2]]);
  const [request] = await receiver.take(1);
  assert.ok(request && hasServiceSignature(request, fresh));
});
