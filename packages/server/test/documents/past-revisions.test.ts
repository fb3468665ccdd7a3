import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { nameRevision } from '@cellwire/store/documents';
import { prepareQuery } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { LiveDocument } from '../../src/documents/live-document.ts';
import { runMaintenanceRound } from '../../src/documents/maintenance.ts';
import { INLINE_LOAD_CHUNKS } from '../../src/limits/calculation.ts';
import {
  CHECKPOINT_COMMITS,
  createDocument,
  createInstallation,
  type Installation,
  openDocument,
  openInstallation,
  readValue,
  setValue,
} from './support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const retainedCheckpoints = prepareQuery(() =>
  sql.selectFrom('bases').select(['revision', 'until', 'complete']).orderBy('revision'),
);
const checkpoints = prepareQuery(() => sql.selectFrom('checkpoints').select('revision'));
const retainedChunks = prepareQuery(() => sql.selectFrom('base_chunks').select('base_revision').distinct());
const revisions = prepareQuery(() => sql.selectFrom('commits').select('revision').orderBy('revision'));

/** Writes consecutive numbers into A1, one commit each. */
async function writeNumbers(installation: Installation, id: string, from: number, to: number): Promise<void> {
  const document = await openDocument(installation.documents, id);
  await Promise.all(Array.from({ length: to - from + 1 }, (_, i) => document.write(setValue(0, 0, from + i))));
}

/** Reads the value of A1 at a revision. Returns both; null if the revision is not available. */
async function readPast({ documents }: Installation, id: string, revision: number) {
  const snapshot = await documents.readPastState(id, revision, `${id} ${revision}`, { user: 1, viewer: null });
  return snapshot === null ? null : [snapshot.revision, readValue(snapshot, 0, 0)];
}

async function runMaintenance({ database }: Installation, now: number, maxRevisions: number): Promise<void> {
  await runMaintenanceRound(
    { database, clock: () => now, onError: (what, error) => assert.fail(`${what}: ${error}`) },
    { auditDays: 365, idempotencyMs: 0, history: { retentionDays: 30, maxRevisions }, trashDays: 30 },
  );
}

test('every revision can be read, before and after later checkpoints replace earlier ones', async (t) => {
  const installation = await createInstallation(t);
  const id = await createDocument(installation.documents);
  await writeNumbers(installation, id, 1, CHECKPOINT_COMMITS + 20);
  await installation.documents.close();
  const reopened = openInstallation(t, installation.folder);
  await writeNumbers(reopened, id, CHECKPOINT_COMMITS + 21, CHECKPOINT_COMMITS + 30);
  for (const revision of [1, 17, CHECKPOINT_COMMITS, CHECKPOINT_COMMITS + 20, CHECKPOINT_COMMITS + 30]) {
    assert.deepEqual(await readPast(reopened, id, revision), [revision, revision]);
  }
  assert.deepEqual(await readPast(reopened, id, 0), [0, null]);
  assert.deepEqual(await reopened.database.read(retainedCheckpoints({})), [{ revision: 0, until: null, complete: 1 }]);
});

test('a past state of many chunks is read completely', async (t) => {
  const installation = await createInstallation(t);
  const id = await createDocument(installation.documents);
  const columns = INLINE_LOAD_CHUNKS + 1;
  const document = await openDocument(installation.documents, id);
  await Promise.all(Array.from({ length: columns }, (_, column) => document.write(setValue(0, column, column))));
  await writeNumbers(installation, id, columns + 1, columns + CHECKPOINT_COMMITS);
  await installation.documents.close();
  const reopened = openInstallation(t, installation.folder);
  const snapshot = await reopened.documents.readPastState(id, columns, 'all of them', { user: 1, viewer: null });
  assert.deepEqual(
    Array.from({ length: columns }, (_, column) => snapshot && readValue(snapshot, 0, column)),
    Array.from({ length: columns }, (_, column) => column),
  );
});

test('expired revisions are deleted with their data, except a named revision', async (t) => {
  const installation = await createInstallation(t);
  const id = await createDocument(installation.documents);
  await writeNumbers(installation, id, 1, 30);
  await installation.documents.close();
  const { database } = installation;
  await runMaintenance(installation, 0, 5);
  assert.deepEqual(await readPast(installation, id, 26), [26, 26]);
  await database.write({ document: id, statements: [nameRevision({ id, revision: 12, name: 'Offer' })] });
  await runMaintenance(installation, 31 * DAY_MS, 5);
  assert.deepEqual(await readPast(installation, id, 12), [12, 12]);
  assert.deepEqual(
    (await database.read(revisions({}))).map(({ revision }) => revision),
    Array.from({ length: 12 }, (_, i) => i + 1),
  );
  assert.deepEqual(await readPast(installation, id, 30), [30, 30], 'the newest is no matter of history');
});

test('revisions before a checkpoint can be read although all retained checkpoints were deleted', async (t) => {
  const installation = await createInstallation(t);
  const { database, documents } = installation;
  const id = await createDocument(documents);
  const readCheckpoint = async () => (await database.readOne(checkpoints({})))?.revision ?? 0;
  let newest = 0;
  const writeUntilCheckpoint = async () => {
    const before = await readCheckpoint();
    while ((await readCheckpoint()) === before) {
      await writeNumbers(installation, id, newest + 1, newest + CHECKPOINT_COMMITS);
      newest += CHECKPOINT_COMMITS;
    }
    // The last commits may have begun another checkpoint.
    const document = await openDocument(documents, id);
    assert.ok(document instanceof LiveDocument);
    while (!document.isIdle) await setImmediate();
    return readCheckpoint();
  };
  const first = await writeUntilCheckpoint();
  await runMaintenance(installation, 31 * DAY_MS, 10_000);
  assert.deepEqual(await database.read(retainedCheckpoints({})), []);
  const second = await writeUntilCheckpoint();
  assert.ok(second > first);
  assert.deepEqual(await readPast(installation, id, second - 1), [second - 1, second - 1]);
  assert.deepEqual(
    (await database.read(retainedCheckpoints({}))).map(({ complete }) => complete),
    [1],
  );
});

test('no past state remains of a document without recent writes', async (t) => {
  const installation = await createInstallation(t);
  const id = await createDocument(installation.documents);
  await writeNumbers(installation, id, 1, 30);
  await installation.documents.close();
  await runMaintenance(installation, 31 * DAY_MS, 10_000);
  assert.deepEqual(await installation.database.read(retainedCheckpoints({})), []);
  assert.deepEqual(await installation.database.read(retainedChunks({})), []);
  assert.equal(await readPast(installation, id, 12), null);
});
