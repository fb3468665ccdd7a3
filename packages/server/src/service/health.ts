import { type Database, readFreeDiskBytes } from '@cellwire/store';
import { createWriteProbe } from '@cellwire/store/documents';
import { MIN_FREE_DISK_BYTES, READINESS_CACHE_MS, READINESS_TIMEOUT_MS } from '../limits/http.ts';

interface ReadinessOptions {
  readonly database: Pick<Database, 'write'>;
  /** Where the database's file is; null where its disk is another machine's. */
  readonly folder: string | null;
  /** How long an answer holds, and how long the database may take for one; in milliseconds. */
  readonly keptMs?: number;
  readonly timeoutMs?: number;
  /** Free space that the folder's disk must have. */
  readonly roomBytes?: number;
}

/**
 * Whether the service can do its work: a small write reaches the disk in time, and there is room for larger ones. Reading
 * would not tell, as reads go on where the disk is full or another process holds the database; nor does the small write
 * alone, which SQLite puts over old pages of its log. However many ask, one write is under way at most, and one begins
 * per `keptMs`.
 */
export function readiness(options: ReadinessOptions) {
  const { keptMs = READINESS_CACHE_MS, timeoutMs = READINESS_TIMEOUT_MS } = options;
  let last = { ready: false, at: Number.NEGATIVE_INFINITY };
  let trying: Promise<boolean> | null = null;
  const attempt = (): Promise<boolean> => {
    trying ??= reachesDisk(options).then((ready) => {
      last = { ready, at: performance.now() };
      trying = null;
      return ready;
    });
    return trying;
  };
  return async (): Promise<boolean> => {
    if (performance.now() - last.at < keptMs) return last.ready;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), timeoutMs);
    const ready = await Promise.race([attempt(), late]);
    clearTimeout(timer);
    return ready;
  };
}

async function reachesDisk(options: ReadinessOptions): Promise<boolean> {
  const { database, folder, roomBytes = MIN_FREE_DISK_BYTES } = options;
  try {
    const { kind } = await database.write({ document: null, statements: createWriteProbe() });
    return kind === 'committed' && (folder === null || (await readFreeDiskBytes(folder)) >= roomBytes);
  } catch {
    return false;
  }
}
