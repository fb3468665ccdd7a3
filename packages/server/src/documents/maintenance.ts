import { COMMIT_LOG_COUNT, COMMIT_LOG_MS, DELETE_BATCH_ROWS, RETENTION_INTERVAL_MS } from '../limits/limits.ts';
import { deleteOldAudit, deleteOldCommits, deleteOldReplies, documentIdsAfter } from '../store/retention.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { sweep } from './remove.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Documents that one step of a round looks up. */
const STEP_DOCUMENTS = 100;

interface RetentionSettings {
  readonly auditDays: number;
  readonly idempotencyMs: number;
}

type MaintenanceEnvironment = Pick<DocumentsEnvironment, 'database' | 'clock' | 'onError'>;

/** Starts a round of maintenance now and then. `stop` waits for the one under way. */
export function startMaintenance(environment: MaintenanceEnvironment, settings: RetentionSettings) {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const round = () => {
    running = maintain(environment, settings, () => stopped).catch((error: unknown) => {
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
    if (last === undefined) return;
    for (const { id } of documents) {
      if (!stopped()) await trim(environment, id, settings);
    }
    after = last.id;
  }
}

async function trim({ database, clock }: MaintenanceEnvironment, id: string, settings: RetentionSettings) {
  const now = clock();
  const limit = DELETE_BATCH_ROWS;
  const statements = [
    deleteOldAudit({ id, before: now - settings.auditDays * DAY_MS, limit }),
    deleteOldReplies({ id, before: now - settings.idempotencyMs, limit }),
    deleteOldCommits({ id, before: now - COMMIT_LOG_MS, keep: COMMIT_LOG_COUNT, limit }),
  ];
  // A transaction that deletes nothing writes nothing: it costs no sync.
  for (let full = true; full; ) {
    const outcome = await database.write({ statements });
    full = outcome.kind === 'committed' && outcome.results.some(({ changes }) => changes === limit);
  }
}
