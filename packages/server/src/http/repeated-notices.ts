import { FAILURE_AGAIN_MS } from '../limits/limits.ts';

interface Notice {
  /** By the steady clock, in milliseconds. */
  readonly loggedAt: number;
  readonly repeated: number;
}

/** By log, then by what it says. */
const notices = new WeakMap<object, Map<string, Notice>>();

/**
 * Counts a condition that every request meets, such as a full disk, and logs it once a minute. Returns how often it was
 * met since the last line, or null if it is not to be logged now.
 */
export function countNotice(log: object, text: string, now = performance.now()): number | null {
  const known = notices.get(log) ?? new Map<string, Notice>();
  notices.set(log, known);
  const notice = known.get(text);
  if (notice !== undefined && now - notice.loggedAt < FAILURE_AGAIN_MS) {
    known.set(text, { ...notice, repeated: notice.repeated + 1 });
    return null;
  }
  known.set(text, { loggedAt: now, repeated: 0 });
  return notice?.repeated ?? 0;
}
