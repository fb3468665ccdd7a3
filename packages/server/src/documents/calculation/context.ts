import { randomInt } from 'node:crypto';
import type { ApplyContext, Budget, Rights, TextLimits } from '@cellwire/engine';

/** Budget of one recalculation: time in milliseconds and number of evaluated cells. */
export interface CalculationLimits {
  readonly calculationMs: number;
  readonly calculationCells: number;
}

/** Inputs of one batch's calculation, as plain data. Each thread adds its own clock and memory limit. */
export interface CalculationContext extends Omit<ApplyContext, 'budget'> {
  readonly budget: Omit<Budget, 'clock' | 'hasMemory'>;
}

const MAX_SEED = 2 ** 31;

/** The user who writes (null: the operator, or no user), and the sheets that each user sees. */
interface FormulaWriter {
  readonly writer: number | null;
  readonly rights: Rights;
}

/** The time, rights and limits of a calculation. Without `textLimits` the engine's limits apply. */
export function createCalculationContext(
  now: number,
  limits: CalculationLimits,
  formulaWriter?: FormulaWriter,
  textLimits?: TextLimits,
): CalculationContext {
  const budget = { cells: limits.calculationCells, milliseconds: limits.calculationMs };
  const context = { ...textLimits, now, seed: randomInt(MAX_SEED), budget };
  if (formulaWriter === undefined) return context;
  // The owner's formulas are stored without a user, so that the next owner inherits them.
  const { writer, rights } = formulaWriter;
  return { ...context, writer: writer === rights.owner ? null : writer, rights };
}
