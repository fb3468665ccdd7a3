import { measureMemoryInSteps, type Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { Database, Statement } from '@cellwire/store';
import {
  beginRetainedCheckpoint,
  checkpointUnchanged,
  chunksSize,
  completeRetainedCheckpoint,
  copyChunksToRetained,
  endRetainedCheckpoints,
  logSinceRetainedCheckpoint,
  newestRetainedCheckpoint,
} from '@cellwire/store/documents';
import { BASE_COMMIT_BYTES, BASE_COPY_CHUNKS, BASE_LOG_BYTES } from '../limits/documents.ts';
import { isEndedTask } from './calculation/worker.ts';
import type { DocumentsEnvironment, Threads } from './environment.ts';

/**
 * Retains the current checkpoint before a new one replaces it, if the log since the last retained checkpoint has grown
 * to the size of the document. Retained checkpoints then take about as much space as the log, and reading any past
 * revision costs about as much as opening the document. Chunks are copied in bounded transactions. Nothing is retained
 * if another process replaces the checkpoint meanwhile.
 */
export async function retainCheckpoint(
  { database, threads }: CheckpointRetention,
  id: string,
  replaced: CheckpointReplacement,
): Promise<void> {
  const { revision, next } = replaced;
  const isSmall =
    threads === undefined || (await runInSlices(measureMemoryInSteps(next))) <= threads.pool.inline.baseBytes;
  if (!(await (isSmall ? isRetentionDue(database, id, revision) : isRetentionDueInThread(threads, id, replaced))))
    return;
  const holds = checkpointUnchanged({ id, revision });
  const copy = copyChunksToRetained({ id, revision, limit: BASE_COPY_CHUNKS });
  let statements: readonly Statement[] = [holds, beginRetainedCheckpoint({ id, revision }), copy];
  for (;;) {
    const outcome = await database.write({ document: id, statements });
    if (outcome.kind === 'conflict') return;
    if ((outcome.results.at(-1)?.changes ?? 0) < BASE_COPY_CHUNKS) break;
    statements = [holds, copy];
  }
  await database.write({
    document: id,
    statements: [holds, completeRetainedCheckpoint({ id, revision }), endRetainedCheckpoints({ id, revision })],
  });
}

type CheckpointRetention = Pick<DocumentsEnvironment, 'database' | 'threads'>;

/** The revision of the checkpoint to replace, and the state that replaces it. */
interface CheckpointReplacement {
  readonly revision: number;
  readonly next: Snapshot;
  /** The user who pays for this work; null: the service. */
  readonly user: number | null;
}

/**
 * Like `isRetentionDue`, but checked in a thread. The check reads all chunks. With 16,000 chunks it blocked the serving
 * thread for 10 to 17 ms on the embedded database.
 */
async function isRetentionDueInThread(
  { pool, store }: Threads,
  id: string,
  { revision, user }: CheckpointReplacement,
): Promise<boolean> {
  const due = await pool.runReadTask('baseDue', { store, id, revision }, { user, expectedMs: 0, isBackground: true });
  if (isEndedTask(due)) throw new Error(`The thread that scans the log ended: ${due.why}`);
  return due;
}

/** Whether the checkpoint of a revision should be retained when another one replaces it. */
export async function isRetentionDue(
  database: Pick<Database, 'readAll'>,
  id: string,
  revision: number,
): Promise<boolean> {
  const [newest, since, sizes] = await database.readAll([
    newestRetainedCheckpoint({ id, at: revision }),
    logSinceRetainedCheckpoint({ id, revision }),
    chunksSize({ id }),
  ]);
  if (newest.length === 0) return true;
  const { commits = 0, bytes = 0 } = since[0] ?? {};
  const cost = (bytes ?? 0) + commits * BASE_COMMIT_BYTES;
  return cost >= Math.max(BASE_LOG_BYTES, sizes[0]?.bytes ?? 0);
}
