import { getLocale, type Input, MAX_COLUMNS, MAX_ROWS, type Sheet, type Snapshot } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import { MAX_TRANSPOSED_GAPS } from '../../limits/requests.ts';
import type { MajorDimension } from '../../service/cells/fill-page.ts';
import { countGaps, transposeInputs } from '../../service/cells/inputs.ts';
import { measureLongest } from '../../service/longest.ts';
import { describeWrongType, type RequestObject, throwWrongType } from '../json.ts';
import { createInvalidFieldProblem, createInvalidFieldsProblem, createInvalidProblem } from '../problem.ts';
import { formatProtoValue } from './proto-value.ts';
import { isTextFormat } from './render.ts';

type SentValue = string | number | boolean | null;
/** Values by row, then column. */
export type ValueMatrix = readonly (readonly SentValue[])[];

const LIST_VALUE = 'type.googleapis.com/google.protobuf.ListValue';

/** The values of a ValueRange, by rows. `path`: its place in the request, such as `data.data[0]`. */
export function parseValueMatrix(body: RequestObject, path: string, major: MajorDimension): ValueMatrix {
  const sent = body['values'] ?? [];
  const field = `${path}.values`;
  if (!Array.isArray(sent)) return throwWrongType(field, LIST_VALUE, sent);
  refuseOtherLists(sent, field);
  const lines = (sent as unknown[][]).map((line, i) => line.map((value, j) => parseSentValue(value, i, j)));
  return major === 'ROWS' ? lines : transposeColumns(lines);
}

/** Throws if an element is not a list. Google's error names all of them. */
function refuseOtherLists(sent: readonly unknown[], field: string): void {
  const wrongs = sent.flatMap((line, i) => (Array.isArray(line) ? [] : [{ line, path: `${field}[${i}]` }]));
  if (wrongs.length === 0) return;
  const violations = wrongs
    .slice(0, MAX_VIOLATIONS)
    .map(({ line, path }) => ({ field: path, description: describeWrongType(path, LIST_VALUE, line ?? '') }));
  throw createInvalidFieldsProblem(violations.map(({ description }) => description).join('\n'), violations);
}

/** Maximum places that one error names. */
const MAX_VIOLATIONS = 100;

/** Checks one value of the request. `line` and `index` are its position, which errors name. */
function parseSentValue(value: unknown, line: number, index: number): SentValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw createInvalidProblem(`Invalid values[${line}][${index}]: ${formatProtoValue(value)}`);
}

/**
 * The rows of a matrix that was sent by columns. The first row has the full width, the others end with their last
 * value. Throws if the values exceed a sheet, or if the columns leave out more than `MAX_TRANSPOSED_GAPS` cells.
 */
function transposeColumns(columns: ValueMatrix): ValueMatrix {
  if (columns.length > MAX_COLUMNS || measureLongest(columns) > MAX_ROWS)
    throw createInvalidProblem(`Values exceed grid limits. Max rows: ${MAX_ROWS}, max columns: ${MAX_COLUMNS}`);
  if (countGaps(columns) > MAX_TRANSPOSED_GAPS)
    throw createInvalidProblem(`Columns can leave out ${MAX_TRANSPOSED_GAPS} cells at most.`);
  return runSynchronously(transposeInputs(columns));
}

export function measureWidth(matrix: ValueMatrix): number {
  return matrix.reduce((most, row) => Math.max(most, row.length), 0);
}

/** The number of rows, columns and cells that a matrix changes. */
export function countChangedCells(matrix: ValueMatrix): {
  readonly rows: number;
  readonly columns: number;
  readonly cells: number;
} {
  const columns = new Set<number>();
  let rows = 0;
  let cells = 0;
  for (const row of matrix) {
    let isTouched = false;
    for (const [i, value] of row.entries()) {
      if (value === null) continue;
      isTouched = true;
      cells++;
      columns.add(i);
    }
    if (isTouched) rows++;
  }
  return { rows, columns: columns.size, cells };
}

const LEADING_ZERO = /^[+-]?0\d+(?:\.\d+)?$/;
const MANY_DIGITS = /^[+-]?\d{16,}(?:\.\d+)?$/;
/** A number in scientific notation. */
export const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?[Ee][+-]?\d{1,3}$/;

/** Position and settings for entered values. */
interface EnteredPlace {
  readonly snapshot: Snapshot;
  readonly sheet: Sheet | undefined;
  readonly row: number;
  readonly column: number;
}

/**
 * Converts values as if a person typed them. Google parses as numbers some texts that the service keeps as text to
 * avoid loss: digits with leading zeros, more digits than a number can hold, and scientific notation.
 */
export function toTypedInputs(matrix: ValueMatrix, target: EnteredPlace): readonly (readonly Input[])[] {
  const { snapshot, sheet, row, column } = target;
  const decimal = getLocale(snapshot.settings.locale).decimal;
  const isText = (r: number, c: number) =>
    sheet !== undefined && isTextFormat(snapshot.formats.code(sheet.format(row + r, column + c)));
  return matrix.map((line, r) =>
    line.map((value, c) => {
      if (typeof value !== 'string') return value;
      const trimmed = value.trim();
      const isNumber = LEADING_ZERO.test(trimmed) || MANY_DIGITS.test(trimmed) || SCIENTIFIC.test(trimmed);
      if (!isNumber || trimmed.includes(decimal === ',' ? '.' : ',') || isText(r, c)) return value;
      const number = Number(trimmed.replace(decimal, '.'));
      return Number.isFinite(number) ? number : value;
    }),
  );
}

export type InputOption = 'RAW' | 'USER_ENTERED';

/** `valueInputOption`, which every write requires. */
export function parseInputOption(value: string | undefined, name: string): InputOption {
  if (value === 'RAW' || value === 'USER_ENTERED') return value;
  if (value === undefined || value === 'INPUT_VALUE_OPTION_UNSPECIFIED') {
    throw createInvalidProblem("'valueInputOption' is required but not specified");
  }
  throw createInvalidFieldProblem(
    name,
    `Invalid value at '${name}' (type.googleapis.com/google.apps.sheets.v4.ValueInputOption), ${JSON.stringify(value)}`,
  );
}
