import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { temporaryFolder } from '../../server/test/documents/support.ts';
import { adoptKey, checkKey, openWithKnownKey } from '../src/keys/known-key.ts';
import { boxOf, KEY_BYTES, storedKey } from '../src/keys/secrets.ts';
import { STORES } from './stores.ts';

const [ONE, OTHER] = [1, 2].map((byte) => boxOf(new Uint8Array(KEY_BYTES).fill(byte)));

for (const [name, open] of Object.entries(STORES)) {
  suite(`the key that a database was used with, ${name}`, () => {
    test('is remembered, and another one refused until it is adopted', async (t) => {
      assert.ok(ONE && OTHER);
      const database = await (await open(t)).open();
      t.after(() => database.close());
      await checkKey(database, ONE);
      await checkKey(database, ONE);
      await assert.rejects(checkKey(database, OTHER), { code: 'WRONG_KEY' });
      await adoptKey(database, OTHER);
      await checkKey(database, OTHER);
      await assert.rejects(checkKey(database, ONE), { code: 'WRONG_KEY' });
    });

    test('is made where nobody has one, and nothing is left of a start without it', async (t) => {
      const database = await (await open(t)).open();
      t.after(() => database.close());
      const [first, other] = [temporaryFolder(t), temporaryFolder(t)];
      const box = await openWithKnownKey(database, { dataFolder: first, secretsKey: null });
      assert.deepEqual(storedKey(first)?.length, KEY_BYTES);
      await assert.rejects(openWithKnownKey(database, { dataFolder: other, secretsKey: null }), { code: 'WRONG_KEY' });
      assert.equal(storedKey(other), null);
      assert.equal(
        (await openWithKnownKey(database, { dataFolder: first, secretsKey: null })).fingerprint,
        box.fingerprint,
      );
    });

    test('is one, however many nodes start at once', async (t) => {
      assert.ok(ONE && OTHER);
      const database = await (await open(t)).open();
      t.after(() => database.close());
      const started = await Promise.allSettled([checkKey(database, ONE), checkKey(database, OTHER)]);
      assert.deepEqual(started.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    });
  });
}
