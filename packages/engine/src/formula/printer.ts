import type { CallNode } from './ast.ts';
import type { Grammar } from './grammar.ts';
import type { FormulaCell } from './scan.ts';

/** What the printer asks of the workbook. */
export interface PrintNames {
  /** The name of a sheet, null where it is deleted. */
  sheetName(id: number): string | null;
  /** Whether a text may hold this sheet of another workbook; absent: each one may be held. */
  holdsExternal?(sheet: string): boolean;
}

/** What the printer of workbook files asks of the catalogue of functions. */
export interface FileNames {
  /** A function's name as files hold it: `XLOOKUP` as `_xlfn.XLOOKUP`. */
  storedName(name: string): string;
  /** Whether a bare name is a function handed over as a value (`BYROW(A1:B2;SUM)`). */
  isFunction(name: string): boolean;
  /** The names, by `nameKey`, that a call binds for its arguments. */
  boundNames(call: CallNode): readonly string[];
}

export interface PrintOptions {
  /**
   * Writes what workbook files hold: `_xlfn.` and `_xlpm.` prefixes, `_xlfn.SINGLE(…)` for `@`,
   * `_xlfn.ANCHORARRAY(…)` for `#`, `[#This Row]` for `@` in tables.
   */
  readonly file?: FileNames;
  /** Writes relative rows as offsets between marks, for `printByRow`. */
  readonly rowMarks?: boolean;
}

export interface Printer {
  readonly grammar: Grammar;
  readonly place: FormulaCell;
  readonly names: PrintNames;
  readonly file: FileNames | null;
  /** Whether relative rows are printed as offsets between marks. */
  readonly rowMarks: boolean;
  /** Upper-case parameters of the LETs and LAMBDAs around; only kept for files. */
  bound: ReadonlySet<string>;
  /** Whether a union needs brackets here, since its mark would separate arguments. */
  bracketUnions: boolean;
  /** Directly within brackets of its own, where the separator of arguments joins references. */
  grouped: boolean;
}

export const REF = '#REF!';

/** Stands on both sides of an offset. */
export const ROW_MARK = '\u0000';
