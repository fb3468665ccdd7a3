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
import { clockTrust } from './clock-trust.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { Lease } from './lease.ts';
import { purgeExpired, sweep } from './remove.ts';
import {
  auditMs,
  historyMs,
  isDue,
  nextLook,
  type OldestKept,
  type RetentionSettings,
  shortestRetentionMs,
  trashMs,
} from './retention-rules.ts';

/** Documents among which one step of a round looks for due ones, and how many of these it trims at the same time. */
const STEP_DOCUMENTS = 500;
const TOGETHER = 50;
const LEASE = 'retention';

/** Whether a round goes on. */
interface Going {
  readonly isStopped: () => boolean;
  /** Whether it is still this process's work; asked before each step. */
  readonly isOurs: () => Promise<boolean>;
}

const ALONE: Going = { isStopped: () => false, isOurs: async () => true };

type MaintenanceEnvironment = Pick<DocumentsEnvironment, 'database' | 'clock' | 'onError'>;

/** Starts a round of maintenance now and then, in one of all processes on the database. `stop` waits for the one under way. */
export function startMaintenance(environment: MaintenanceEnvironment, settings: RetentionSettings) {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const trusts = clockTrust(environment.clock);
  const lease = new Lease(environment.database, LEASE, RETENTION_LOST_MS);
  const work = async (): Promise<void> => {
    // A clock that has just jumped may jump back: nothing is deleted by it until it has gone on evenly for a while.
    const isTrusted = trusts();
    if (!(await lease.take())) return;
    if (isTrusted) await maintain(environment, settings, { isStopped: () => stopped, isOurs: () => lease.take() });
    else await sweep(environment.database, environment.clock());
  };
  const told = (error: unknown): void => environment.onError('maintenance', error);
  const round = () => {
    running = work().catch(told);
  };
  round();
  const timer = setInterval(() => {
    void running.then(round);
  }, RETENTION_INTERVAL_MS);
  timer.unref();
  return {
    stop: async (): Promise<void> => {
      stopped = true;
      clearInterval(timer);
      await running;
      await lease.giveBack().catch(told);
    },
  };
}

/** One round: what crashes have left, then everything past its time; some rows a transaction. */
export async function maintain(
  environment: MaintenanceEnvironment,
  settings: RetentionSettings,
  going: Going = ALONE,
): Promise<void> {
  const { database, clock } = environment;
  await sweep(database, clock());
  await numberUnnumberedEntries(database, going);
  await trimDueDocuments(environment, settings, going);
  await emptyTrash(environment, settings, going);
  const before = clock() - settings.idempotencyMs;
  await repeat(database, null, [deleteOldCreationReplies({ before, limit: DELETE_BATCH_ROWS })]);
  await trimRemoved(environment, settings, going);
  await trimProposals(environment, settings, going);
  await trimConfirmations(environment, going);
  if (!going.isStopped() && (await going.isOurs())) await trimAccounts(environment, settings);
}

/** The signature of an expired confirmation is refused, so the record of its use is no longer needed. */
function trimConfirmations({ database, clock }: MaintenanceEnvironment, going: Going): Promise<void> {
  const before = clock();
  return eachDocument(database, going, documentsWithOldConfirmations({ before, limit: STEP_DOCUMENTS }), (id) => [
    deleteOldConfirmations({ document_id: id, before }),
  ]);
}

/** Decided proposals are kept for the same time as the audit log. */
function trimProposals(
  { database, clock }: MaintenanceEnvironment,
  settings: RetentionSettings,
  going: Going,
): Promise<void> {
  const before = clock() - auditMs(settings);
  return eachDocument(database, going, documentsWithOldProposals({ before, limit: STEP_DOCUMENTS }), (id) => [
    deleteOldProposals({ id, before }),
    deleteOldProposalEvents({ id, before }),
  ]);
}

/** Entries that nodes of an older version add while an upgrade is under way have no numbers yet. */
function numberUnnumberedEntries(database: Database, going: Going): Promise<void> {
  return eachDocument(database, going, documentsWithUnnumberedEntries({ limit: STEP_DOCUMENTS }), numberEntries);
}

/**
 * Writes what each document that a query finds needs, until the query finds less than a step of them. The statements
 * must make the query find the document no more.
 */
async function eachDocument(
  database: Database,
  going: Going,
  query: Query<{ document_id: string }>,
  statements: (id: string) => readonly Statement[],
): Promise<void> {
  for (let isFull = true; isFull && !going.isStopped() && (await going.isOurs()); ) {
    const rows = await database.read(query);
    for (const { document_id: id } of rows) await database.write({ document: id, statements: statements(id) });
    isFull = rows.length === STEP_DOCUMENTS;
  }
}

/** Trims the documents in which something is due, and no others: a round costs what there is to do. */
async function trimDueDocuments(
  environment: MaintenanceEnvironment,
  settings: RetentionSettings,
  going: Going,
): Promise<void> {
  const { database, clock } = environment;
  const now = clock();
  const due = { now, settings: JSON.stringify(settings), changed_before: now - shortestRetentionMs(settings) };
  for (let after = ''; !going.isStopped() && (await going.isOurs()); ) {
    const last = (await database.readOne(lastDocumentOfStep({ after, limit: STEP_DOCUMENTS })))?.last ?? null;
    if (last === null) return;
    const documents = await database.read(dueDocuments({ ...due, after, last }));
    for (const some of splitIntoBatches(documents, TOGETHER)) {
      await Promise.all(some.map((document) => lookAt(environment, document, settings, going)));
    }
    after = last;
    await nextTurn();
  }
}

interface SeenDocument {
  readonly id: string;
  readonly revision: number;
  readonly audited: number;
}

/** Trims a document if something of it is due, and records when to look again. */
async function lookAt(
  environment: MaintenanceEnvironment,
  { id, revision, audited }: SeenDocument,
  settings: RetentionSettings,
  going: Going,
): Promise<void> {
  if (going.isStopped()) return;
  const { database, clock } = environment;
  const now = clock();
  const oldest = async () => (await database.readOne(oldestKeptRows({ id }))) ?? NOTHING_KEPT;
  let kept = await oldest();
  if (isDue(kept, revision, settings, now)) {
    await trim(environment, id, settings);
    kept = await oldest();
  }
  const { dueAt, dueRevision } = nextLook(kept, revision, settings, now);
  const look = { document_id: id, looked_at: now, due_at: dueAt, due_revision: dueRevision, revision, audited };
  await database.write({
    document: id,
    statements: [recordRetentionCheck({ ...look, settings: JSON.stringify(settings) })],
  });
}

const NOTHING_KEPT: OldestKept = { audit_at: null, reply_at: null, commit_at: null, commit_revision: null };

async function trim({ database, clock }: MaintenanceEnvironment, id: string, settings: RetentionSettings) {
  const now = clock();
  const limit = DELETE_BATCH_ROWS;
  await repeat(database, id, [deleteOldAudit({ id, before: now - auditMs(settings), limit })]);
  await trimHistory(database, id, settings, now);
  const statements = [
    deleteOldReplies({ id, before: now - settings.idempotencyMs, limit }),
    deleteOldCommits({ id, before: now - COMMIT_LOG_MS, keep: COMMIT_LOG_COUNT, limit }),
  ];
  await repeat(database, id, statements);
}

/** Revisions past their time, but for those with a name; what leads to these stays. */
async function trimHistory(database: Database, id: string, settings: RetentionSettings, now: number): Promise<void> {
  const kept = { id, keep: settings.history.maxRevisions, since: now - historyMs(settings) };
  const oldest = (await database.readOne(oldestRetained(kept)))?.revision ?? Number.MAX_SAFE_INTEGER;
  await database.write({
    document: id,
    statements: [shortenRetainedCheckpoints({ id, oldest }), deleteOldRetainedCheckpoints({ id, oldest })],
  });
  await repeat(database, id, [deleteOldRetainedChunks({ id, limit: DELETE_BATCH_ROWS })]);
}

/** A transaction that deletes nothing writes nothing: it costs no sync. */
async function repeat(database: Database, document: string | null, statements: readonly Statement[]): Promise<void> {
  for (let full = true; full; ) {
    const outcome = await database.write({ document, statements });
    full = outcome.kind === 'committed' && outcome.results.some(({ changes }) => changes === DELETE_BATCH_ROWS);
  }
}

/** What is kept of sign-ins, tried and done. */
async function trimAccounts({ database, clock }: MaintenanceEnvironment, settings: RetentionSettings): Promise<void> {
  const now = clock();
  const limit = DELETE_BATCH_ROWS;
  await repeat(database, null, [
    deleteOldAttempts({ before: now - ATTEMPT_WINDOW_MS, limit }),
    deleteOldAccountEntries({ before: now - auditMs(settings), limit }),
  ]);
}

/** Deletes for good the documents whose time in the bin is over. Reads no other row of the bin. */
async function emptyTrash(
  { database, clock }: MaintenanceEnvironment,
  settings: RetentionSettings,
  going: Going,
): Promise<void> {
  while (!going.isStopped() && (await going.isOurs())) {
    const now = clock();
    const purged = await purgeExpired(database, { now, until: now - trashMs(settings), limit: TOGETHER });
    if (purged < TOGETHER) return;
    await nextTurn();
  }
}

/** The logs of documents that were deleted are kept for their time like all others. */
async function trimRemoved(
  { database, clock }: MaintenanceEnvironment,
  settings: RetentionSettings,
  going: Going,
): Promise<void> {
  for (let after = ''; !going.isStopped() && (await going.isOurs()); ) {
    const documents = await database.read(removedDocuments({ after, limit: STEP_DOCUMENTS }));
    const last = documents.at(-1);
    if (last === undefined) return;
    for (const { document_id: id } of documents) {
      const before = clock() - auditMs(settings);
      await repeat(database, id, [deleteOldAudit({ id, before, limit: DELETE_BATCH_ROWS })]);
      await database.write({ document: id, statements: [deleteRemovedDocument({ id })] });
    }
    after = last.document_id;
  }
}
