import { SourcesChangedError } from '@cellwire/event-loop';
import { StoreError } from '@cellwire/store';
import { FAILURE_REPORT_INTERVAL_MS, MAX_TRACKED_FAILURES } from '../limits/process.ts';

/** Reports a failure. `repeated`: how often the same failure has occurred unreported since the last report. */
type ReportFailure = (what: string, error: unknown, repeated: number) => void;

/**
 * Limits how often the same failure of the store is reported. Background work retries several times a second while the
 * database is unreachable and would otherwise fill the disk with log lines. Other failures are reported every time.
 * `now`: milliseconds of a monotonic clock.
 */
export function limitFailureReports(report: ReportFailure, now: () => number = () => performance.now()) {
  const known = new Map<string, { readonly since: number; readonly repeated: number }>();
  return (what: string, error: unknown): void => {
    if (!(error instanceof StoreError || error instanceof SourcesChangedError)) return report(what, error, 0);
    const key = `${what}\n${error.code}\n${error.message}`;
    const before = known.get(key);
    if (before !== undefined && now() - before.since < FAILURE_REPORT_INTERVAL_MS) {
      known.set(key, { ...before, repeated: before.repeated + 1 });
      return;
    }
    if (known.size >= MAX_TRACKED_FAILURES) known.clear();
    known.set(key, { since: now(), repeated: 0 });
    report(what, error, before?.repeated ?? 0);
  };
}
