import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startReceiver } from '../notify/receiver.ts';
import { hasServiceSignature } from '../notify/support.ts';
import { type Installation, type Json, newInstallation } from './support.ts';

const QUIET_MS = 50;

async function subscribed(
  here: Installation,
  url: string,
): Promise<{ document: string; token: string; secret: string }> {
  await here.json('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const { id: document } = await here.json('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const scopes = 'sheets.read,sheets.write,sheets.webhooks';
  const made = await here.json('token', 'create', '--user', 'anna@example.com', '--name', 't', '--scopes', scopes);
  const serving = await here.serve();
  const { body } = await serving.call(made.token, 'POST', `/documents/${document}/webhooks`, { url });
  await serving.end('SIGTERM');
  return { document, token: made.token, secret: body.secret };
}

for (const from of ['a file', 'a setting'] as const) {
  test(`a key from ${from} is rotated while the service runs, and no secret is lost`, async (t) => {
    const installed = await newInstallation(
      from === 'a setting' ? { CELLWIRE_SECRETS_KEY: randomBytes(32).toString('hex') } : {},
    );
    t.after(() => installed.remove());
    const config = join(installed.folder, 'config.json');
    await writeFile(config, JSON.stringify({ notifications: { quietMs: QUIET_MS, allowPrivateNetworks: true } }));
    const here = installed.with({ CELLWIRE_CONFIG: config });
    const receiver = await startReceiver(t);
    const { document, token, secret } = await subscribed(here, receiver.url);
    const file = join(here.data, 'keys', 'secrets.key');
    const before = existsSync(file) ? readFileSync(file, 'hex') : null;
    let serving = await here.serve();
    const write = async (value: number): Promise<void> => {
      const coming = receiver.next();
      await serving.call(token, 'PUT', `/documents/${document}/values/A1`, { values: [[value]] });
      assert.equal(hasServiceSignature(await coming, secret), true);
    };
    await write(1);
    const rotated: Json = await here.json('key', 'rotate');
    assert.deepEqual([typeof rotated.rotatedAt, rotated.secrets], ['string', 1]);
    await write(2);
    // A second one, before and after which the service takes other secrets.
    assert.equal((await here.json('key', 'rotate')).secrets, 1);
    await write(3);
    await serving.end('SIGTERM');
    serving = await here.serve();
    await write(4);
    await serving.end('SIGTERM');
    const { checks } = await here.json('doctor');
    assert.equal(checks.find(({ name }: Json) => name === 'sealed secrets').ok, true);
    if (before === null) return assert.equal(existsSync(file), false);
    assert.notEqual(readFileSync(file, 'hex'), before);
    assert.equal(existsSync(`${file}.previous`), false);
  });
}

test('a key is adopted only when somebody says so', async (t) => {
  const here = await newInstallation({ CELLWIRE_SECRETS_KEY: randomBytes(32).toString('hex') });
  t.after(() => here.remove());
  const receiver = await startReceiver(t);
  const config = join(here.folder, 'config.json');
  await writeFile(config, JSON.stringify({ notifications: { allowPrivateNetworks: true } }));
  await subscribed(here.with({ CELLWIRE_CONFIG: config }), receiver.url);
  const other = here.with({ CELLWIRE_SECRETS_KEY: randomBytes(32).toString('hex') });
  const asked = await other.run('key', 'adopt');
  assert.deepEqual([asked.code, asked.stdout, /subscriptions 1/.test(asked.stderr)], [2, '', true]);
  assert.equal((await here.run('user', 'list')).code, 0);
  assert.deepEqual(await other.json('key', 'adopt', '--yes'), { lost: [1] });
  assert.equal((await here.run('user', 'list')).code, 1);
});
