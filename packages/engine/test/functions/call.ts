import { FUNCTIONS } from '../../src/functions/catalogue.ts';
import { invokeFunction, readAsMatrix, takeTopLeftElement } from '../../src/functions/invoke.ts';
import type { FunctionContext, FunctionSpec, WorkbookInfo } from '../../src/functions/spec.ts';
import { Lambda, Matrix, Reference, type SheetArea, type Value } from '../../src/functions/value.ts';
import { parseArea } from '../../src/grid/a1.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../src/grid/limits.ts';
import { NumberStatistics } from '../../src/sheet/number-statistics.ts';
import { type CellError, REF, VALUE } from '../../src/value/errors.ts';
import { isError, type Scalar } from '../../src/value/scalar.ts';

/** Cells of one sheet, row by row from A1. */
export type ScalarRows = readonly (readonly Scalar[])[];

/** The environment of a function call: sheet, own cell, time and settings of the workbook. */
export interface CallEnvironment {
  readonly grid?: ScalarRows;
  readonly locale?: FunctionContext['locale'];
  readonly dateSystem?: FunctionContext['dateSystem'];
  /** The formula's own cell, zero-based. */
  readonly row?: number;
  readonly column?: number;
  readonly now?: number;
  /** The area of the array formula that contains the function. */
  readonly array?: SheetArea;
  readonly formulas?: ReadonlyMap<string, string>;
  readonly formats?: ReadonlyMap<string, string>;
  readonly random?: () => number;
}

const NOON = 0.5;
/** Serial number of 2026-01-15 12:00 in the date systems that count from 1899-12-30 and 1900-01-01. */
const NOW = 46_037 + NOON;

/** An array of scalars, row by row. */
export function createMatrix(rows: readonly (readonly Scalar[])[]): Matrix {
  return new Matrix(rows.length, rows[0]?.length ?? 0, rows.flat());
}

/** A reference on the test's only sheet: `A1`, `A1:C3`, `A:A`. */
export function createReference(...texts: [string, ...string[]]): Reference {
  const areas = texts.map((text): SheetArea => {
    const area = parseArea(text);
    if (!area) throw new Error(`no range: ${text}`);
    return { sheet: 0, top: area.top, left: area.left, bottom: area.bottom, right: area.right };
  });
  return new Reference(areas as [SheetArea, ...SheetArea[]]);
}

/** A LAMBDA of scalars. */
export function createLambda(parameters: number, body: (...args: Value[]) => Value): Lambda {
  return new Lambda(parameters, 0, (args) => body(...(args as Value[])));
}

function createWorkbookInfo(environment: CallEnvironment): WorkbookInfo {
  const at = (row: number, column: number) => `${row},${column}`;
  return {
    sheetCount: 1,
    getSheetPosition: (sheet) => (sheet === 0 ? 0 : -1),
    getSheetName: () => 'Sheet1',
    findSheetId: (name) => (name.toLowerCase() === 'sheet1' ? 0 : -1),
    getFormulaText: (_, row, column) => environment.formulas?.get(at(row, column)) ?? null,
    resolveText: (text) => (parseArea(text) ? createReference(text) : REF),
    getFormatCode: (_, row, column) => environment.formats?.get(at(row, column)) ?? '',
    isRowHidden: () => false,
    isRowFiltered: () => false,
    hasHiddenRows: () => false,
    isSubtotal: () => false,
    hasSubtotals: () => false,
    findArrayArea: () => environment.array ?? null,
    findSpillArea: () => null,
  };
}

/** Creates a function context over an in-memory sheet. */
export function createContext(environment: CallEnvironment = {}): FunctionContext {
  const grid = environment.grid ?? [];
  const rows = grid.length;
  const columns = Math.max(0, ...grid.map((row) => row.length));
  const cell = (_: number, row: number, column: number): Scalar => grid[row]?.[column] ?? null;
  const scan: FunctionContext['scanReference'] = (reference, visit) => {
    for (const { sheet, top, left, bottom, right } of reference.areas) {
      for (let c = left; c <= Math.min(right, columns - 1); c++) {
        for (let r = top; r <= Math.min(bottom, rows - 1); r++) {
          const value = cell(sheet, r, c);
          if (value !== null) visit(value, r, c, sheet);
        }
      }
    }
  };
  return {
    row: environment.row ?? 0,
    column: environment.column ?? 0,
    sheet: 0,
    formats: null,
    now: environment.now ?? NOW,
    dateSystem: environment.dateSystem ?? '1900',
    locale: environment.locale ?? 'en-US',
    random: environment.random ?? (() => NOON),
    takeNumbers: (length) => new Float64Array(length),
    takeKinds: (length) => new Uint8Array(length),
    readCell: cell,
    scanReference: scan,
    readReference: (reference) => readArea(reference, rows, columns, cell),
    computeTotals: (reference) => {
      let sum = 0;
      let count = 0;
      let filledCount = 0;
      let emptyTexts = 0;
      let error: Scalar = null;
      scan(reference, (value) => {
        filledCount++;
        if (value === '') emptyTexts++;
        if (isError(value)) error ??= value;
        if (typeof value !== 'number') return;
        sum += value;
        count++;
      });
      return { sum, count, filled: filledCount, emptyTexts, error };
    },
    computeExtremes: (reference) => {
      const numbers: number[] = [];
      let error: Scalar = null;
      scan(reference, (value) => {
        if (isError(value)) error ??= value;
        if (typeof value === 'number') numbers.push(value);
      });
      return { least: Math.min(...numbers), greatest: Math.max(...numbers), error };
    },
    computeStatistics: (reference) => {
      const numbers: number[] = [];
      let error: CellError | null = null;
      scan(reference, (value) => {
        if (isError(value)) error ??= value;
        if (typeof value === 'number') numbers.push(value);
      });
      return error ?? NumberStatistics.ofNumbers(Float64Array.from(numbers));
    },
    getOrderedNumbers: () => null,
    getRangeState: () => null,
    findRowsWithValue: () => null,
    callLambda: (lambda, args) => lambda.body(args, null),
    spendCells: checkBudget,
    spendElements: checkBudget,
    checkMemory: () => {},
    reportWork: () => {},
    getExtent: () => ({ rows, columns }),
    workbook: createWorkbookInfo(environment),
  };
}

function checkBudget(cells: number): void {
  if (cells > MAX_ROWS * 2) throw new Error('budget');
}

function readArea(reference: Reference, rows: number, columns: number, cell: FunctionContext['readCell']): Matrix {
  if (reference.areas.length > 1) return new Matrix(1, 1, [VALUE]);
  const { sheet, top, left, bottom, right } = reference.areas[0];
  const lastRow = Math.max(top, Math.min(bottom, rows - 1, MAX_ROWS - 1));
  const lastColumn = Math.max(left, Math.min(right, columns - 1, MAX_COLUMNS - 1));
  const data: Scalar[] = [];
  for (let r = top; r <= lastRow; r++) for (let c = left; c <= lastColumn; c++) data.push(cell(sheet, r, c));
  return new Matrix(lastRow - top + 1, lastColumn - left + 1, data);
}

export function findSpec(name: string): FunctionSpec {
  const spec = FUNCTIONS.get(name);
  if (!spec) throw new Error(`no function ${name}`);
  return spec;
}

/** Calls a function by name; `undefined` is a missing argument. */
export function callFunction(
  name: string,
  args: readonly (Value | undefined)[],
  environment: CallEnvironment = {},
): Value {
  return invokeFunction(findSpec(name), createContext(environment), args);
}

/** The scalar result of a call in a cell. Errors are returned as their codes. */
export function callAndReadScalar(
  name: string,
  args: readonly (Value | undefined)[],
  environment: CallEnvironment = {},
): Exclude<Scalar, CellError> {
  const scalar = takeTopLeftElement(createContext(environment), callFunction(name, args, environment));
  return isError(scalar) ? scalar.code : scalar;
}

/** The rows of a call's result. Errors are returned as their codes. */
export function callAndReadRows(
  name: string,
  args: readonly (Value | undefined)[],
  environment: CallEnvironment = {},
): Exclude<Scalar, CellError>[][] {
  const matrix = readAsMatrix(createContext(environment), callFunction(name, args, environment));
  return Array.from({ length: matrix.rows }, (_, r) =>
    Array.from({ length: matrix.columns }, (_, c) => {
      const value = matrix.get(r, c);
      return isError(value) ? value.code : value;
    }),
  );
}
