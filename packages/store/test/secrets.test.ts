import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import { openSecretBox } from '../src/keys/secrets.ts';

test('a sealed secret can be opened again, also after a restart', (t) => {
  const folder = createTemporaryFolder(t);
  const sealed = openSecretBox({ dataFolder: folder, secretsKey: null }).seal('бот:123');
  assert.equal(openSecretBox({ dataFolder: folder, secretsKey: null }).open(sealed), 'бот:123');
});

test('the sealed value does not contain the secret, and two seals differ', (t) => {
  const box = openSecretBox({ dataFolder: createTemporaryFolder(t), secretsKey: null });
  const sealed = box.seal('whsec_secret');
  assert.ok(!Buffer.from(sealed).includes('whsec_secret'));
  assert.notDeepEqual(sealed, box.seal('whsec_secret'));
});

test('another key, a changed byte, a cut or foreign bytes do not open', (t) => {
  const box = openSecretBox({ dataFolder: createTemporaryFolder(t), secretsKey: null });
  const sealed = box.seal('secret');
  assert.equal(openSecretBox({ dataFolder: createTemporaryFolder(t), secretsKey: null }).open(sealed), null);
  for (let i = 0; i < sealed.length; i++) {
    const changedBytes = sealed.map((byte, at) => (at === i ? byte ^ 1 : byte));
    assert.equal(box.open(changedBytes), null, `byte ${i}`);
  }
  assert.equal(box.open(sealed.subarray(0, 20)), null);
  assert.equal(box.open(new Uint8Array()), null);
});

test('the key file is accessible only for this user, and no other file is left', (t) => {
  const folder = createTemporaryFolder(t);
  openSecretBox({ dataFolder: folder, secretsKey: null });
  assert.deepEqual(readdirSync(join(folder, 'keys')), ['secrets.key']);
  const { mode, size } = statSync(join(folder, 'keys', 'secrets.key'));
  assert.deepEqual([mode & 0o777, size], [0o600, 32]);
  assert.equal(statSync(join(folder, 'keys')).mode & 0o777, 0o700);
});

test('a damaged key file is an error, not a new key', (t) => {
  const folder = createTemporaryFolder(t);
  openSecretBox({ dataFolder: folder, secretsKey: null });
  writeFileSync(join(folder, 'keys', 'secrets.key'), 'short');
  assert.throws(() => openSecretBox({ dataFolder: folder, secretsKey: null }), /must have 32 bytes/);
});
