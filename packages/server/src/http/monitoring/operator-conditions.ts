import { SOURCES_CHANGED } from '@cellwire/event-loop';
import { FAILURE_REPORT_INTERVAL_MS, MAX_TRACKED_FAILURES } from '../../limits/process.ts';

/** A state of the installation that only the operator can end, such as a full disk. */
interface OperatorCondition {
  /** The log message. */
  readonly text: string;
  /** Errors with different messages are reported separately, because each message names another document. */
  readonly isByMessage?: boolean;
}

const NO_ROOM: OperatorCondition = { text: 'no room on the disk' };
const NO_DESCRIPTOR: OperatorCondition = { text: 'no file descriptor is left' };
const READ_ONLY: OperatorCondition = { text: 'the disk is read-only' };
const DISK_ERROR: OperatorCondition = { text: 'the disk reports an error' };

/** PostgreSQL's code for a full disk. */
const PG_DISK_FULL = '53100';

const CONDITIONS: Readonly<Record<string, OperatorCondition>> = {
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  SQLITE_FULL: NO_ROOM,
  [PG_DISK_FULL]: NO_ROOM,
  EMFILE: NO_DESCRIPTOR,
  ENFILE: NO_DESCRIPTOR,
  EROFS: READ_ONLY,
  SQLITE_READONLY: READ_ONLY,
  EIO: DISK_ERROR,
  SQLITE_IOERR: DISK_ERROR,
  UNAVAILABLE: { text: 'the database is unavailable' },
  [SOURCES_CHANGED]: { text: 'no thread can be started' },
  LATER_FORM: { text: 'a document of a later version', isByMessage: true },
  DAMAGED_DOCUMENT: { text: 'a document is damaged', isByMessage: true },
  DAMAGED_ROW: { text: 'a stored row is damaged', isByMessage: true },
};

/** SQLite's more specific codes for errors of the disk, such as `SQLITE_IOERR_WRITE`. */
const SPECIFIC_CODE = /^(SQLITE_IOERR|SQLITE_READONLY)_/;

/** What an operator must mend, by the code of an error of the disk or the database; null for other errors. */
function findCondition(code = ''): OperatorCondition | null {
  return CONDITIONS[SPECIFIC_CODE.exec(code)?.[1] ?? code] ?? null;
}

/** True for the code of an error that an operator must mend, such as a full disk. */
export function isOperatorCondition(code: string): boolean {
  return findCondition(code) !== null;
}

interface ConditionReport {
  /** Monotonic clock, in milliseconds. */
  readonly loggedAt: number;
  /** Errors since then that were not logged. */
  readonly repeated: number;
}

const reports = new Map<string, ConditionReport>();

interface ErrorLog {
  error(fields: object, text: string): void;
}

/**
 * Logs an error that is caused by such a condition: one line a minute without a stack trace, because the remedy is not
 * in the code. Requests and background work share this line. Returns false if the error has another cause and the
 * caller must log it. `now`: monotonic clock, in milliseconds.
 */
export function logCondition(log: ErrorLog, error: unknown, fields: object, now = performance.now()): boolean {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const condition = findCondition(code);
  if (condition === null) return false;
  const { text, isByMessage = false } = condition;
  const key = isByMessage ? `${text}\n${message}` : text;
  const report = reports.get(key);
  if (report !== undefined && now - report.loggedAt < FAILURE_REPORT_INTERVAL_MS) {
    reports.set(key, { ...report, repeated: report.repeated + 1 });
    return true;
  }
  if (reports.size >= MAX_TRACKED_FAILURES) reports.clear();
  reports.set(key, { loggedAt: now, repeated: 0 });
  const repeated = report?.repeated ?? 0;
  log.error({ ...fields, code, reason: message, ...(repeated > 0 ? { repeated } : {}) }, text);
  return true;
}

/** Logs a failure of work that no answer depends on. */
export function logFailure(log: ErrorLog, error: unknown, fields: object, text: string): void {
  if (!logCondition(log, error, fields)) log.error({ ...fields, err: error }, text);
}
