import type { Unit } from '@cellwire/store';
import type { Followed } from '../replica.ts';
import type { SharingAt } from '../rights.ts';
import type { State } from '../state.ts';
import type { Proposer, WriteOutcome } from '../types.ts';

export type Outcome = WriteOutcome<unknown, unknown>;

/** A write that waits for its turn. */
export interface Job {
  /** The user whose work it is; null: the document's owner. */
  readonly user: number | null;
  readonly propose: Proposer<unknown, unknown>;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

/**
 * A write applied in memory whose fate depends on the disk: a commit on its way, or (without `state`) a change of rights
 * that makes none.
 */
export interface InFlight {
  readonly job: Job;
  readonly state: State | null;
  readonly bytes: number;
  readonly outcome: Outcome;
  /** What the commit makes of the state before it; null: there is no commit. */
  readonly followed: Followed | null;
  /** Makes the unit again with new access epochs; null: the job is applied again instead, which takes little time. */
  readonly renew: (() => Promise<Unit | null>) | null;
  settled: Promise<void>;
}

/** Who sees which sheets, for a write that is on top of the tip. */
export interface AccessBasis extends SharingAt {
  /** Nothing is in flight, and the store was read after the write was requested: nobody has written since. */
  readonly isLatest: boolean;
}

/** What a commit was calculated with: the state before it, the time, and the rights. */
export interface CommitBase {
  readonly base: State;
  /** Milliseconds since 1970-01-01 UTC, as the clock says. */
  readonly now: number;
  readonly access: AccessBasis;
  /** Whether it was calculated in another thread. */
  readonly isLong: boolean;
}

/** The user who is charged for a job. */
export function payerOf({ user }: Job, { rights }: AccessBasis): number | null {
  return user ?? rights.owner;
}
