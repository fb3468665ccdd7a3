import { type DateSystem, type Input, type InputMode, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { InputLocale } from '../../access/input-locale.ts';
import type { LimitSettings } from '../../config/types.ts';
import { MAX_TRANSPOSED_GAPS } from '../../limits/requests.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { MajorDimension } from './fill-page.ts';
import { findTextProblem, parseTypedCell, toCellRefusal } from './typed-cells.ts';

export type InputMatrix = readonly (readonly Input[])[];

/** A sent cell: a plain value, or an object that states its type. */
export type SentCell = string | number | boolean | null | Readonly<Record<string, unknown>>;
export type SentCells = readonly (readonly SentCell[])[];

/** Options for reading the values of a write. */
export interface InputOptions {
  readonly mode: InputMode;
  readonly major: MajorDimension;
  /** The input locale of the request. */
  readonly inputLocale: InputLocale | null;
}

/** Sent values; `field` is their path in the request. */
interface SentMatrix {
  readonly field: string;
  readonly values: SentCells;
}

/**
 * Converts the matrices of one request into rows, or refuses the first invalid one. A row or column that is shorter
 * than the others leaves its missing cells unchanged. Sizes are checked before memory is allocated. Yields regularly,
 * because a request may have a million values.
 */
export function* convertToRows(
  sentMatrices: readonly SentMatrix[],
  { mode, major }: InputOptions,
  limits: LimitSettings,
): Generator<void, readonly InputMatrix[] | Refusal> {
  const read: { readonly field: string; readonly values: InputMatrix }[] = [];
  for (const { field, values } of sentMatrices) {
    const matrix = yield* parseMatrix(values, mode, limits, field);
    if (isRefusal(matrix)) return matrix;
    read.push({ field, values: matrix });
  }
  if (major === 'ROWS') return read.map(({ values }) => values);
  let gaps = 0;
  for (const { field, values } of read) {
    if (measureMaxWidth(values) > MAX_ROWS || values.length > MAX_COLUMNS) return INVALID_RANGE;
    gaps += countGaps(values);
    if (gaps > MAX_TRANSPOSED_GAPS) {
      return invalidRequest(field, `${field} leaves out more than ${MAX_TRANSPOSED_GAPS} cells: send fewer columns`);
    }
  }
  const matrices: InputMatrix[] = [];
  for (const { values } of read) matrices.push(yield* transposeInputs(values));
  return matrices;
}

type Lists<T> = readonly (readonly T[])[];

/** Values, or characters of texts, that are processed between two pauses. */
const PIECE = 16_384;

/** The values to enter; rows or columns with typed values are parsed first. */
function* parseMatrix(
  values: SentCells,
  mode: InputMode,
  limits: LimitSettings,
  field: string,
): Generator<void, InputMatrix | Refusal> {
  if (values.every((line) => line.length === 0)) return invalidRequest(field, `${field} needs at least one cell`);
  let typed: Input[][] | null = null;
  let examined = 0;
  for (let i = 0; i < values.length; i++) {
    const line = values[i] as SentCells[number];
    if (areNumbers(line)) {
      examined += line.length;
      if (examined < PIECE) continue;
      examined = 0;
      yield;
      continue;
    }
    for (let j = 0; j < line.length; j++) {
      const cell = line[j] as SentCells[number][number];
      examined += typeof cell === 'string' ? 1 + cell.length : 1;
      if (examined >= PIECE) {
        examined = 0;
        yield;
      }
      const isTyped = typeof cell === 'object' && cell !== null;
      const problem = typeof cell === 'string' ? findTextProblem(cell, mode, limits) : null;
      // The document's date system decides if a day exists when the date is entered; the 1900 system has one additional
      // day.
      const read = isTyped ? parseTypedCell(cell, { system: chooseDateSystem(cell), limits }) : null;
      if (problem !== null) return toCellRefusal(`${field}.${i}.${j}`, { problem });
      if (read === null) continue;
      if ('problem' in read) return toCellRefusal(`${field}.${i}.${j}`, read);
      typed ??= values.map((one) => [...one]) as Input[][];
      (typed[i] as Input[])[j] = read.input;
    }
  }
  return typed ?? (values as InputMatrix);
}

/** True for a row of numbers, which needs no other check. */
function areNumbers(line: readonly SentCell[]): boolean {
  for (let i = 0; i < line.length; i++) if (typeof line[i] !== 'number') return false;
  return true;
}

/** A date system that has the day of a value, if one exists. */
function chooseDateSystem({ value }: Readonly<Record<string, unknown>>): DateSystem {
  return typeof value === 'string' && value.startsWith('1900-02-29') ? '1900' : 'google';
}

/** Rows from `first` to before `end` that have the same width. */
interface RowBand {
  readonly first: number;
  readonly end: number;
  readonly width: number;
}

/** The widths of the rows in a matrix of columns, from the top: each up to the last column with a value in the row. */
function splitIntoBands(columns: Lists<unknown>): readonly RowBand[] {
  const bands: RowBand[] = [{ first: 0, end: 1, width: columns.length }];
  let first = 1;
  for (let column = columns.length - 1; column >= 0; column--) {
    const end = (columns[column] as readonly unknown[]).length;
    if (end <= first) continue;
    bands.push({ first, end, width: column + 1 });
    first = end;
  }
  return bands;
}

/** Number of cells that the transposed rows have without a value in the columns. */
export function countGaps(columns: Lists<unknown>): number {
  const places = splitIntoBands(columns).reduce((sum, { first, end, width }) => sum + (end - first) * width, 0);
  return places - columns.reduce((sum, { length }) => sum + length, 0);
}

/**
 * The rows of a matrix of columns. The first row has the full width, which keeps the shape; the other rows end with
 * their last value.
 */
export function* transposeInputs<T>(columns: Lists<T>): Generator<void, Lists<T | null>> {
  const rows: (T | null)[][] = [];
  let cells = 0;
  for (const { first, end, width } of splitIntoBands(columns)) {
    const reachingColumns = columns.slice(0, width);
    for (let row = first; row < end; row++) {
      rows.push(reachingColumns.map((column) => column[row] ?? null));
      cells += width;
      if (cells < PIECE) continue;
      cells = 0;
      yield;
    }
  }
  return rows;
}

function measureMaxWidth(values: InputMatrix): number {
  return values.reduce((most, line) => Math.max(most, line.length), 0);
}

/** True if a matrix of rows fits into the grid at a cell. */
export function fitsIntoGrid(row: number, column: number, rows: InputMatrix): boolean {
  return row + rows.length <= MAX_ROWS && column + measureMaxWidth(rows) <= MAX_COLUMNS;
}
