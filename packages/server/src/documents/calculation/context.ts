import { randomInt } from 'node:crypto';
import type { ApplyContext, Budget, Rights } from '@cellwire/engine';

/** Budget of one recalculation: its time, and cells evaluated. */
export interface CalculationLimits {
  readonly calculationMs: number;
  readonly calculationCells: number;
}

/** The world around one batch as plain data: the clock and the memory that bound it are each thread's own. */
export interface CalculationContext extends Omit<ApplyContext, 'budget'> {
  readonly budget: Omit<Budget, 'clock' | 'hasMemory'>;
}

const MAX_SEED = 2 ** 31;

/** Who writes (null: nobody, or the operator), and who sees which sheets. */
interface Writer {
  readonly writer: number | null;
  readonly rights: Rights;
}

export function calculationContext(now: number, limits: CalculationLimits, by?: Writer): CalculationContext {
  const budget = { cells: limits.calculationCells, milliseconds: limits.calculationMs };
  const context = { now, seed: randomInt(MAX_SEED), budget };
  if (by === undefined) return context;
  // What the owner writes is the owner's, whoever that will be.
  const { writer, rights } = by;
  return { ...context, writer: writer === rights.owner ? null : writer, rights };
}
