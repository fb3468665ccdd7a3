import { randomInt } from 'node:crypto';
import type { ApplyContext, Budget, Rights } from '@cellwire/engine';

/** Budget of one recalculation: its time, and cells evaluated. */
export interface CalculationLimits {
  readonly calculationMs: number;
  readonly calculationCells: number;
}

/** What one batch is calculated with, as plain data. Each thread adds its own clock and its own bound of memory. */
export interface CalculationContext extends Omit<ApplyContext, 'budget'> {
  readonly budget: Omit<Budget, 'clock' | 'hasMemory'>;
}

const MAX_SEED = 2 ** 31;

/** The user who writes (null: none, or the operator), and who sees which sheets. */
interface Writer {
  readonly writer: number | null;
  readonly rights: Rights;
}

export function calculationContext(now: number, limits: CalculationLimits, by?: Writer): CalculationContext {
  const budget = { cells: limits.calculationCells, milliseconds: limits.calculationMs };
  const context = { now, seed: randomInt(MAX_SEED), budget };
  if (by === undefined) return context;
  // Formulas of the owner belong to the next owner, too.
  const { writer, rights } = by;
  return { ...context, writer: writer === rights.owner ? null : writer, rights };
}
