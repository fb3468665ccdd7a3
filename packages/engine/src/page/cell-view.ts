import { findFormulaProblem, getErrorMessage } from '../calc/explain.ts';
import { type Grammar, print, WIRE } from '../formula/index.ts';
import { formatForDisplay, isDateFormat } from '../locale/index.ts';
import { FORMULA } from '../sheet/cell-kind.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { ErrorCode } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';

/** A cell as the API shows it. */
export interface CellView {
  /** The raw value; an error as its code. */
  readonly v: number | string | boolean;
  /** The value as displayed. */
  readonly m: string;
  /** The formula, if the cell has one; in the API's grammar unless the request asks for another one. */
  readonly f?: string;
  /** `d` for a number that is displayed as a date or time; absent for others. */
  readonly t?: 'd';
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** A cell as the API shows it; null for an empty cell. */
export function cellView(
  snapshot: Snapshot,
  sheetId: number,
  row: number,
  column: number,
  grammar: Grammar = WIRE,
): CellView | null {
  const sheet = snapshot.sheetById(sheetId);
  const value = sheet?.value(row, column) ?? null;
  return sheet && value !== null ? toCellView(snapshot, sheet, { row, column, grammar }, value) : null;
}

interface ViewedCell {
  readonly row: number;
  readonly column: number;
  readonly grammar: Grammar;
}

function toCellView(snapshot: Snapshot, sheet: Sheet, cell: ViewedCell, value: Exclude<Scalar, null>): CellView {
  const { row, column, grammar } = cell;
  const { locale, dateSystem } = snapshot.settings;
  const code = snapshot.formats.code(sheet.format(row, column));
  const f =
    (sheet.kind(row, column) & FORMULA) !== 0 ? printCellFormula(snapshot, sheet, row, column, grammar) : undefined;
  const formula = f === undefined ? {} : { f };
  if (isError(value)) {
    const error = { code: value.code, message: describeError(snapshot, sheet, row, column, value.code) };
    return { v: value.code, m: value.code, ...formula, error };
  }
  const m = formatForDisplay(value, code, locale, dateSystem);
  return { v: value, m, ...formula, ...(typeof value === 'number' && isDateFormat(code) ? { t: 'd' } : {}) };
}

/** The formula of a cell; undefined if it has none. */
function printCellFormula(
  snapshot: Snapshot,
  sheet: Sheet,
  row: number,
  column: number,
  grammar: Grammar = WIRE,
): string | undefined {
  const run = sheet.run(row, column);
  return run && printRunFormula(snapshot, run, row, grammar);
}

/** The formula of one row of a run. */
export function printRunFormula(snapshot: Snapshot, run: Run, row: number, grammar: Grammar): string {
  const names = { getSheetName: (id: number) => snapshot.sheetById(id)?.name ?? null };
  return print(run.template.node, grammar, { row, column: run.column }, names);
}

/** Returns a sentence about an error: the problem in the formula's text, or the meaning of the error code. */
export function describeError(snapshot: Snapshot, sheet: Sheet, row: number, column: number, code: ErrorCode): string {
  const run = sheet.run(row, column);
  const problem = run ? findFormulaProblem(run.template.node, sheet.id, snapshot) : null;
  return problem ?? getErrorMessage(code);
}
