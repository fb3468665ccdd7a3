import { memorySteps, type Snapshot } from '@cellwire/engine';
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
import { isEnded } from './calculation/worker.ts';
import type { DocumentsEnvironment, Threads } from './environment.ts';

/**
 * Keeps the checkpoint of a revision before another one takes its place, where the log since the last one kept has
 * become as long as the document is large: what is kept then takes about as much room as the log, and reading any
 * revision goes through about as much as opening the document. Copied some rows a transaction; nothing is
 * kept where another process replaces the checkpoint meanwhile.
 */
export async function keepCheckpoint(
  { database, threads }: KeepingEnvironment,
  id: string,
  replaced: Replaced,
): Promise<void> {
  const { revision, next } = replaced;
  const isSmall = threads === undefined || (await runInSlices(memorySteps(next))) <= threads.pool.inline.baseBytes;
  if (!(await (isSmall ? isBaseDue(database, id, revision) : isDueThere(threads, id, replaced)))) return;
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

type KeepingEnvironment = Pick<DocumentsEnvironment, 'database' | 'threads'>;

/** The revision of the checkpoint that is to be replaced, and the state that does. */
interface Replaced {
  readonly revision: number;
  readonly next: Snapshot;
  /** The user whose work that is; null: the service's. */
  readonly user: number | null;
}

/** All chunks are gone through, for which the embedded database took the thread that serves 10 to 17 ms of 16,000. */
async function isDueThere({ pool, store }: Threads, id: string, { revision, user }: Replaced): Promise<boolean> {
  const due = await pool.read('baseDue', { store, id, revision }, { user, expectedMs: 0, isBackground: true });
  if (isEnded(due)) throw new Error(`The thread that looks over the log ended: ${due.why}`);
  return due;
}

/** Whether the checkpoint of a revision is to be kept once another one takes its place. */
export async function isBaseDue(database: Pick<Database, 'readAll'>, id: string, revision: number): Promise<boolean> {
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
