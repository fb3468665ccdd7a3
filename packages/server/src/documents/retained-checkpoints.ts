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
import { BASE_COPY_CHUNKS, BASE_LOG_BYTES } from '../limits/documents.ts';
import { isEndedTask } from './calculation/worker.ts';
import type { DocumentsEnvironment, Threads } from './environment.ts';
import { estimateLogBytes, type RetentionCheck, type UnretainedLog } from './retention-rules.ts';

/**
 * Retains the current checkpoint before a new one replaces it, if the log since the last retained checkpoint has grown
 * to the size of the document. Retained checkpoints then take about as much space as the log, and reading any past
 * revision costs about as much as opening the document. Chunks are copied in bounded transactions. Nothing is retained
 * if another process replaces the checkpoint meanwhile. `known`: the caller's estimate of the log between the last
 * retained checkpoint and the one to replace; null if unknown. Returns this log after the call; null if unknown, or if
 * another process has replaced the checkpoint.
 */
export async function retainCheckpoint(
  { database, threads }: CheckpointRetention,
  id: string,
  replaced: CheckpointReplacement,
  known: UnretainedLog | null,
): Promise<UnretainedLog | null> {
  const { revision, next } = replaced;
  if (known !== null && known.bytes < known.dueBytes) {
    // The retention of old revisions may have deleted the retained checkpoint.
    const newest = await database.readOne(newestRetainedCheckpoint({ id, at: revision }));
    if (newest?.revision === known.since) return known;
  }
  const isSmall =
    threads === undefined || (await runInSlices(measureMemoryInSteps(next))) <= threads.pool.inline.baseBytes;
  const { isDue, log } = await (isSmall
    ? checkRetention(database, id, revision)
    : checkRetentionInThread(threads, id, replaced));
  if (!isDue) return log;
  const holds = checkpointUnchanged({ id, revision });
  const copy = copyChunksToRetained({ id, revision, limit: BASE_COPY_CHUNKS });
  let statements: readonly Statement[] = [holds, beginRetainedCheckpoint({ id, revision }), copy];
  for (;;) {
    const outcome = await database.write({ document: id, statements });
    if (outcome.kind === 'conflict') return null;
    if ((outcome.results.at(-1)?.changes ?? 0) < BASE_COPY_CHUNKS) break;
    statements = [holds, copy];
  }
  const completed = await database.write({
    document: id,
    statements: [holds, completeRetainedCheckpoint({ id, revision }), endRetainedCheckpoints({ id, revision })],
  });
  if (completed.kind === 'conflict') return null;
  return { since: revision, bytes: 0, dueBytes: log?.dueBytes ?? BASE_LOG_BYTES };
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
 * Like `checkRetention`, but in a thread. The check reads all chunks. With 16,000 chunks it blocked the serving
 * thread for 10 to 17 ms on the embedded database.
 */
async function checkRetentionInThread(
  { pool, store }: Threads,
  id: string,
  { revision, user }: CheckpointReplacement,
): Promise<RetentionCheck> {
  const claim = { user, expectedMs: 0, isBackground: true };
  const check = await pool.runReadTask('retention', { store, id, revision }, claim);
  if (isEndedTask(check)) throw new Error(`The thread that scans the log ended: ${check.why}`);
  return check;
}

/** Checks whether the checkpoint of a revision should be retained when another one replaces it. Reads the log. */
export async function checkRetention(
  database: Pick<Database, 'readAll'>,
  id: string,
  revision: number,
): Promise<RetentionCheck> {
  const [newest, since, sizes] = await database.readAll([
    newestRetainedCheckpoint({ id, at: revision }),
    logSinceRetainedCheckpoint({ id, revision }),
    chunksSize({ id }),
  ]);
  const [retained] = newest;
  if (retained === undefined) return { isDue: true, log: null };
  const { commits = 0, bytes = 0 } = since[0] ?? {};
  const logBytes = estimateLogBytes(commits, bytes ?? 0);
  const dueBytes = Math.max(BASE_LOG_BYTES, sizes[0]?.bytes ?? 0);
  return { isDue: logBytes >= dueBytes, log: { since: retained.revision, bytes: logBytes, dueBytes } };
}
