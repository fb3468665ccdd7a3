import type { KnownFormats, Snapshot } from '@cellwire/engine';
import { MAX_CLOCK_SKEW_MS } from '@cellwire/store';
import { computeDay, type Day } from './day.ts';
import type { RecentCommits } from './recent-commits.ts';

/** A document at one commit. */
export interface DocumentState {
  readonly snapshot: Snapshot;
  /** Random name of the commit; see `documents.head`. */
  readonly head: string;
  /** When its volatile functions were evaluated, by the clock of the evaluating process. */
  readonly calculatedAt: number;
  /** When the commit was made. Never earlier than the previous commit, even if clocks go back. */
  readonly committedAt: number;
  /** The day for which its volatile functions were evaluated; null if there are none. */
  readonly day: Day | null;
  /** The last commits, up to and including this one. */
  readonly recent: RecentCommits;
}

/** Times of a commit. */
export type CommitTimes = Pick<DocumentState, 'calculatedAt' | 'committedAt'>;

export function createDocumentState(
  snapshot: Snapshot,
  head: string,
  times: CommitTimes,
  recent: RecentCommits,
): DocumentState {
  const { calculatedAt, committedAt } = times;
  const day = snapshot.hasClock ? computeDay(calculatedAt, snapshot.settings.timeZone) : null;
  return { snapshot, head, calculatedAt, committedAt, day, recent };
}

/**
 * Whether volatile functions were evaluated for a day other than today: an earlier one, or a later one if a clock was
 * ahead.
 */
export function isOfAnotherDay({ day }: Pick<DocumentState, 'day'>, now: number): boolean {
  return day !== null && (now >= day.end || now < day.start - MAX_CLOCK_SKEW_MS);
}

/** A document as read from the store. */
export interface LoadedDocument {
  readonly state: DocumentState;
  readonly stored: StoredFormFacts;
}

/** Facts about the stored form of a document. */
export interface StoredFormFacts {
  readonly checkpointRevision: number;
  /** Sheets that have chunks in the checkpoint. */
  readonly checkpointSheets: ReadonlySet<number>;
  /** Formats that are numbered in the checkpoint. */
  readonly formats: KnownFormats;
  /** Bytes of the checkpoint's metadata, and of the log after it. */
  readonly metaBytes: number;
  readonly logBytes: number;
}

export function toCommitTimes(row: { readonly calculated_at: number; readonly committed_at: number }): CommitTimes {
  return { calculatedAt: row.calculated_at, committedAt: row.committed_at };
}
