import { SourcesChangedError } from '@cellwire/event-loop';
import { StoreError } from '@cellwire/store';
import { FAILURE_REPORT_INTERVAL_MS, MAX_TRACKED_FAILURES } from '../limits/process.ts';

/** Told of what failed; `repeated`: how often the same did meanwhile, untold. */
type ReportFailure = (what: string, error: unknown, repeated: number) => void;

/**
 * Tells of a failure of the store, and of the same again once in a while: work that goes on in the background tries
 * several times a second for as long as the database is away, and would fill the disk with its log. Whatever else fails
 * is told each time. `now`: milliseconds of a steady clock.
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
