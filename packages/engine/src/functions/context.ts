import type { DateSystem } from '../locale/date-system.ts';
import type { FormatHint } from '../locale/format-class.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Lambda, Matrix, Reference, SheetArea, Value } from './value.ts';

/**
 * Follows number formats along with the values of a formula, so that its result shows as the cell, element or branch
 * does that gave it. Formats are ids of the document's table, 0 is General. Following them changes no value.
 */
export interface FormatTrace {
  /** The format of the scalar given last: whoever gives a number sets it. References and arrays have their own. */
  last: number;
  /** Formats of the scalars that the running function was given. To be read before it calls anything. */
  given: readonly number[];
  /** The format that a hint stands for. */
  own(hint: FormatHint): number;
  /** The format of a range that is added up: that of its first cell, or of the second under a heading. */
  ofReference(reference: Reference): number;
  /** The format of the first cell of a range that holds a number; -1 where none does. */
  ofNumber(reference: Reference, value: number): number;
  /** What an arithmetic operator makes of its operands' formats. */
  combined(op: '+' | '-' | '*' | '/', left: number, right: number): number;
}

/** What a function may ask of the calculation around it. */
export interface FunctionContext {
  /** Follows the formats of values; null where the result takes on none. */
  readonly formats: FormatTrace | null;
  /** The formula's own cell (zero-based) and sheet id. */
  readonly row: number;
  readonly column: number;
  readonly sheet: number;
  /** Serial of the moment of the calculation in the document's time zone and date system. */
  readonly now: number;
  readonly dateSystem: DateSystem;
  readonly locale: LocaleId;
  /** The next number of the calculation's seeded sequence, 0 ≤ x < 1. */
  random(): number;
  /** Reads a reference: one area, cut to the sheet's used extent (at least 1 × 1). Several areas: `#VALUE!` cells. */
  read(reference: Reference): Matrix;
  /** The value of one cell. */
  cell(sheet: number, row: number, column: number): Scalar;
  /** Visits the cells that hold something, area by area, column by column. Far cheaper than `read` for aggregates. */
  scan(reference: Reference, visit: (value: Scalar, row: number, column: number, sheet: number) => void): void;
  /** Numbers of a reference added up, with their count; the first error met, if any. Kept between recalculations. */
  total(reference: Reference): { readonly sum: number; readonly count: number; readonly error: Scalar };
  /**
   * The rows that hold a value in the column of an area one column wide, ascending, also above and below the area;
   * texts by their letters whatever the case, and with `numbersInTexts` a number's rows with those of texts that read as
   * it. Null where there is no index to tell.
   */
  rowsEqual(area: SheetArea, value: number | string | boolean, numbersInTexts: boolean): readonly number[] | null;
  /** Calls a LAMBDA; counts against the budget. `formats`: those of the scalars among the arguments. */
  call(lambda: Lambda, args: readonly (Value | undefined)[], formats?: readonly number[] | null): Value;
  /** Counts work of a function that is large for its arguments; ends the calculation when the budget is used up. */
  spend(cells: number): void;
  /**
   * Counts the elements of an array that is about to be made, and asks for its memory: ends the calculation when either
   * budget is used up. A single allocation beyond a thread's heap would end the whole process.
   */
  allocate(elements: number): void;
  /** Asks for the memory of an array of so many elements without counting them. Infinity ends the calculation. */
  reserve(elements: number): void;
  /**
   * Tells of work on the way, in cells that would take as long: ends the calculation when its time is up. For loops
   * whose cells are counted already, or that make none.
   */
  pass(work: number): void;
  /** The sheet's used extent: rows and columns up to the last that hold something. */
  extent(sheet: number): { readonly rows: number; readonly columns: number };
  /** Names and places of the workbook, for SHEET, SHEETS, CELL, FORMULATEXT and INDIRECT. */
  readonly workbook: WorkbookInfo;
}

/** Whom long loops tell of their work, so that the budget's clock is looked at on the way. */
export type Timed = Pick<FunctionContext, 'pass'>;

/** Whom makers of large arrays ask, too. */
export type Allocating = Pick<FunctionContext, 'pass' | 'reserve'>;

export interface WorkbookInfo {
  readonly sheetCount: number;
  /** Zero-based position of a sheet id, -1 where it is no sheet. */
  sheetPosition(sheet: number): number;
  sheetName(sheet: number): string;
  /** The id of a sheet by name, case-insensitively; -1 where there is none. */
  sheetByName(name: string): number;
  /** A formula's text as people of the document's locale write it, or null for a cell without one. */
  formulaText(sheet: number, row: number, column: number): string | null;
  /** Parses a reference text (A1 or R1C1 style), a defined name or a structured reference: INDIRECT's work. */
  resolve(text: string, a1: boolean): Value;
  /** The number format code of a cell. */
  formatCode(sheet: number, row: number, column: number): string;
  /** Whether the row is hidden by a filter: SUBTOTAL and AGGREGATE always leave it out. */
  rowFiltered(sheet: number, row: number): boolean;
  /** Whether the row is hidden, be it by the user (SUBTOTAL 101 and up). */
  rowHidden(sheet: number, row: number): boolean;
  /** Whether the cell's formula is a SUBTOTAL or AGGREGATE call, which others of their kind leave out. */
  isSubtotal(sheet: number, row: number, column: number): boolean;
  /** The area that the array formula of a cell was entered into; null for every other formula. */
  arrayOf(sheet: number, row: number, column: number): SheetArea | null;
  /** The spilled area of an anchor, or null. */
  spillOf(sheet: number, row: number, column: number): SheetArea | null;
}
