import { randomUUID } from 'node:crypto';
import type { TextLimits } from '@cellwire/engine';
import type { TurnScheduler } from '@cellwire/event-loop';
import type { Database, StoreLocation } from '@cellwire/store';
import type { CalculationLimits } from './calculation/context.ts';
import type { CalculationPool } from './calculation/pool.ts';
import type { CommitSignal } from './commit-signal.ts';
import type { WaitingRoom } from './pipeline/waiting-room.ts';

/** What documents need from outside. */
export interface DocumentsEnvironment {
  readonly database: Database;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  readonly limits: CalculationLimits;
  /** How long texts and formulas may be; as the engine has it unless given. */
  readonly textLimits?: TextLimits;
  /** Work in the background failed; nothing that was acknowledged is lost. */
  readonly onError: (what: string, error: unknown) => void;
  /** Where long work goes; without it everything is done in this thread, however long it takes. */
  readonly threads?: Threads;
  /** A checkpoint is due after so many commits; as `limits` says unless given. */
  readonly checkpointCommits?: number;
  /** Is notified of every commit of this process that is on the disk. */
  readonly commits?: CommitSignal;
}

export interface Threads {
  readonly pool: CalculationPool;
  /** The same as the database's, for threads that read it. */
  readonly store: StoreLocation;
}

/** The same with what all open documents share. */
export interface OpenEnvironment extends DocumentsEnvironment {
  readonly turns: TurnScheduler;
  readonly waiting: WaitingRoom;
  readonly graphs: GraphCount;
}

/** Counts the formula graphs that were built in a process. */
export interface GraphCount {
  built: number;
}

/** A name for a commit that no other commit has. */
export function newHead(): string {
  return randomUUID();
}
