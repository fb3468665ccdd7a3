import type { CallNode } from './ast.ts';
import type { Grammar } from './grammar.ts';
import type { FormulaCell } from './scan.ts';

/** Names of a workbook that the printer writes. */
export interface PrintNames {
  /** The name of a sheet; null if it is deleted. */
  getSheetName(id: number): string | null;
  /** True if the text may contain this sheet of another workbook. If absent, it may contain all. */
  canContainExternal?(sheet: string): boolean;
}

/** Names of functions in workbook files. */
export interface FileNames {
  /** Returns a function's name in files: `_xlfn.XLOOKUP` for `XLOOKUP`. */
  getStoredName(name: string): string;
  /** True if a bare name is a function used as a value (`BYROW(A1:B2;SUM)`). */
  isFunction(name: string): boolean;
  /** Returns the names, by `nameKey`, that a call binds for its arguments. */
  listBoundNames(call: CallNode): readonly string[];
}

export interface PrintOptions {
  /**
   * Prints the form of workbook files: `_xlfn.` and `_xlpm.` prefixes, `_xlfn.SINGLE(…)` for `@`,
   * `_xlfn.ANCHORARRAY(…)` for `#`, `[#This Row]` for `@` in tables.
   */
  readonly file?: FileNames;
  /** Prints each relative row as its offset between two `ROW_MARK` characters, for `printByRow`. */
  readonly rowMarks?: boolean;
}

export interface Printer {
  readonly grammar: Grammar;
  readonly place: FormulaCell;
  readonly names: PrintNames;
  readonly file: FileNames | null;
  /** True to print each relative row as its offset between two `ROW_MARK` characters. */
  readonly rowMarks: boolean;
  /** Parameters of the surrounding LET and LAMBDA calls, in upper case. Only used for files. */
  bound: ReadonlySet<string>;
  /** True if a union needs brackets in this position, because its mark would separate arguments. */
  bracketUnions: boolean;
  /** True directly within brackets, where the argument separator is the union operator. */
  grouped: boolean;
}

export const REF = '#REF!';

/** Printed before and after the offset of a relative row if `rowMarks` is set. */
export const ROW_MARK = '\u0000';
