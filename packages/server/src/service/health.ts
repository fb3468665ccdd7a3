import { type Database, readFreeDiskBytes } from '@cellwire/store';
import { createWriteProbe } from '@cellwire/store/documents';
import { MIN_FREE_DISK_BYTES, READINESS_CACHE_MS, READINESS_TIMEOUT_MS } from '../limits/http.ts';

interface ReadinessOptions {
  readonly database: Pick<Database, 'write'>;
  /** Folder of the database file; null if the database runs on another machine. */
  readonly folder: string | null;
  /** How long a result stays valid, and how long a probe may take; in milliseconds. */
  readonly cacheMs?: number;
  readonly timeoutMs?: number;
  /** Free space that the folder's disk must have, in bytes. */
  readonly minFreeBytes?: number;
}

/**
 * Reports if the service can work: a small write reaches the disk in time, and the disk has room for larger writes. A
 * read proves neither: reads work on a full disk and while another process locks the database. The small write alone
 * does not prove free space, because SQLite writes it over old pages of its log. At most one write runs at a time and
 * at most one starts per `cacheMs`, for any number of callers.
 */
export function createReadinessCheck(options: ReadinessOptions) {
  const { cacheMs = READINESS_CACHE_MS, timeoutMs = READINESS_TIMEOUT_MS } = options;
  let last = { ready: false, at: Number.NEGATIVE_INFINITY };
  let trying: Promise<boolean> | null = null;
  const tryDisk = (): Promise<boolean> => {
    trying ??= canReachDisk(options).then((ready) => {
      last = { ready, at: performance.now() };
      trying = null;
      return ready;
    });
    return trying;
  };
  return async (): Promise<boolean> => {
    if (performance.now() - last.at < cacheMs) return last.ready;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), timeoutMs);
    const ready = await Promise.race([tryDisk(), late]);
    clearTimeout(timer);
    return ready;
  };
}

/** True if a small write is committed and the disk has enough free space. */
async function canReachDisk(options: ReadinessOptions): Promise<boolean> {
  const { database, folder, minFreeBytes = MIN_FREE_DISK_BYTES } = options;
  try {
    const { kind } = await database.write({ document: null, statements: createWriteProbe() });
    return kind === 'committed' && (folder === null || (await readFreeDiskBytes(folder)) >= minFreeBytes);
  } catch {
    return false;
  }
}
