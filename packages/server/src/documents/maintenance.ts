import { COMMIT_LOG_COUNT, COMMIT_LOG_MS, DELETE_BATCH_ROWS, RETENTION_INTERVAL_MS } from '../limits/limits.ts';
import { forgetRemoved, removedDocuments } from '../store/audit.ts';
import type { Database, Statement } from '../store/database.ts';
import {
  deleteOldAudit,
  deleteOldBaseChunks,
  deleteOldBases,
  deleteOldCommits,
  deleteOldReplies,
  documentIdsAfter,
  shortenBases,
} from '../store/retention.ts';
import { oldestKept } from '../store/revisions.ts';
import { clockTrust } from './clock-trust.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { sweep } from './remove.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Documents that one step of a round looks up. */
const STEP_DOCUMENTS = 100;

interface RetentionSettings {
  readonly auditDays: number;
  readonly idempotencyMs: number;
  readonly history: { readonly retentionDays: number; readonly maxRevisions: number };
}

type MaintenanceEnvironment = Pick<DocumentsEnvironment, 'database' | 'clock' | 'onError'>;

/** Starts a round of maintenance now and then. `stop` waits for the one under way. */
export function startMaintenance(environment: MaintenanceEnvironment, settings: RetentionSettings) {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const trusts = clockTrust(environment.clock);
  const round = () => {
    // A clock that has just jumped may jump back: nothing is deleted by it until it has gone on evenly for a while.
    running = (
      trusts() ? maintain(environment, settings, () => stopped) : sweep(environment.database, environment.clock())
    ).catch((error: unknown) => {
      environment.onError('maintenance', error);
    });
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
    },
  };
}

/** One round: what crashes have left, then everything past its time; in units small enough to stand in nobody's way. */
export async function maintain(
  environment: MaintenanceEnvironment,
  settings: RetentionSettings,
  stopped: () => boolean = () => false,
): Promise<void> {
  const { database, clock } = environment;
  await sweep(database, clock());
  let after = '';
  while (!stopped()) {
    const documents = await database.read(documentIdsAfter({ after, limit: STEP_DOCUMENTS }));
    const last = documents.at(-1);
    if (last === undefined) break;
    for (const { id } of documents) {
      if (!stopped()) await trim(environment, id, settings);
    }
    after = last.id;
  }
  await trimRemoved(environment, settings, stopped);
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
async function repeat(database: Database, document: string, statements: readonly Statement[]): Promise<void> {
  for (let full = true; full; ) {
    const outcome = await database.write({ document, statements });
    full = outcome.kind === 'committed' && outcome.results.some(({ changes }) => changes === DELETE_BATCH_ROWS);
  }
}

/** The logs of documents that were deleted are kept for their time like all others. */
async function trimRemoved(
  { database, clock }: MaintenanceEnvironment,
  { auditDays }: RetentionSettings,
  stopped: () => boolean,
): Promise<void> {
  for (let after = ''; !stopped(); ) {
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
