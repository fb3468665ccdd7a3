import { type DateSystem, type Input, type InputMode, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { InputLocale } from '../../access/input-locale.ts';
import type { LimitSettings } from '../../config/types.ts';
import { MAX_TRANSPOSED_GAPS } from '../../limits/requests.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { MajorDimension } from './read-values.ts';
import { cellRefusal, textProblem, typedCell } from './typed-cells.ts';

export type InputMatrix = readonly (readonly Input[])[];

/** A cell as it was sent: a plain value, or one that says itself what it is. */
export type SentCell = string | number | boolean | null | Readonly<Record<string, unknown>>;
export type SentCells = readonly (readonly SentCell[])[];

/** How the values of a write are to be read. */
export interface InputOptions {
  readonly mode: InputMode;
  readonly major: MajorDimension;
  /** As it was sent. */
  readonly inputLocale: InputLocale | null;
}

/** Values as they were sent; `field` names them in an answer. */
interface SentMatrix {
  readonly field: string;
  readonly values: SentCells;
}

/**
 * The matrices of one request by rows, wherever they are to go, or what is wrong with the first bad one. A line that is
 * shorter than others leaves its missing cells as they are. What they take is counted before anything is made of them.
 * Pauses now and then: a request may have a million values.
 */
export function* rowsOf(
  sent: readonly SentMatrix[],
  { mode, major }: InputOptions,
  limits: LimitSettings,
): Generator<void, readonly InputMatrix[] | Refusal> {
  const read: { readonly field: string; readonly values: InputMatrix }[] = [];
  for (const { field, values } of sent) {
    const matrix = yield* matrixOf(values, mode, limits, field);
    if (isRefusal(matrix)) return matrix;
    read.push({ field, values: matrix });
  }
  if (major === 'ROWS') return read.map(({ values }) => values);
  let gaps = 0;
  for (const { field, values } of read) {
    if (maxWidth(values) > MAX_ROWS || values.length > MAX_COLUMNS) return INVALID_RANGE;
    gaps += gapsOf(values);
    if (gaps > MAX_TRANSPOSED_GAPS) {
      return invalidRequest(field, `${field} leaves out more than ${MAX_TRANSPOSED_GAPS} cells: send fewer columns`);
    }
  }
  const matrices: InputMatrix[] = [];
  for (const { values } of read) matrices.push(yield* transposed(values));
  return matrices;
}

/** Values, or characters of texts, that are looked at between two pauses. */
const PIECE = 16_384;

/** The values as they are to be entered; those that say themselves what they are, by their lines, are read first. */
function* matrixOf(
  values: SentCells,
  mode: InputMode,
  limits: LimitSettings,
  field: string,
): Generator<void, InputMatrix | Refusal> {
  if (values.every((line) => line.length === 0)) return invalidRequest(field, `${field} needs at least one cell`);
  let typed: Input[][] | null = null;
  let looked = 0;
  for (let i = 0; i < values.length; i++) {
    const line = values[i] as SentCells[number];
    for (let j = 0; j < line.length; j++) {
      const cell = line[j] as SentCells[number][number];
      looked += typeof cell === 'string' ? 1 + cell.length : 1;
      if (looked >= PIECE) {
        looked = 0;
        yield;
      }
      const isTyped = typeof cell === 'object' && cell !== null;
      const problem = typeof cell === 'string' ? textProblem(cell, mode, limits) : null;
      // The document's system decides which days there are when the date is entered; that of 1900 has one more.
      const read = isTyped ? typedCell(cell, { system: systemOf(cell), limits }) : null;
      if (problem !== null) return cellRefusal(`${field}.${i}.${j}`, { problem });
      if (read === null) continue;
      if ('problem' in read) return cellRefusal(`${field}.${i}.${j}`, read);
      typed ??= values.map((one) => [...one]) as Input[][];
      (typed[i] as Input[])[j] = read.input;
    }
  }
  return typed ?? (values as InputMatrix);
}

/** A date system that has the day of a value, if any has. */
function systemOf({ value }: Readonly<Record<string, unknown>>): DateSystem {
  return typeof value === 'string' && value.startsWith('1900-02-29') ? '1900' : 'google';
}

/** Rows from `first` to before `end` that reach to the same column. */
interface RowBand {
  readonly first: number;
  readonly end: number;
  readonly width: number;
}

/** How far the rows of a matrix of columns reach, from the top: to the last column that has a value in them. */
function bandsOf(columns: InputMatrix): readonly RowBand[] {
  const bands: RowBand[] = [{ first: 0, end: 1, width: columns.length }];
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
function gapsOf(columns: InputMatrix): number {
  const places = bandsOf(columns).reduce((sum, { first, end, width }) => sum + (end - first) * width, 0);
  return places - columns.reduce((sum, { length }) => sum + length, 0);
}

/** The first row has the width of all, so that the shape stays; the others end with their last value. */
function* transposed(columns: InputMatrix): Generator<void, InputMatrix> {
  const rows: Input[][] = [];
  let made = 0;
  for (const { first, end, width } of bandsOf(columns)) {
    const reached = columns.slice(0, width);
    for (let row = first; row < end; row++) {
      rows.push(reached.map((column) => column[row] ?? null));
      made += width;
      if (made < PIECE) continue;
      made = 0;
      yield;
    }
  }
  return rows;
}

function maxWidth(values: InputMatrix): number {
  return values.reduce((most, line) => Math.max(most, line.length), 0);
}

/** Whether a matrix of rows fits into the grid from a cell on. */
export function fits(row: number, column: number, rows: InputMatrix): boolean {
  return row + rows.length <= MAX_ROWS && column + maxWidth(rows) <= MAX_COLUMNS;
}
