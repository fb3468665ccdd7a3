import type { CallNode } from './ast.ts';
import type { Grammar } from './grammar.ts';
import type { FormulaCell } from './scan.ts';

/** Names of a workbook that the printer writes. */
export interface PrintNames {
  /** The name of a sheet; null if it is deleted. */
  sheetName(id: number): string | null;
  /** True if the text may contain this sheet of another workbook. Absent: always. */
  holdsExternal?(sheet: string): boolean;
}

/** Names of functions in workbook files. */
export interface FileNames {
  /** A function's name in files: `XLOOKUP` is `_xlfn.XLOOKUP`. */
  storedName(name: string): string;
  /** True if a bare name is a function used as a value (`BYROW(A1:B2;SUM)`). */
  isFunction(name: string): boolean;
  /** The names, by `nameKey`, that a call binds within its arguments. */
  boundNames(call: CallNode): readonly string[];
}

export interface PrintOptions {
  /**
   * Prints the form of workbook files: `_xlfn.` and `_xlpm.` prefixes, `_xlfn.SINGLE(…)` for `@`,
   * `_xlfn.ANCHORARRAY(…)` for `#`, `[#This Row]` for `@` in tables.
   */
  readonly file?: FileNames;
  /** Prints relative rows as offsets between marks, for `printByRow`. */
  readonly rowMarks?: boolean;
}

export interface Printer {
  readonly grammar: Grammar;
  readonly place: FormulaCell;
  readonly names: PrintNames;
  readonly file: FileNames | null;
  /** See `PrintOptions.rowMarks`. */
  readonly rowMarks: boolean;
  /** Upper-case parameters of the surrounding LETs and LAMBDAs; only used for files. */
  bound: ReadonlySet<string>;
  /** True if a union needs brackets here because its mark would separate arguments. */
  bracketUnions: boolean;
  /** True directly within brackets. There the argument separator joins references. */
  grouped: boolean;
}

export const REF = '#REF!';

/** Encloses the offset of a row mark, see `PrintOptions.rowMarks`. */
export const ROW_MARK = '\u0000';
