import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitSummaries } from '@cellwire/store/documents';
import { advanceWindows, beginWindows } from '@cellwire/store/webhooks';
import { runMaintenanceRound } from '../../src/documents/maintenance.ts';
import { COMMIT_LOG_MS, RETAINED_LOOK_MS } from '../../src/limits/retention.ts';
import {
  CHECKPOINT_COMMITS,
  createDocument,
  createInstallation,
  type Installation,
  openDocument,
  setValue,
} from '../documents/support.ts';

const RETENTION = {
  auditDays: 365,
  idempotencyMs: 0,
  history: { retentionDays: 30, maxRevisions: 10_000 },
  trashDays: 30,
};

/** The number of commits that remain after maintenance. */
async function countRemainingCommits({ database, clock }: Installation, id: string, now: number): Promise<number> {
  clock.now = now;
  await runMaintenanceRound(
    { database, clock: () => clock.now, onError: (what, error) => assert.fail(`${what}: ${error}`) },
    RETENTION,
  );
  return (await database.read(commitSummaries({ id, after: 0, limit: 2 * CHECKPOINT_COMMITS }))).length;
}

test('the log keeps commits outside closed windows, independent of their age', async (t) => {
  const installation = await createInstallation(t);
  const { database, documents } = installation;
  const id = await createDocument(documents);
  await database.write({ document: id, statements: [beginWindows({ document_id: id })] });
  const document = await openDocument(documents, id);
  for (let i = 0; i < CHECKPOINT_COMMITS; i++) await document.write(setValue(i, 0, i));
  await documents.close();
  assert.equal(await countRemainingCommits(installation, id, COMMIT_LOG_MS + 1), CHECKPOINT_COMMITS);
  const grouped = CHECKPOINT_COMMITS - 3;
  await database.write({
    document: id,
    statements: [advanceWindows({ document_id: id, version: 0, next: 1, grouped, ahead: '{}' })],
  });
  assert.equal(await countRemainingCommits(installation, id, COMMIT_LOG_MS + 1 + RETAINED_LOOK_MS), 3);
});
