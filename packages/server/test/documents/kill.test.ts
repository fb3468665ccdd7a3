import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { getStoreLocation } from '../../../store/test/postgres/folder-databases.ts';
import { killWhileWriting } from '../kill-while-writing.ts';
import {
  createDocument,
  createInstallation,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
} from './support.ts';

const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const DOCUMENTS = 4;
/** `node packages/server/test/documents/kill.test.ts 50` kills more often. */
const ROUNDS = Number(process.argv[2] ?? 5);
/** Each round is killed after a random number of acknowledged commits, up to this maximum. */
const MAX_ACKNOWLEDGED = 1_500;

test('a killed process loses nothing that it acknowledged', async (t) => {
  const { documents, folder } = await createInstallation(t);
  const ids: string[] = [];
  for (let i = 0; i < DOCUMENTS; i++) ids.push(await createDocument(documents));
  for (let round = 0; round < ROUNDS; round++) {
    const writes = 1 + Math.floor(Math.random() * MAX_ACKNOWLEDGED);
    const acknowledged = await killWhileWriting(CHILD, [JSON.stringify(getStoreLocation(folder)), ...ids], writes);
    const after = openInstallation(t, folder);
    for (const id of ids) {
      const snapshot = await readSnapshot(await openDocument(after.documents, id));
      const acknowledgedRevision = acknowledged.get(id) ?? 0;
      assert.ok(
        snapshot.revision >= acknowledgedRevision,
        `${id}: ${acknowledgedRevision} was acknowledged, ${snapshot.revision} is there`,
      );
      for (let row = 0; row < snapshot.revision; row++) assert.equal(readValue(snapshot, row, 0), row + 1);
    }
    await after.documents.close();
  }
});
