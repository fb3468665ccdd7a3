import { ATTEMPT_WINDOW_MS } from '../limits/console.ts';
import {
  COMMIT_LOG_COUNT,
  COMMIT_LOG_MS,
  DELETE_BATCH_ROWS,
  RETENTION_INTERVAL_MS,
  RETENTION_LOST_MS,
} from '../limits/limits.ts';
import { deleteOldAccountEntries } from '../store/account-log.ts';
import { deleteOldAttempts } from '../store/attempts.ts';
import { forgetRemoved, removedDocuments } from '../store/audit.ts';
import type { Database, Statement } from '../store/database.ts';
import {
  deleteOldAudit,
  deleteOldBaseChunks,
  deleteOldBases,
  deleteOldCommits,
  deleteOldMakings,
  deleteOldReplies,
  documentIdsAfter,
  shortenBases,
} from '../store/retention.ts';
import { oldestKept } from '../store/revisions.ts';
import { clockTrust } from './clock-trust.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { Lease } from './lease.ts';
import { sweep } from './remove.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Documents that one step of a round looks up. */
const STEP_DOCUMENTS = 100;
const LEASE = 'retention';

interface RetentionSettings {
  readonly auditDays: number;
  readonly idempotencyMs: number;
  readonly history: { readonly retentionDays: number; readonly maxRevisions: number };
}

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
  let after = '';
  while (!going.isStopped() && (await going.isOurs())) {
    const documents = await database.read(documentIdsAfter({ after, limit: STEP_DOCUMENTS }));
    const last = documents.at(-1);
    if (last === undefined) break;
    for (const { id } of documents) {
      if (!going.isStopped()) await trim(environment, id, settings);
    }
    after = last.id;
  }
  const before = clock() - settings.idempotencyMs;
  await repeat(database, null, [deleteOldMakings({ before, limit: DELETE_BATCH_ROWS })]);
  await trimRemoved(environment, settings, going);
  if (!going.isStopped() && (await going.isOurs())) await trimAccounts(environment, settings);
}

async function trim({ database, clock }: MaintenanceEnvironment, id: string, settings: RetentionSettings) {
  const now = clock();
  const limit = DELETE_BATCH_ROWS;
  await repeat(database, id, [deleteOldAudit({ id, before: now - settings.auditDays * DAY_MS, limit })]);
  await trimHistory(database, id, settings.history, now);
  const statements = [
    deleteOldReplies({ id, before: now - settings.idempotencyMs, limit }),
    deleteOldCommits({ id, before: now - COMMIT_LOG_MS, keep: COMMIT_LOG_COUNT, limit }),
  ];
  await repeat(database, id, statements);
}

/** Revisions past their time, but for those with a name; what leads to these stays. */
async function trimHistory(
  database: Database,
  id: string,
  { retentionDays, maxRevisions }: RetentionSettings['history'],
  now: number,
): Promise<void> {
  const kept = { id, keep: maxRevisions, since: now - retentionDays * DAY_MS };
  const oldest = (await database.readOne(oldestKept(kept)))?.revision ?? Number.MAX_SAFE_INTEGER;
  await database.write({ document: id, statements: [shortenBases({ id, oldest }), deleteOldBases({ id, oldest })] });
  await repeat(database, id, [deleteOldBaseChunks({ id, limit: DELETE_BATCH_ROWS })]);
}

/** A transaction that deletes nothing writes nothing: it costs no sync. */
async function repeat(database: Database, document: string | null, statements: readonly Statement[]): Promise<void> {
  for (let full = true; full; ) {
    const outcome = await database.write({ document, statements });
    full = outcome.kind === 'committed' && outcome.results.some(({ changes }) => changes === DELETE_BATCH_ROWS);
  }
}

/** What is kept of sign-ins, tried and done. */
async function trimAccounts(
  { database, clock }: MaintenanceEnvironment,
  { auditDays }: RetentionSettings,
): Promise<void> {
  const now = clock();
  const limit = DELETE_BATCH_ROWS;
  await repeat(database, null, [
    deleteOldAttempts({ before: now - ATTEMPT_WINDOW_MS, limit }),
    deleteOldAccountEntries({ before: now - auditDays * DAY_MS, limit }),
  ]);
}

/** The logs of documents that were deleted are kept for their time like all others. */
async function trimRemoved(
  { database, clock }: MaintenanceEnvironment,
  { auditDays }: RetentionSettings,
  going: Going,
): Promise<void> {
  for (let after = ''; !going.isStopped() && (await going.isOurs()); ) {
    const documents = await database.read(removedDocuments({ after, limit: STEP_DOCUMENTS }));
    const last = documents.at(-1);
    if (last === undefined) return;
    for (const { document_id: id } of documents) {
      const before = clock() - auditDays * DAY_MS;
      await repeat(database, id, [deleteOldAudit({ id, before, limit: DELETE_BATCH_ROWS })]);
      await database.write({ document: id, statements: [forgetRemoved({ id })] });
    }
    after = last.document_id;
  }
}
