import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { OpenDocument, Proposer } from '../../src/documents/types.ts';
import { TRUSTING_COMMITS } from '../../src/limits/documents.ts';
import {
  addOwner,
  createDocument,
  createTemporaryFolder,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  setValue,
} from './support.ts';

/**
 * Opens a document in two processes. After many writes, the first process no longer asks the database before a write.
 */
async function openTrustingAndOther(
  t: TestContext,
): Promise<{ readonly ownDocument: OpenDocument; readonly otherDocument: OpenDocument }> {
  const folder = createTemporaryFolder(t);
  const [firstProcess, secondProcess] = [openInstallation(t, folder), openInstallation(t, folder)];
  await addOwner(firstProcess.database);
  const id = await createDocument(firstProcess.documents);
  const ownDocument = await openDocument(firstProcess.documents, id);
  for (let i = 0; i <= TRUSTING_COMMITS; i++)
    assert.equal((await ownDocument.write(setValue(0, 0, i))).kind, 'written');
  return { ownDocument, otherDocument: await openDocument(secondProcess.documents, id) };
}

const declineProposal: Proposer<never, number> = ({ revision }) => ({ kind: 'declined', reason: revision });

test('a write without a look-up follows the commits of another process', async (t) => {
  const { ownDocument, otherDocument } = await openTrustingAndOther(t);
  assert.equal((await otherDocument.write(setValue(1, 0, 'theirs'))).kind, 'written');
  const written = await Promise.all([2, 3, 4].map((row) => ownDocument.write(setValue(row, 0, row))));
  assert.ok(written.every(({ kind }) => kind === 'written'));
  for (const document of [ownDocument, otherDocument]) {
    const snapshot = await readSnapshot(document);
    assert.deepEqual(
      [1, 2, 3, 4].map((row) => readValue(snapshot, row, 0)),
      ['theirs', 2, 3, 4],
    );
  }
});

test('a refusal refers to the latest state of any process, not only to the known one', async (t) => {
  const { ownDocument, otherDocument } = await openTrustingAndOther(t);
  const { revision } = await readSnapshot(ownDocument);
  assert.equal((await otherDocument.write(setValue(1, 0, 'theirs'))).kind, 'written');
  assert.deepEqual(await ownDocument.write(declineProposal), { kind: 'declined', reason: revision + 1 });
});

test('a refusal after a pending write refers to the state with that write', async (t) => {
  const { ownDocument } = await openTrustingAndOther(t);
  const { revision } = await readSnapshot(ownDocument);
  const [written, refused] = await Promise.all([
    ownDocument.write(setValue(1, 0, 1)),
    ownDocument.write(declineProposal),
  ]);
  assert.equal(written.kind, 'written');
  assert.deepEqual(refused, { kind: 'declined', reason: revision + 1 });
});
