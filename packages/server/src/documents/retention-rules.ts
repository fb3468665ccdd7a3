import { BASE_COMMIT_BYTES } from '../limits/documents.ts';
import { COMMIT_LOG_COUNT, COMMIT_LOG_MS, IDLE_LOOK_MS, RETAINED_LOOK_MS } from '../limits/retention.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Fraction of the maximum number of commits by which a document may exceed it before the next check. */
const EXCESS = 0.01;

export interface RetentionSettings {
  readonly auditDays: number;
  readonly idempotencyMs: number;
  readonly history: { readonly retentionDays: number; readonly maxRevisions: number };
  /** Days for which documents stay in the trash. */
  readonly trashDays: number;
}

/**
 * The oldest entries that a document keeps, as read by `oldestKeptRows`. Times in milliseconds; null: there are none.
 */
export interface OldestKept {
  readonly audit_at: number | null;
  readonly reply_at: number | null;
  readonly commit_at: number | null;
  readonly commit_revision: number | null;
}

interface NextCheck {
  readonly dueAt: number;
  readonly dueRevision: number;
}

export function computeAuditRetentionMs({ auditDays }: RetentionSettings): number {
  return auditDays * DAY_MS;
}

export function computeTrashRetentionMs({ trashDays }: Pick<RetentionSettings, 'trashDays'>): number {
  return trashDays * DAY_MS;
}

export function computeHistoryRetentionMs({ history }: RetentionSettings): number {
  return history.retentionDays * DAY_MS;
}

/** The shortest retention time, in milliseconds. Nothing written now is due earlier. */
export function computeShortestRetentionMs(settings: RetentionSettings): number {
  return Math.min(computeAuditRetentionMs(settings), settings.idempotencyMs, computeCommitRetentionMs(settings));
}

function computeCommitRetentionMs(settings: RetentionSettings): number {
  return Math.min(computeHistoryRetentionMs(settings), COMMIT_LOG_MS);
}

function computeMaxCommits({ history }: RetentionSettings): number {
  return Math.min(history.maxRevisions, COMMIT_LOG_COUNT);
}

/** Whether something in a document may exceed its retention time or number. */
export function isTrimDue(oldest: OldestKept, revision: number, settings: RetentionSettings, now: number): boolean {
  const { commit_revision: first } = oldest;
  return (
    computeEarliestExpiry(oldest, settings) <= now ||
    (first !== null && revision - first >= computeMaxCommits(settings))
  );
}

/** When to check a document again that was just trimmed. */
export function computeNextCheck(
  oldest: OldestKept,
  revision: number,
  settings: RetentionSettings,
  now: number,
): NextCheck {
  const end = computeEarliestExpiry(oldest, settings);
  const dueAt = end <= now ? now + RETAINED_LOOK_MS : Math.min(end, now + IDLE_LOOK_MS);
  const count = computeMaxCommits(settings);
  const first = oldest.commit_revision ?? revision;
  const excess = Math.ceil(count * EXCESS) || 1;
  return { dueAt, dueRevision: Math.max(first + count, revision + excess) };
}

/** The first time, in milliseconds since 1970, at which something of the document may be deleted; infinite if never. */
function computeEarliestExpiry(oldest: OldestKept, settings: RetentionSettings): number {
  const ends = [
    [oldest.audit_at, computeAuditRetentionMs(settings)],
    [oldest.reply_at, settings.idempotencyMs],
    [oldest.commit_at, computeCommitRetentionMs(settings)],
  ] as const;
  return Math.min(...ends.map(([at, kept]) => (at === null ? Number.POSITIVE_INFINITY : at + kept)));
}

/** The log from the newest retained checkpoint to the current one. */
export interface UnretainedLog {
  /** Revision of the newest retained checkpoint. */
  readonly since: number;
  /** Length, see `estimateLogBytes`. */
  readonly bytes: number;
  /**
   * The length from which on a checkpoint may be due, in bytes: the size of the document at the last read, at least
   * `BASE_LOG_BYTES`.
   */
  readonly dueBytes: number;
}

/** Whether a checkpoint should be retained. `log`: null if there is no retained checkpoint. */
export interface RetentionCheck {
  readonly isDue: boolean;
  readonly log: UnretainedLog | null;
}

/** Estimates the length of a log in bytes. `bytes`: the total length of the pieces of its commits. */
export function estimateLogBytes(commits: number, bytes: number): number {
  return bytes + commits * BASE_COMMIT_BYTES;
}
