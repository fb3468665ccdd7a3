import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { DESCRIPTORS_CHECK_MS, DESCRIPTORS_LOW_SHARE, DESCRIPTORS_RECOVERED_SHARE } from '../limits/process.ts';

/** Linux's list of the process's open descriptors. */
const OPEN_DESCRIPTORS = '/proc/self/fd';
const LIMITS = '/proc/self/limits';
const DESCRIPTOR_LIMIT_CODES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/**
 * Logs an error when file descriptors are about to run out, because the system then drops new connections silently.
 * Logs again only after enough descriptors were free. Works on Linux only.
 */
export function watchDescriptors(logger: Logger): { stop(): void } {
  const limit = readDescriptorLimit();
  if (limit === null) return { stop: () => {} };
  let isShort = false;
  const checkDescriptors = async () => {
    const open = await countOpenDescriptors(limit);
    if (open < limit * DESCRIPTORS_RECOVERED_SHARE) isShort = false;
    if (isShort || open < limit * DESCRIPTORS_LOW_SHARE) return;
    isShort = true;
    logger.error({ open, limit }, RUNNING_OUT);
  };
  const timer = setInterval(() => void checkDescriptors(), DESCRIPTORS_CHECK_MS).unref();
  return { stop: () => clearInterval(timer) };
}

const RUNNING_OUT =
  'file descriptors run out: connections are dropped, and files cannot be opened; raise the limit (LimitNOFILE), or ' +
  'close unused connections';

/** Number of open descriptors; `limit` if none is left to read the list. */
async function countOpenDescriptors(limit: number): Promise<number> {
  try {
    return (await readdir(OPEN_DESCRIPTORS)).length;
  } catch (error) {
    return DESCRIPTOR_LIMIT_CODES.has((error as { readonly code?: unknown }).code) ? limit : 0;
  }
}

/** Null: the limit is unknown, or there is none. */
function readDescriptorLimit(): number | null {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync(LIMITS, 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
