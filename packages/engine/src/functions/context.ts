import type { DateSystem } from '../locale/date-system.ts';
import type { FormatHint } from '../locale/format-class.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { NumberStatistics } from '../sheet/number-statistics.ts';
import type { CellError } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { OrderedNumbers } from './selection/ordered-numbers.ts';
import type { Lambda, Matrix, Reference, SheetArea, Value } from './value.ts';

/**
 * Tracks number formats together with the values of a formula, so that its result has the format of the cell, element
 * or branch from which the value came. Formats are ids of the document's table; 0 is General. Tracking changes no
 * value.
 */
export interface FormatTrace {
  /**
   * The format of the last scalar result; every function that returns a number sets it. References and arrays have
   * formats of their own.
   */
  last: number;
  /** Formats of the scalar arguments of the running function. Read them before you call another function. */
  argumentFormats: readonly number[];
  /** Returns the id of the format that a kind of result (date, percent, …) gives a General cell. */
  getHintFormat(hint: FormatHint): number;
  /**
   * The format for the sum of a range: the format of its first cell, or of its second cell if the first is a heading.
   */
  findReferenceFormat(reference: Reference): number;
  /** The format of the first cell of a range that contains a number; -1 if there is none. */
  findNumberFormat(reference: Reference, value: number): number;
  /** The format of an arithmetic operator's result. */
  combineFormats(op: '+' | '-' | '*' | '/', left: number, right: number): number;
}

/** The services of the calculation for functions. */
export interface FunctionContext {
  /** Tracks the formats of values; null if the result takes no format. */
  readonly formats: FormatTrace | null;
  /** Row and column (zero-based) and sheet id of the formula's own cell. */
  readonly row: number;
  readonly column: number;
  readonly sheet: number;
  /** Serial number of the time of the calculation in the document's time zone and date system. */
  readonly now: number;
  readonly dateSystem: DateSystem;
  readonly locale: LocaleId;
  /** The next random number of the cell, 0 ≤ x < 1. */
  random(): number;
  /**
   * Reads a reference: one area, whose open sides are clipped to the used size (at least 1 × 1). Several areas give
   * `#VALUE!`.
   */
  readReference(reference: Reference): Matrix;
  /** An array with arbitrary elements, for the results of the running formula. Valid until its result is stored. */
  takeNumbers(length: number): Float64Array;
  /** An array with arbitrary elements, as `takeNumbers`. */
  takeKinds(length: number): Uint8Array;
  /** The value of one cell. */
  readCell(sheet: number, row: number, column: number): Scalar;
  /**
   * Calls `visit` with each filled cell, area by area and column by column. Much cheaper than `readReference` for aggregates.
   */
  scanReference(reference: Reference, visit: (value: Scalar, row: number, column: number, sheet: number) => void): void;
  /**
   * The sum and the count of a reference's numbers, the counts of its filled cells and empty texts, and its first error.
   * Cached between recalculations.
   */
  computeTotals(reference: Reference): {
    readonly sum: number;
    readonly count: number;
    readonly filled: number;
    readonly emptyTexts: number;
    readonly error: Scalar;
  };
  /**
   * The least and the greatest number of a reference (infinite if it has no numbers), and its first error. Cached
   * between recalculations.
   */
  computeExtremes(reference: Reference): { readonly least: number; readonly greatest: number; readonly error: Scalar };
  /** Statistics of a reference's numbers, or its first error. Those of whole chunks are cached between recalculations. */
  computeStatistics(reference: Reference): NumberStatistics | CellError;
  /**
   * The numbers of a reference in ascending order, from an index that is updated after edits. Valid until the next
   * call. Null if there is no index; then read the cells. `computeTotals` returns the first error of the reference.
   */
  getOrderedNumbers(reference: Reference): OrderedNumbers | null;
  /**
   * Returns the state that a function keeps for areas with the same columns and top rows, from one formula cell to the
   * next. It is created again after a change of these columns. `owner` distinguishes states of different functions.
   * Null if no state can be kept, because the formula may not read the areas or because they are too wide. `rows`: with
   * `moved`, areas that differ only by a common distance in rows have the same state. It is then also null if other
   * cells of the columns are not calculated yet.
   */
  getRangeState<T extends object>(owner: object, areas: readonly SheetArea[], make: () => T, rows?: 'moved'): T | null;
  /**
   * Returns the rows with a value, ascending, in the whole column of an area with one column. Ignores letter case.
   * `numbersInTexts`: also returns texts that can be read as the number. Null if there is no index.
   */
  findRowsWithValue(
    area: SheetArea,
    value: number | string | boolean,
    numbersInTexts: boolean,
  ): readonly number[] | null;
  /** Calls a LAMBDA and counts it against the budget. `formats`: the formats of scalar arguments. */
  callLambda(lambda: Lambda, args: readonly (Value | undefined)[], formats?: readonly number[] | null): Value;
  /**
   * Counts work that is not proportional to the size of the arguments. Ends the calculation if the budget is used up.
   */
  spendCells(cells: number): void;
  /**
   * Counts the elements of an array before it is allocated, and checks its memory. Ends the calculation if one of the
   * budgets is used up, because an allocation that exceeds the thread's heap would end the whole process. `isCopy`: the
   * elements are copied from cells or calculated from arrays of the same size, and count less.
   */
  spendElements(elements: number, isCopy?: boolean): void;
  /**
   * Checks the memory of an array with this number of elements without counting them. Infinity ends the calculation.
   */
  checkMemory(elements: number): void;
  /**
   * Reports the work of a loop before it starts, in units of evaluating one cell. Ends the calculation if its time is
   * up. For loops that evaluate no cells, or whose cells are counted elsewhere.
   */
  reportWork(work: number): void;
  /** The sheet's used size. */
  getExtent(sheet: number): { readonly rows: number; readonly columns: number };
  /** Names and positions in the workbook, for SHEET, SHEETS, CELL, FORMULATEXT and INDIRECT. */
  readonly workbook: WorkbookInfo;
}

/** Receives the work of long loops, so that the time limit is checked during the loop. */
export type WorkMeter = Pick<FunctionContext, 'reportWork'>;

/** Receives work as `WorkMeter` does, and the size of large arrays before they are created. */
export type AllocationMeter = Pick<FunctionContext, 'reportWork' | 'checkMemory'>;

/** Gives memory to arrays of the running formula. */
export type ArrayMeter = Pick<FunctionContext, 'reportWork' | 'takeNumbers' | 'takeKinds'>;

export interface WorkbookInfo {
  readonly sheetCount: number;
  /** Zero-based position of a sheet; -1 if there is no such sheet. */
  getSheetPosition(sheet: number): number;
  getSheetName(sheet: number): string;
  /** The id of a sheet by name in any letter case; -1 if there is none. */
  findSheetId(name: string): number;
  /** A formula's text in the document's locale; null for a cell without a formula. */
  getFormulaText(sheet: number, row: number, column: number): string | null;
  /** Resolves a reference text (A1 or R1C1 style), a defined name or a structured reference, for INDIRECT. */
  resolveText(text: string, a1: boolean): Value;
  /** The number format code of a cell. */
  getFormatCode(sheet: number, row: number, column: number): string;
  /** True if a filter hides the row. SUBTOTAL and AGGREGATE always omit it. */
  isRowFiltered(sheet: number, row: number): boolean;
  /** True if the row is hidden by a filter or by the user (SUBTOTAL 101 and more). */
  isRowHidden(sheet: number, row: number): boolean;
  /** True if rows of an area are hidden by a filter, or (`hidden`) by a filter or by the user. */
  hasHiddenRows(area: SheetArea, by: 'filtered' | 'hidden'): boolean;
  /** True if the cell's formula contains a SUBTOTAL or AGGREGATE call; these functions omit such cells. */
  isSubtotal(sheet: number, row: number, column: number): boolean;
  /** True if a formula of an area contains a SUBTOTAL or AGGREGATE call. */
  hasSubtotals(area: SheetArea): boolean;
  /** The area of a fixed array formula by its first cell; null for other cells. */
  findArrayArea(sheet: number, row: number, column: number): SheetArea | null;
  /** The area that the array formula of an anchor fills; null if it is blocked, and for other cells. */
  findSpillArea(sheet: number, row: number, column: number): SheetArea | null;
}
