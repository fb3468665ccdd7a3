import { randomInt, randomUUID } from 'node:crypto';
import type { ApplyContext, Rights } from '@cellwire/engine';
import type { Database } from '../store/database.ts';
import type { CommitSignal } from './commit-signal.ts';

/** What documents need from outside. */
export interface DocumentsEnvironment {
  readonly database: Database;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  readonly limits: CalculationLimits;
  /** Work in the background failed; nothing that was acknowledged is lost. */
  readonly onError: (what: string, error: unknown) => void;
  /** Told of every commit of this process that is on the disk. */
  readonly commits?: CommitSignal;
}

/** Budget of one recalculation: its time, and cells evaluated. */
export interface CalculationLimits {
  readonly calculationMs: number;
  readonly calculationCells: number;
}

const MAX_SEED = 2 ** 31;

/** A name for a commit that no other commit has. */
export function newHead(): string {
  return randomUUID();
}

/** Who writes (null: nobody, or the operator), and who sees which sheets. */
interface Writer {
  readonly writer: number | null;
  readonly rights: Rights;
}

export function applyContext(now: number, limits: CalculationLimits, by?: Writer): ApplyContext {
  const budget = {
    cells: limits.calculationCells,
    milliseconds: limits.calculationMs,
    clock: () => performance.now(),
  };
  const context = { now, seed: randomInt(MAX_SEED), budget };
  if (by === undefined) return context;
  // What the owner writes is the owner's, whoever that will be.
  const { writer, rights } = by;
  return { ...context, writer: writer === rights.owner ? null : writer, rights };
}
