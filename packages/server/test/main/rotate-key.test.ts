import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startReceiver } from '../notify/receiver.ts';
import { hasServiceSignature } from '../notify/support.ts';
import { createInstallation, type Installation, type Json, type LocalService, type ServiceProcess } from './support.ts';

const QUIET_MS = 50;

async function createSubscription(
  cellwire: Installation,
  url: string,
): Promise<{ document: string; token: string; secret: string }> {
  await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const { id: document } = await cellwire.runForJson(
    'document',
    'create',
    '--owner',
    'anna@example.com',
    '--title',
    'Orders',
  );
  const scopes = 'sheets.read,sheets.write,sheets.webhooks';
  const created = await cellwire.runForJson(
    'token',
    'create',
    '--user',
    'anna@example.com',
    '--name',
    't',
    '--scopes',
    scopes,
  );
  const service = await cellwire.serveInProcess();
  const { body } = await service.call(created.token, 'POST', `/documents/${document}/webhooks`, { url });
  await service.end();
  return { document, token: created.token, secret: body.secret };
}

for (const from of ['a file', 'a setting'] as const) {
  test(`a key from ${from} is rotated while the service runs, and no secret is lost`, async (t) => {
    const installation = await createInstallation(
      from === 'a setting' ? { CELLWIRE_SECRETS_KEY: randomBytes(32).toString('hex') } : {},
    );
    t.after(() => installation.remove());
    const config = join(installation.folder, 'config.json');
    await writeFile(config, JSON.stringify({ notifications: { quietMs: QUIET_MS, allowPrivateNetworks: true } }));
    const cellwire = installation.addEnvironment({ CELLWIRE_CONFIG: config });
    const receiver = await startReceiver(t);
    const { document, token, secret } = await createSubscription(cellwire, receiver.url);
    const file = join(cellwire.data, 'keys', 'secrets.key');
    const before = existsSync(file) ? readFileSync(file, 'hex') : null;
    const service = await cellwire.serve();
    const write = async (to: LocalService | ServiceProcess, value: number): Promise<void> => {
      const nextDelivery = receiver.waitForNext();
      await to.call(token, 'PUT', `/documents/${document}/values/A1`, { values: [[value]] });
      assert.equal(hasServiceSignature(await nextDelivery, secret), true);
    };
    await write(service, 1);
    const rotated: Json = await cellwire.runForJson('key', 'rotate');
    assert.deepEqual([typeof rotated.rotatedAt, rotated.secrets], ['string', 1]);
    await write(service, 2);
    // The second rotation happens while the service knows another previous key.
    assert.equal((await cellwire.runForJson('key', 'rotate')).secrets, 1);
    await write(service, 3);
    await service.end('SIGTERM');
    const restarted = await cellwire.serveInProcess();
    await write(restarted, 4);
    await restarted.end();
    const { checks } = await cellwire.runForJson('doctor');
    assert.equal(checks.find(({ name }: Json) => name === 'sealed secrets').ok, true);
    if (before === null) return assert.equal(existsSync(file), false);
    assert.notEqual(readFileSync(file, 'hex'), before);
    assert.equal(existsSync(`${file}.previous`), false);
  });
}

test('a new key is adopted only after confirmation', async (t) => {
  const cellwire = await createInstallation({ CELLWIRE_SECRETS_KEY: randomBytes(32).toString('hex') });
  t.after(() => cellwire.remove());
  const receiver = await startReceiver(t);
  const config = join(cellwire.folder, 'config.json');
  await writeFile(config, JSON.stringify({ notifications: { allowPrivateNetworks: true } }));
  await createSubscription(cellwire.addEnvironment({ CELLWIRE_CONFIG: config }), receiver.url);
  const other = cellwire.addEnvironment({ CELLWIRE_SECRETS_KEY: randomBytes(32).toString('hex') });
  const unconfirmed = await other.runCommand('key', 'adopt');
  assert.deepEqual([unconfirmed.code, unconfirmed.stdout, /subscription 1/.test(unconfirmed.stderr)], [2, '', true]);
  assert.equal((await cellwire.runCommand('user', 'list')).code, 0);
  assert.deepEqual(await other.runForJson('key', 'adopt', '--yes'), { lost: [1] });
  assert.equal((await cellwire.runCommand('user', 'list')).code, 1);
});
