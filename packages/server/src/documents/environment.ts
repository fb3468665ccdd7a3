import type { TextLimits } from '@cellwire/engine';
import type { TurnScheduler } from '@cellwire/event-loop';
import type { Database, StoreLocation } from '@cellwire/store';
import type { CalculationLimits } from './calculation/context.ts';
import type { CalculationPool } from './calculation/pool.ts';
import type { CommitSignal } from './commit-signal.ts';
import { createRandomId } from './pipeline/random-ids.ts';
import type { WriteAdmission } from './pipeline/write-admission.ts';

/** Dependencies of the documents. */
export interface DocumentsEnvironment {
  readonly database: Database;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  readonly limits: CalculationLimits;
  /** Maximum lengths of texts and formulas; the engine's limits by default. */
  readonly textLimits?: TextLimits;
  /** Background work failed. No acknowledged write is lost. */
  readonly onError: (activity: string, error: unknown) => void;
  /** Threads for long work. Without them everything runs in this thread, however long it takes. */
  readonly threads?: Threads;
  /** Number of commits after which a checkpoint is due; taken from `limits` by default. */
  readonly checkpointCommits?: number;
  /** Notified of every durable commit of this process. */
  readonly commits?: CommitSignal;
}

export interface Threads {
  readonly pool: CalculationPool;
  /** Location of the same database, for threads that read it. */
  readonly store: StoreLocation;
}

/** The environment plus what all open documents share. */
export interface OpenEnvironment extends DocumentsEnvironment {
  readonly turns: TurnScheduler;
  readonly waiting: WriteAdmission;
  readonly graphs: GraphCount;
}

/** Counts the formula graphs built in a process. */
export interface GraphCount {
  built: number;
}

/** Returns a new unique commit name. */
export function createCommitName(): string {
  return createRandomId();
}
