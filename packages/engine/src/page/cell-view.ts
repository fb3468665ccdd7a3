import { findFormulaProblem, getErrorMessage } from '../calc/explain.ts';
import { type Grammar, print, WIRE } from '../formula/index.ts';
import { formatForDisplay, isDateFormat } from '../locale/index.ts';
import { FORMULA } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { ErrorCode } from '../value/errors.ts';
import { isError } from '../value/scalar.ts';

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
  return sheet === undefined ? null : viewSheetCell(snapshot, sheet, row, column, grammar);
}

/** A cell of a sheet as the API shows it; null for an empty cell. */
export function viewSheetCell(
  snapshot: Snapshot,
  sheet: Sheet,
  row: number,
  column: number,
  grammar: Grammar,
): CellView | null {
  const chunk = sheet.chunk(column, row >> CHUNK_SHIFT);
  const at = row & CHUNK_MASK;
  if (chunk === undefined) return null;
  // Published chunks keep this result. Without it, each read of a cell loads the array of kinds into the processor's cache.
  chunk.uniformKind();
  const value = chunk.value(at);
  if (value === null) return null;
  const { locale, dateSystem } = snapshot.settings;
  const code = snapshot.formats.code(chunk.format(at));
  const f = (chunk.kind(at) & FORMULA) === 0 ? undefined : printCellFormula(snapshot, sheet, row, column, grammar);
  const formula = f === undefined ? NO_FORMULA : { f };
  if (isError(value)) {
    const error = { code: value.code, message: describeError(snapshot, sheet, row, column, value.code) };
    return { v: value.code, m: value.code, ...formula, error };
  }
  const m = formatForDisplay(value, code, locale, dateSystem);
  if (typeof value === 'number' && isDateFormat(code)) return { v: value, m, ...formula, t: 'd' };
  return formula === NO_FORMULA ? { v: value, m } : { v: value, m, ...formula };
}

const NO_FORMULA = {};

/** The formula of a cell; undefined if it has none. */
function printCellFormula(
  snapshot: Snapshot,
  sheet: Sheet,
  row: number,
  column: number,
  grammar: Grammar,
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
