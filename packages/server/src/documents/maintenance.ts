import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, type Query, type Statement, splitIntoBatches } from '@cellwire/store';
import { deleteOldAccountEntries, deleteOldAttempts } from '@cellwire/store/accounts';
import {
  deleteRemovedDocument,
  documentsWithUnnumberedEntries,
  numberEntries,
  removedDocuments,
} from '@cellwire/store/audit';
import {
  deleteOldAudit,
  deleteOldCommits,
  deleteOldCreationReplies,
  deleteOldReplies,
  deleteOldRetainedCheckpoints,
  deleteOldRetainedChunks,
  dueDocuments,
  lastDocumentOfStep,
  oldestKeptRows,
  oldestRetained,
  recordRetentionCheck,
  shortenRetainedCheckpoints,
} from '@cellwire/store/documents';
import {
  deleteOldConfirmations,
  deleteOldProposalEvents,
  deleteOldProposals,
  documentsWithOldConfirmations,
  documentsWithOldProposals,
} from '@cellwire/store/proposals';
import { ATTEMPT_WINDOW_MS } from '../limits/console.ts';
import {
  COMMIT_LOG_COUNT,
  COMMIT_LOG_MS,
  DELETE_BATCH_ROWS,
  RETENTION_INTERVAL_MS,
  RETENTION_LOST_MS,
} from '../limits/retention.ts';
import { createClockTrust } from './clock-trust.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { Lease } from './lease.ts';
import { purgeExpiredDocuments, removeUnfinishedDocuments } from './remove.ts';
import {
  computeAuditRetentionMs,
  computeHistoryRetentionMs,
  computeNextCheck,
  computeShortestRetentionMs,
  computeTrashRetentionMs,
  isTrimDue,
  type OldestKept,
  type RetentionSettings,
} from './retention-rules.ts';

/** Documents that one step of a round scans for due work, and how many of these it trims in parallel. */
const STEP_DOCUMENTS = 500;
const PARALLEL_TRIMS = 50;
const LEASE_NAME = 'retention';

/** Whether a round continues. */
interface RoundStatus {
  readonly isStopped: () => boolean;
  /** Whether this process still holds the work; checked before each step. */
  readonly isOurs: () => Promise<boolean>;
}

const SINGLE_ROUND: RoundStatus = { isStopped: () => false, isOurs: async () => true };

type MaintenanceEnvironment = Pick<DocumentsEnvironment, 'database' | 'clock' | 'onError'>;

/** Starts periodic rounds of maintenance in one of all processes on the database. `stop` waits for a running round. */
export function startMaintenance(environment: MaintenanceEnvironment, settings: RetentionSettings) {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const trusts = createClockTrust(environment.clock);
  const lease = new Lease(environment.database, LEASE_NAME, RETENTION_LOST_MS);
  const work = async (): Promise<void> => {
    // A clock that has just jumped may jump back. Nothing is deleted until it has advanced evenly for a while.
    const isTrusted = trusts();
    if (!(await lease.acquire())) return;
    if (isTrusted)
      await runMaintenanceRound(environment, settings, { isStopped: () => stopped, isOurs: () => lease.acquire() });
    else await removeUnfinishedDocuments(environment.database, environment.clock());
  };
  const reportFailure = (error: unknown): void => environment.onError('maintenance', error);
  const startRound = () => {
    running = work().catch(reportFailure);
  };
  startRound();
  const timer = setInterval(() => {
    void running.then(startRound);
  }, RETENTION_INTERVAL_MS);
  timer.unref();
  return {
    stop: async (): Promise<void> => {
      stopped = true;
      clearInterval(timer);
      await running;
      await lease.release().catch(reportFailure);
    },
  };
}

/** Runs one round: removes what crashes have left, then everything past its retention time, in bounded transactions. */
export async function runMaintenanceRound(
  environment: MaintenanceEnvironment,
  settings: RetentionSettings,
  round: RoundStatus = SINGLE_ROUND,
): Promise<void> {
  const { database, clock } = environment;
  await removeUnfinishedDocuments(database, clock());
  await assignEntryNumbers(database, round);
  await trimDueDocuments(environment, settings, round);
  await emptyTrash(environment, settings, round);
  const before = clock() - settings.idempotencyMs;
  await repeatDeletion(database, null, [deleteOldCreationReplies({ before, limit: DELETE_BATCH_ROWS })]);
  await trimLogsOfDeletedDocuments(environment, settings, round);
  await trimProposals(environment, settings, round);
  await trimConfirmations(environment, round);
  if (!round.isStopped() && (await round.isOurs())) await trimAccounts(environment, settings);
}

/** Deletes records of used confirmations that have expired. An expired confirmation is refused anyway. */
function trimConfirmations({ database, clock }: MaintenanceEnvironment, round: RoundStatus): Promise<void> {
  const before = clock();
  return writeForEachDocument(
    database,
    round,
    documentsWithOldConfirmations({ before, limit: STEP_DOCUMENTS }),
    (id) => [deleteOldConfirmations({ document_id: id, before })],
  );
}

/** Deletes proposals that are no longer open, and their events, after the retention time of the audit log. */
function trimProposals(
  { database, clock }: MaintenanceEnvironment,
  settings: RetentionSettings,
  round: RoundStatus,
): Promise<void> {
  const before = clock() - computeAuditRetentionMs(settings);
  return writeForEachDocument(database, round, documentsWithOldProposals({ before, limit: STEP_DOCUMENTS }), (id) => [
    deleteOldProposals({ id, before }),
    deleteOldProposalEvents({ id, before }),
  ]);
}

/** Numbers audit entries that nodes of an older version added without numbers during an upgrade. */
function assignEntryNumbers(database: Database, round: RoundStatus): Promise<void> {
  return writeForEachDocument(
    database,
    round,
    documentsWithUnnumberedEntries({ limit: STEP_DOCUMENTS }),
    numberEntries,
  );
}

/**
 * Writes the statements once for each document that a query finds, until the query returns less than a full step. The
 * statements must remove the document from the query's result.
 */
async function writeForEachDocument(
  database: Database,
  round: RoundStatus,
  query: Query<{ document_id: string }>,
  statements: (id: string) => readonly Statement[],
): Promise<void> {
  for (let isFull = true; isFull && !round.isStopped() && (await round.isOurs()); ) {
    const rows = await database.read(query);
    const documents = new Set(rows.map(({ document_id: id }) => id));
    for (const id of documents) await database.write({ document: id, statements: statements(id) });
    isFull = rows.length === STEP_DOCUMENTS;
  }
}

/** Trims only documents in which something is due, so that the cost of a round depends on the amount of due work. */
async function trimDueDocuments(
  environment: MaintenanceEnvironment,
  settings: RetentionSettings,
  round: RoundStatus,
): Promise<void> {
  const { database, clock } = environment;
  const now = clock();
  const due = { now, settings: JSON.stringify(settings), changed_before: now - computeShortestRetentionMs(settings) };
  for (let after = ''; !round.isStopped() && (await round.isOurs()); ) {
    const last = (await database.readOne(lastDocumentOfStep({ after, limit: STEP_DOCUMENTS })))?.last ?? null;
    if (last === null) return;
    const documents = await database.read(dueDocuments({ ...due, after, last }));
    for (const some of splitIntoBatches(documents, PARALLEL_TRIMS)) {
      await Promise.all(some.map((document) => checkDocument(environment, document, settings, round)));
    }
    after = last;
    await nextTurn();
  }
}

interface CheckedDocument {
  readonly id: string;
  readonly revision: number;
  readonly audited: number;
}

/** Trims a document if something in it is due, and records the time of the next check. */
async function checkDocument(
  environment: MaintenanceEnvironment,
  { id, revision, audited }: CheckedDocument,
  settings: RetentionSettings,
  round: RoundStatus,
): Promise<void> {
  if (round.isStopped()) return;
  const { database, clock } = environment;
  const now = clock();
  const readOldest = async () => (await database.readOne(oldestKeptRows({ id }))) ?? NOTHING_KEPT;
  let oldestKept = await readOldest();
  if (isTrimDue(oldestKept, revision, settings, now)) {
    await trimDocument(environment, id, settings);
    oldestKept = await readOldest();
  }
  const { dueAt, dueRevision } = computeNextCheck(oldestKept, revision, settings, now);
  const look = { document_id: id, looked_at: now, due_at: dueAt, due_revision: dueRevision, revision, audited };
  await database.write({
    document: id,
    statements: [recordRetentionCheck({ ...look, settings: JSON.stringify(settings) })],
  });
}

const NOTHING_KEPT: OldestKept = { audit_at: null, reply_at: null, commit_at: null, commit_revision: null };

/** Deletes old audit entries, retained checkpoints, stored replies and commits of one document. */
async function trimDocument({ database, clock }: MaintenanceEnvironment, id: string, settings: RetentionSettings) {
  const now = clock();
  const limit = DELETE_BATCH_ROWS;
  await repeatDeletion(database, id, [deleteOldAudit({ id, before: now - computeAuditRetentionMs(settings), limit })]);
  await trimHistory(database, id, settings, now);
  const statements = [
    deleteOldReplies({ id, before: now - settings.idempotencyMs, limit }),
    deleteOldCommits({ id, before: now - COMMIT_LOG_MS, keep: COMMIT_LOG_COUNT, limit }),
  ];
  await repeatDeletion(database, id, statements);
}

/** Deletes revisions past their retention time, except named revisions and the data needed to read them. */
async function trimHistory(database: Database, id: string, settings: RetentionSettings, now: number): Promise<void> {
  const kept = { id, keep: settings.history.maxRevisions, since: now - computeHistoryRetentionMs(settings) };
  const oldest = (await database.readOne(oldestRetained(kept)))?.revision ?? Number.MAX_SAFE_INTEGER;
  await database.write({
    document: id,
    statements: [shortenRetainedCheckpoints({ id, oldest }), deleteOldRetainedCheckpoints({ id, oldest })],
  });
  await repeatDeletion(database, id, [deleteOldRetainedChunks({ id, limit: DELETE_BATCH_ROWS })]);
}

/** Repeats statements that delete up to `DELETE_BATCH_ROWS` rows, until none of them deletes so many. */
async function repeatDeletion(
  database: Database,
  document: string | null,
  statements: readonly Statement[],
): Promise<void> {
  for (let full = true; full; ) {
    const outcome = await database.write({ document, statements });
    full = outcome.kind === 'committed' && outcome.results.some(({ changes }) => changes === DELETE_BATCH_ROWS);
  }
}

/** Deletes expired records of sign-ins and sign-in attempts. */
async function trimAccounts({ database, clock }: MaintenanceEnvironment, settings: RetentionSettings): Promise<void> {
  const now = clock();
  const limit = DELETE_BATCH_ROWS;
  await repeatDeletion(database, null, [
    deleteOldAttempts({ before: now - ATTEMPT_WINDOW_MS, limit }),
    deleteOldAccountEntries({ before: now - computeAuditRetentionMs(settings), limit }),
  ]);
}

/** Purges documents whose time in the trash is over. Reads no other row of the trash. */
async function emptyTrash(
  { database, clock }: MaintenanceEnvironment,
  settings: RetentionSettings,
  round: RoundStatus,
): Promise<void> {
  while (!round.isStopped() && (await round.isOurs())) {
    const now = clock();
    const purged = await purgeExpiredDocuments(database, {
      now,
      until: now - computeTrashRetentionMs(settings),
      limit: PARALLEL_TRIMS,
    });
    if (purged < PARALLEL_TRIMS) return;
    await nextTurn();
  }
}

/** Deletes logs of deleted documents after the usual retention time. */
async function trimLogsOfDeletedDocuments(
  { database, clock }: MaintenanceEnvironment,
  settings: RetentionSettings,
  round: RoundStatus,
): Promise<void> {
  for (let after = ''; !round.isStopped() && (await round.isOurs()); ) {
    const documents = await database.read(removedDocuments({ after, limit: STEP_DOCUMENTS }));
    const last = documents.at(-1);
    if (last === undefined) return;
    for (const { document_id: id } of documents) {
      const before = clock() - computeAuditRetentionMs(settings);
      await repeatDeletion(database, id, [deleteOldAudit({ id, before, limit: DELETE_BATCH_ROWS })]);
      await database.write({ document: id, statements: [deleteRemovedDocument({ id })] });
    }
    after = last.document_id;
  }
}
