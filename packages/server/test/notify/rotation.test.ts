import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSecretBox } from '@cellwire/store/keys';
import { replaceSecret, subscriptionById } from '@cellwire/store/webhooks';
import { listOldSecrets } from '../../src/service/webhooks/manage-webhook.ts';
import { memberAt, startWorld, type World } from '../http/support.ts';
import { countStandardSignatures, hasServiceSignature, QUICK, subscribe, waitForState } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ notifications: QUICK });
});
after(() => world.close());

test('a rotated secret and the old one both sign during the overlap', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await book.post(`/webhooks/${webhook}/secret`, undefined);
  const newSecret = String(rotated.body['secret']);
  assert.notEqual(newSecret, secret);
  const overlap = Date.parse(String(rotated.body['overlapEndsAt'])) - Date.now();
  assert.ok(Math.abs(overlap - 86_400_000) < 120_000);
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request);
  assert.equal(hasServiceSignature(request, secret), true);
  assert.equal(hasServiceSignature(request, newSecret), false);
  assert.deepEqual([countStandardSignatures(request, secret), countStandardSignatures(request, newSecret)], [1, 1]);
});

test('a leaked secret can be replaced without an overlap', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds: 0 });
  const newSecret = String(rotated.body['secret']);
  assert.equal(rotated.body['overlapEndsAt'], null);
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request);
  assert.deepEqual([hasServiceSignature(request, secret), hasServiceSignature(request, newSecret)], [false, true]);
  assert.deepEqual([countStandardSignatures(request, secret), countStandardSignatures(request, newSecret)], [0, 1]);
  assert.equal((await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds: -1 })).status, 422);
});

test('after repeated rotations all secrets sign', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotate = async (body?: object) => book.post(`/webhooks/${webhook}/secret`, body);
  const secrets = [secret];
  for (let i = 0; i < 4; i++) secrets.push(String((await rotate()).body['secret']));
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request);
  assert.ok(hasServiceSignature(request, secret), 'the receiver may still have the first one only');
  for (const oneSecret of secrets) assert.equal(countStandardSignatures(request, oneSecret), 1);
  const fifth = await rotate();
  assert.deepEqual([fifth.status, Object.keys(memberAt(fifth.body, 'errors'))], [422, ['overlapSeconds']]);
  const newSecret = String((await rotate({ overlapSeconds: 0 })).body['secret']);
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [, second] = await receiver.waitForRequests(2);
  assert.ok(second && hasServiceSignature(second, newSecret));
  assert.deepEqual(
    [...secrets, newSecret].map((oneSecret) => countStandardSignatures(second, oneSecret)),
    [0, 0, 0, 0, 0, 1],
  );
});

test('all old secrets end at the time of the last rotation', async (t) => {
  const { book, webhook, secret } = await subscribe(t, world);
  const { database, secrets } = world.server.service.context;
  /** Rotates; returns the new secret and the end of the overlap, in milliseconds since 1970-01-01 UTC. */
  const rotate = async (overlapSeconds: number): Promise<{ readonly newSecret: string; readonly end: number }> => {
    const { body } = await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds });
    return { newSecret: String(body['secret']), end: Date.parse(String(body['overlapEndsAt'])) };
  };
  const readOldSecrets = async (now: number): Promise<readonly string[]> => {
    const row = await database.readOne(subscriptionById({ document_id: book.document, id: webhook }));
    assert.ok(row);
    return listOldSecrets(secrets, row, now);
  };
  const first = await rotate(60);
  const prolonged = await rotate(3_600);
  assert.deepEqual(await readOldSecrets(first.end), [first.newSecret, secret]);
  assert.deepEqual(await readOldSecrets(prolonged.end), []);
  const shortened = await rotate(60);
  assert.deepEqual(await readOldSecrets(shortened.end - 1), [prolonged.newSecret, first.newSecret, secret]);
  assert.deepEqual(await readOldSecrets(shortened.end), []);
});

test('secrets of simultaneous rotations all sign', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await Promise.all([1, 2, 3].map(() => book.post(`/webhooks/${webhook}/secret`, undefined)));
  await book.post(`/webhooks/${webhook}/test`, undefined);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request && hasServiceSignature(request, secret));
  for (const { body } of rotated) assert.equal(countStandardSignatures(request, String(body['secret'])), 1);
});

test('the old secret stops signing at the end of the overlap', async (t) => {
  const { receiver, book, webhook, secret } = await subscribe(t, world);
  const rotated = await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds: 1 });
  const [newSecret, end] = [String(rotated.body['secret']), String(rotated.body['overlapEndsAt'])];
  for (let count = 1; ; count++) {
    await book.post(`/webhooks/${webhook}/test`, undefined);
    const request = (await receiver.waitForRequests(count))[count - 1];
    assert.ok(request);
    const isOver = String(request.body['deliveredAt']) >= end;
    assert.equal(hasServiceSignature(request, isOver ? newSecret : secret), true);
    assert.deepEqual(
      [countStandardSignatures(request, secret), countStandardSignatures(request, newSecret)],
      [isOver ? 0 : 1, 1],
    );
    if (isOver) return;
  }
});

test('a secret encrypted with another key is unusable, and nothing is sent', async (t) => {
  const subscription = await subscribe(t, world);
  const { book, webhook, receiver } = subscription;
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-key-'));
  t.after(() => rm(folder, { recursive: true }));
  const { database } = world.server.service.context;
  const identifiers = { document_id: book.document, id: webhook };
  const row = await database.readOne(subscriptionById(identifiers));
  assert.ok(row?.secret);
  const secret = openSecretBox({ dataFolder: folder, secretsKey: null }).seal('whsec_of_another_installation');
  const noOldSecret = { old_secret: null, old_secret_until: null };
  await database.write({
    document: book.document,
    statements: [replaceSecret({ ...identifiers, seen_secret: row.secret, secret, ...noOldSecret })],
  });
  await book.put('A1', [[1]]);
  const refused = await waitForState(subscription, 'refused');
  assert.match(String(memberAt(refused, 'attempts', 0)?.['error']), /secret cannot be read/);
  assert.equal(receiver.received.length, 0);
  const newSecret = String((await book.post(`/webhooks/${webhook}/secret`, undefined)).body['secret']);
  await book.put('A1', [[2]]);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request && hasServiceSignature(request, newSecret));
});
