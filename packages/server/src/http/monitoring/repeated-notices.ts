import { FAILURE_REPORT_INTERVAL_MS, MAX_TRACKED_FAILURES } from '../../limits/process.ts';

interface Notice {
  /** By the steady clock, in milliseconds. */
  readonly loggedAt: number;
  readonly repeated: number;
}

/** By what the log says. */
const notices = new Map<string, Notice>();

/**
 * Counts a condition that every request meets, such as a full disk, and logs it once a minute. Returns how often it was
 * met since the last line, or null if it is not to be logged now.
 */
export function countNotice(text: string, now = performance.now()): number | null {
  const notice = notices.get(text);
  if (notice !== undefined && now - notice.loggedAt < FAILURE_REPORT_INTERVAL_MS) {
    notices.set(text, { ...notice, repeated: notice.repeated + 1 });
    return null;
  }
  if (notices.size >= MAX_TRACKED_FAILURES) notices.clear();
  notices.set(text, { loggedAt: now, repeated: 0 });
  return notice?.repeated ?? 0;
}
