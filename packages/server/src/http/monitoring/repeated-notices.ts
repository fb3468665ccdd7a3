import { FAILURE_REPORT_INTERVAL_MS, MAX_TRACKED_FAILURES } from '../../limits/process.ts';

interface LoggedNotice {
  /** Monotonic clock, in milliseconds. */
  readonly loggedAt: number;
  readonly repeated: number;
}

/** By log message. */
const notices = new Map<string, LoggedNotice>();

/**
 * Counts a condition that affects every request, such as a full disk, so that it is logged once a minute. Returns the
 * count since the last log line, or null if it should not be logged now.
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
