import { READY_KEPT_MS, READY_TIMEOUT_MS } from '../limits/http.ts';
import type { Database } from '../store/database.ts';
import { probe } from '../store/probe.ts';

interface ReadinessOptions {
  readonly database: Pick<Database, 'write'>;
  /** How long an answer holds, and how long the database may take for one; in milliseconds. */
  readonly keptMs?: number;
  readonly timeoutMs?: number;
}

/**
 * Whether the service can do its work: a small write reaches the disk in time. Reading would not tell, as reads go on
 * where the disk is full or another process holds the database. However many ask, one write is under way at most, and
 * one begins per `keptMs`.
 */
export function readiness({ database, keptMs = READY_KEPT_MS, timeoutMs = READY_TIMEOUT_MS }: ReadinessOptions) {
  let last = { ready: false, at: Number.NEGATIVE_INFINITY };
  let trying: Promise<boolean> | null = null;
  const attempt = (): Promise<boolean> => {
    trying ??= reachesDisk(database).then((ready) => {
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

async function reachesDisk(database: Pick<Database, 'write'>): Promise<boolean> {
  try {
    return (await database.write({ document: null, statements: [probe({})] })).kind === 'committed';
  } catch {
    return false;
  }
}
