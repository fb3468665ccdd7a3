import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { OpenDocument, Proposer } from '../../src/documents/types.ts';
import { TRUSTING_COMMITS } from '../../src/limits/documents.ts';
import {
  addOwner,
  newDocument,
  openDocument,
  openInstallation,
  setting,
  snapshotOf,
  temporaryFolder,
  valueAt,
} from './support.ts';

/** Two processes with one document. After many writes, the first no longer asks the database before a write. */
async function trustingAndOther(
  t: TestContext,
): Promise<{ readonly mine: OpenDocument; readonly theirs: OpenDocument }> {
  const folder = temporaryFolder(t);
  const [here, there] = [openInstallation(t, folder), openInstallation(t, folder)];
  await addOwner(here.database);
  const id = await newDocument(here.documents);
  const mine = await openDocument(here.documents, id);
  for (let i = 0; i <= TRUSTING_COMMITS; i++) assert.equal((await mine.write(setting(0, 0, i))).kind, 'written');
  return { mine, theirs: await openDocument(there.documents, id) };
}

const declining: Proposer<never, number> = ({ revision }) => ({ kind: 'declined', reason: revision });

test('a write without a look-up follows the commits of another process', async (t) => {
  const { mine, theirs } = await trustingAndOther(t);
  assert.equal((await theirs.write(setting(1, 0, 'theirs'))).kind, 'written');
  const written = await Promise.all([2, 3, 4].map((row) => mine.write(setting(row, 0, row))));
  assert.ok(written.every(({ kind }) => kind === 'written'));
  for (const document of [mine, theirs]) {
    const snapshot = await snapshotOf(document);
    assert.deepEqual(
      [1, 2, 3, 4].map((row) => valueAt(snapshot, row, 0)),
      ['theirs', 2, 3, 4],
    );
  }
});

test('a refusal refers to the latest state of any process, not only to the known one', async (t) => {
  const { mine, theirs } = await trustingAndOther(t);
  const { revision } = await snapshotOf(mine);
  assert.equal((await theirs.write(setting(1, 0, 'theirs'))).kind, 'written');
  assert.deepEqual(await mine.write(declining), { kind: 'declined', reason: revision + 1 });
});

test('a refusal after a pending write refers to the state with that write', async (t) => {
  const { mine } = await trustingAndOther(t);
  const { revision } = await snapshotOf(mine);
  const [written, refused] = await Promise.all([mine.write(setting(1, 0, 1)), mine.write(declining)]);
  assert.equal(written.kind, 'written');
  assert.deepEqual(refused, { kind: 'declined', reason: revision + 1 });
});
