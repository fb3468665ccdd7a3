import type { Input, InputMode } from '@cellwire/engine';
import { MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { LimitSettings } from '../config/types.ts';
import type { Major } from './read-values.ts';
import type { Refusal } from './refusal.ts';
import { invalidRequest } from './refusal.ts';

export type Matrix = readonly (readonly Input[])[];

/** How the values of a write are to be read. */
export interface InputOptions {
  readonly mode: InputMode;
  readonly major: Major;
}

/** What is wrong with a matrix of values, wherever it is to go; null: nothing. `field` names it in the answer. */
export function matrixRefusal(values: Matrix, mode: InputMode, limits: LimitSettings, field: string): Refusal | null {
  if (values.every((line) => line.length === 0)) return invalidRequest(field, `${field} needs at least one cell`);
  for (const [i, line] of values.entries()) {
    for (const [j, input] of line.entries()) {
      const problem = typeof input === 'string' ? textProblem(input, mode, limits) : null;
      if (problem !== null) return invalidRequest(`${field}.${i}.${j}`, `${field}.${i}.${j} ${problem}`);
    }
  }
  return null;
}

function textProblem(text: string, mode: InputMode, limits: LimitSettings): string | null {
  const isFormula = mode === 'user' && text.startsWith('=');
  const limit = isFormula ? limits.maxFormulaLength : limits.maxStringLength;
  if (text.length > limit) return `must not have more than ${limit} characters`;
  return text.isWellFormed() ? null : 'holds half of a surrogate pair';
}

/** The values by rows. A line that is shorter than others leaves its missing cells as they are. */
export function byRows(values: Matrix, major: Major): Matrix {
  if (major === 'ROWS') return values;
  const height = widest(values);
  return Array.from({ length: height }, (_, row) => values.map((column) => column[row] ?? null));
}

function widest(values: Matrix): number {
  return values.reduce((most, line) => Math.max(most, line.length), 0);
}

/** Whether a matrix of rows fits into the grid from a cell on. */
export function fits(row: number, column: number, rows: Matrix): boolean {
  return row + rows.length <= MAX_ROWS && column + widest(rows) <= MAX_COLUMNS;
}
