import { StoreError } from '@cellwire/store';
import { FAILURE_REPORT_INTERVAL_MS, MAX_TRACKED_FAILURES } from '../limits/process.ts';

/** Reports a failure. `repeated`: how often the same failure has occurred unreported since the last report. */
type ReportFailure = (activity: string, error: unknown, repeated: number) => void;

/**
 * Limits how often the same failure of the store is reported. Background work retries several times a second while the
 * database refuses its work and would otherwise fill the disk with log lines. Other failures are reported every time.
 * `now`: milliseconds of a monotonic clock.
 */
export function limitFailureReports(report: ReportFailure, now: () => number = () => performance.now()) {
  const reported = new Map<string, { readonly since: number; readonly repeated: number }>();
  return (activity: string, error: unknown): void => {
    if (!(error instanceof StoreError)) return report(activity, error, 0);
    const key = `${activity}\n${error.code}\n${error.message}`;
    const before = reported.get(key);
    if (before !== undefined && now() - before.since < FAILURE_REPORT_INTERVAL_MS) {
      reported.set(key, { ...before, repeated: before.repeated + 1 });
      return;
    }
    if (reported.size >= MAX_TRACKED_FAILURES) reported.clear();
    reported.set(key, { since: now(), repeated: 0 });
    report(activity, error, before?.repeated ?? 0);
  };
}
