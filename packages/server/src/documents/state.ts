import type { KnownFormats, Snapshot } from '@cellwire/engine';
import { MAX_CLOCK_SKEW_MS } from '@cellwire/store';
import { type Day, dayOf } from './day.ts';
import type { RecentCommits } from './recent-commits.ts';

/** A document at one commit. */
export interface State {
  readonly snapshot: Snapshot;
  /** Names the commit; see `documents.head`. */
  readonly head: string;
  /** When its volatile functions were evaluated, by the clock of whoever did. */
  readonly calculatedAt: number;
  /** When the commit was made: never before the one before it, whatever the clocks do. */
  readonly committedAt: number;
  /** The day that its volatile functions are of; null without any. */
  readonly day: Day | null;
  /** Ends with this commit. */
  readonly recent: RecentCommits;
}

/** When a commit was made. */
export type Times = Pick<State, 'calculatedAt' | 'committedAt'>;

export function stateOf(snapshot: Snapshot, head: string, times: Times, recent: RecentCommits): State {
  const { calculatedAt, committedAt } = times;
  const day = snapshot.hasClock ? dayOf(calculatedAt, snapshot.settings.timeZone) : null;
  return { snapshot, head, calculatedAt, committedAt, day, recent };
}

/** Whether volatile functions are of another day than today: an earlier one, or a later one of a clock that was ahead. */
export function isOfAnotherDay({ day }: Pick<State, 'day'>, now: number): boolean {
  return day !== null && (now >= day.end || now < day.start - MAX_CLOCK_SKEW_MS);
}

/** A document as read from the store. */
export interface Loaded {
  readonly state: State;
  readonly stored: StoredFigures;
}

/** How a document lies in the store. */
export interface StoredFigures {
  readonly checkpointRevision: number;
  /** Sheets that have chunks in the checkpoint. */
  readonly checkpointSheets: ReadonlySet<number>;
  /** Those that the checkpoint has numbers for. */
  readonly formats: KnownFormats;
  /** Bytes of the checkpoint's head, and of the log after it. */
  readonly metaBytes: number;
  readonly logBytes: number;
}

export function timesOf(row: { readonly calculated_at: number; readonly committed_at: number }): Times {
  return { calculatedAt: row.calculated_at, committedAt: row.committed_at };
}
