import type { Unit } from '@cellwire/store';
import { MAX_WRITE_ATTEMPTS, WRITE_RETRY_MS } from '../../limits/documents.ts';
import type { StateTransition } from '../replica.ts';
import type { SharingAtEpoch } from '../rights.ts';
import type { DocumentState } from '../state.ts';
import type { Proposer, WriteOutcome } from '../types.ts';

export type JobOutcome = WriteOutcome<unknown, unknown>;

/** A write waiting for its turn. */
export interface WriteJob {
  /** The user who pays for the work; null: the document's owner. */
  readonly user: number | null;
  readonly propose: Proposer<unknown, unknown>;
  readonly resolve: (outcome: JobOutcome) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
  /** When the job was queued; monotonic clock, in milliseconds. */
  readonly queuedAt: number;
}

/** `leave`: called when the write has its outcome. */
type JobCallbacks = Pick<WriteJob, 'resolve' | 'reject'> & { readonly leave: () => void };

/** Creates a job that is queued now. */
export function createJob(
  user: number | null,
  propose: WriteJob['propose'],
  { resolve, reject, leave }: JobCallbacks,
): WriteJob {
  return {
    user,
    propose,
    resolve: (outcome) => {
      leave();
      resolve(outcome);
    },
    reject: (error) => {
      leave();
      reject(error);
    },
    attempts: 0,
    queuedAt: performance.now(),
  };
}

/** Counts an attempt of a job that lost the race for its revision. Returns whether the job is retried. */
export function countAttempt(job: WriteJob): boolean {
  job.attempts++;
  return job.attempts < MAX_WRITE_ATTEMPTS || performance.now() - job.queuedAt < WRITE_RETRY_MS;
}

/**
 * A write that was applied in memory and waits for the disk: a commit, or (without `state`) a change of rights without
 * a commit.
 */
export interface UnitInFlight {
  readonly job: WriteJob;
  readonly state: DocumentState | null;
  readonly bytes: number;
  readonly outcome: JobOutcome;
  /** The commit's effect on the previous state; null: there is no commit. */
  readonly followed: StateTransition | null;
  /** Builds the unit again with new access epochs. Null: the job is applied again instead, because that is quick. */
  readonly renew: (() => Promise<Unit | null>) | null;
  settled: Promise<void>;
}

/** Who sees which sheets, for a write on top of the tip. */
export interface AccessBasis extends SharingAtEpoch {
  /** No commit is in flight, and the store was read after the write was requested, so the state is the latest. */
  readonly isLatest: boolean;
}

/** Inputs of a commit's calculation: the previous state, the time, and the rights. */
export interface CommitBase {
  readonly base: DocumentState;
  /** Wall clock, in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  readonly access: AccessBasis;
  /** Whether the commit was calculated in another thread. */
  readonly isLong: boolean;
}

/** The user who pays for a job. */
export function findPayer({ user }: WriteJob, { rights }: AccessBasis): number | null {
  return user ?? rights.owner;
}
