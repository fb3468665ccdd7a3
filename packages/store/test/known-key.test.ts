import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import { adoptKey, openKeyRing, verifyKey } from '../src/keys/known-key.ts';
import { createSecretBox, KEY_BYTES, readStoredKey } from '../src/keys/secrets.ts';
import { STORES } from './stores.ts';

const [ONE, OTHER] = [1, 2].map((byte) => createSecretBox(new Uint8Array(KEY_BYTES).fill(byte)));

for (const [name, open] of Object.entries(STORES)) {
  suite(`the recorded key of a database, ${name}`, () => {
    test('is recorded, and another key is refused until it is adopted', async (t) => {
      assert.ok(ONE && OTHER);
      const database = await (await open(t)).open();
      t.after(() => database.close());
      await verifyKey(database, ONE);
      await verifyKey(database, ONE);
      await assert.rejects(verifyKey(database, OTHER), { code: 'WRONG_KEY' });
      await adoptKey(database, OTHER);
      await verifyKey(database, OTHER);
      await assert.rejects(verifyKey(database, ONE), { code: 'WRONG_KEY' });
    });

    test('is created if there is none, and a start without the key does not create another', async (t) => {
      const database = await (await open(t)).open();
      t.after(() => database.close());
      const [firstFolder, secondFolder] = [createTemporaryFolder(t), createTemporaryFolder(t)];
      const box = await openKeyRing(database, { dataFolder: firstFolder, secretsKey: null });
      assert.deepEqual(readStoredKey(firstFolder)?.length, KEY_BYTES);
      await assert.rejects(openKeyRing(database, { dataFolder: secondFolder, secretsKey: null }), {
        code: 'WRONG_KEY',
      });
      assert.equal(readStoredKey(secondFolder), null);
      assert.equal(
        (await openKeyRing(database, { dataFolder: firstFolder, secretsKey: null })).fingerprint,
        box.fingerprint,
      );
    });

    test('is the same for all nodes that start at the same time', async (t) => {
      assert.ok(ONE && OTHER);
      const database = await (await open(t)).open();
      t.after(() => database.close());
      const starts = await Promise.allSettled([verifyKey(database, ONE), verifyKey(database, OTHER)]);
      assert.deepEqual(starts.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    });
  });
}
