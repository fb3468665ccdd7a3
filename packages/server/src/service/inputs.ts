import type { Input, InputMode } from '@cellwire/engine';
import { MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { LimitSettings } from '../config/types.ts';
import { MAX_TRANSPOSED_GAPS } from '../limits/limits.ts';
import type { Major } from './read-values.ts';
import type { Refusal } from './refusal.ts';
import { INVALID_RANGE, invalidRequest } from './refusal.ts';

export type Matrix = readonly (readonly Input[])[];

/** How the values of a write are to be read. */
export interface InputOptions {
  readonly mode: InputMode;
  readonly major: Major;
}

/** Values as they were sent; `field` names them in an answer. */
interface SentMatrix {
  readonly field: string;
  readonly values: Matrix;
}

/**
 * The matrices of one request by rows, wherever they are to go, or what is wrong with the first bad one. A line that is
 * shorter than others leaves its missing cells as they are. What they take is counted before anything is made of them.
 */
export function rowsOf(
  sent: readonly SentMatrix[],
  { mode, major }: InputOptions,
  limits: LimitSettings,
): readonly Matrix[] | Refusal {
  for (const { field, values } of sent) {
    const wrong = matrixRefusal(values, mode, limits, field);
    if (wrong !== null) return wrong;
  }
  if (major === 'ROWS') return sent.map(({ values }) => values);
  let gaps = 0;
  for (const { field, values } of sent) {
    if (widest(values) > MAX_ROWS || values.length > MAX_COLUMNS) return INVALID_RANGE;
    gaps += gapsOf(values);
    if (gaps > MAX_TRANSPOSED_GAPS) {
      return invalidRequest(field, `${field} leaves out more than ${MAX_TRANSPOSED_GAPS} cells: send fewer columns`);
    }
  }
  return sent.map(({ values }) => transposed(values));
}

function matrixRefusal(values: Matrix, mode: InputMode, limits: LimitSettings, field: string): Refusal | null {
  if (values.every((line) => line.length === 0)) return invalidRequest(field, `${field} needs at least one cell`);
  for (const [i, line] of values.entries()) {
    for (const [j, input] of line.entries()) {
      const problem = typeof input === 'string' ? textProblem(input, mode, limits) : null;
      if (problem !== null) return invalidRequest(`${field}.${i}.${j}`, `${field}.${i}.${j} ${problem}`);
    }
  }
  return null;
}

/** What is wrong with a text, as words that go on after its name; null: nothing. */
export function textProblem(text: string, mode: InputMode, limits: LimitSettings): string | null {
  const isFormula = mode === 'user' && text.startsWith('=');
  const limit = isFormula ? limits.maxFormulaLength : limits.maxStringLength;
  if (text.length > limit) return `must not have more than ${limit} characters`;
  return text.isWellFormed() ? null : 'holds half of a surrogate pair';
}

/** Rows from `first` to before `end` that reach to the same column. */
interface Band {
  readonly first: number;
  readonly end: number;
  readonly width: number;
}

/** How far the rows of a matrix of columns reach, from the top: to the last column that has a value in them. */
function bandsOf(columns: Matrix): readonly Band[] {
  const bands: Band[] = [{ first: 0, end: 1, width: columns.length }];
  let first = 1;
  for (let column = columns.length - 1; column >= 0; column--) {
    const end = (columns[column] as readonly Input[]).length;
    if (end <= first) continue;
    bands.push({ first, end, width: column + 1 });
    first = end;
  }
  return bands;
}

/** Cells that the rows made of a matrix of columns have without its having a value for them. */
function gapsOf(columns: Matrix): number {
  const places = bandsOf(columns).reduce((sum, { first, end, width }) => sum + (end - first) * width, 0);
  return places - columns.reduce((sum, { length }) => sum + length, 0);
}

/** The first row has the width of all, so that the shape stays; the others end with their last value. */
function transposed(columns: Matrix): Matrix {
  const rows: Input[][] = [];
  for (const { first, end, width } of bandsOf(columns)) {
    const reached = columns.slice(0, width);
    for (let row = first; row < end; row++) rows.push(reached.map((column) => column[row] ?? null));
  }
  return rows;
}

function widest(values: Matrix): number {
  return values.reduce((most, line) => Math.max(most, line.length), 0);
}

/** Whether a matrix of rows fits into the grid from a cell on. */
export function fits(row: number, column: number, rows: Matrix): boolean {
  return row + rows.length <= MAX_ROWS && column + widest(rows) <= MAX_COLUMNS;
}
