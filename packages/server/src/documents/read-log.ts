import type { Database, Query, RowsOf } from '@cellwire/store';
import { logBetweenSize } from '@cellwire/store/documents';
import { INLINE_LOG_BYTES, INLINE_LOG_COMMITS } from '../limits/history.ts';

type LogSource = Pick<Database, 'readOne' | 'readAll' | 'readInBackground'>;

interface LogRange {
  readonly id: string;
  /** Commits after this revision, up to `to`. */
  readonly after: number;
  readonly to: number;
}

/**
 * Answers queries about a range of commits, at one moment. SQLite reads the stored delta of a commit to reach most of
 * its other columns, so a long part of the log is read in another thread.
 */
export async function readLog<const Queries extends readonly Query<unknown>[]>(
  database: LogSource,
  { id, after, to }: LogRange,
  queries: Queries,
): Promise<RowsOf<Queries>> {
  return (await isLongRange(database, { id, after, to }))
    ? database.readInBackground(queries)
    : database.readAll(queries);
}

/** True if a range of the log has too many commits or bytes to be read in the serving thread. */
async function isLongRange(database: LogSource, range: LogRange): Promise<boolean> {
  if (range.to - range.after > INLINE_LOG_COMMITS) return true;
  const size = await database.readOne(logBetweenSize({ ...range }));
  return Number(size?.deltas ?? 0) + Number(size?.inverses ?? 0) > INLINE_LOG_BYTES;
}
