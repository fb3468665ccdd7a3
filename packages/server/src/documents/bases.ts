import { BASE_COMMIT_BYTES, BASE_COPY_CHUNKS, BASE_LOG_BYTES } from '../limits/limits.ts';
import {
  beginBase,
  checkpointUnchanged,
  completeBase,
  copyChunks,
  endBases,
  logSinceBase,
  newestBase,
} from '../store/bases.ts';
import { chunksSize } from '../store/checkpoints.ts';
import type { Database, Statement } from '../store/database.ts';

/**
 * Keeps the checkpoint of a revision before another one takes its place, where the log since the last one kept has
 * become as long as the document is large: what is kept then takes about as much room as the log, and reading any
 * revision goes through about as much as opening the document. Copied some rows a transaction; nothing is
 * kept where another process replaces the checkpoint meanwhile.
 */
export async function keepCheckpoint(database: Database, id: string, revision: number): Promise<void> {
  if (!(await isDue(database, id, revision))) return;
  const holds = checkpointUnchanged({ id, revision });
  const copy = copyChunks({ id, revision, limit: BASE_COPY_CHUNKS });
  let statements: readonly Statement[] = [holds, beginBase({ id, revision }), copy];
  for (;;) {
    const outcome = await database.write({ document: id, statements });
    if (outcome.kind === 'conflict') return;
    if ((outcome.results.at(-1)?.changes ?? 0) < BASE_COPY_CHUNKS) break;
    statements = [holds, copy];
  }
  await database.write({
    document: id,
    statements: [holds, completeBase({ id, revision }), endBases({ id, revision })],
  });
}

async function isDue(database: Database, id: string, revision: number): Promise<boolean> {
  const [newest, since, sizes] = await database.readAll([
    newestBase({ id, at: revision }),
    logSinceBase({ id, revision }),
    chunksSize({ id }),
  ]);
  if (newest.length === 0) return true;
  const { commits = 0, bytes = 0 } = since[0] ?? {};
  const cost = (bytes ?? 0) + commits * BASE_COMMIT_BYTES;
  return cost >= Math.max(BASE_LOG_BYTES, sizes[0]?.bytes ?? 0);
}
