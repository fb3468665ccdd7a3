import type { Budget } from '../calc/budget.ts';
import type { CellAreas } from '../calc/change-log.ts';
import type { Rights } from '../calc/rights.ts';
import type { Checkpoint } from '../codec/checkpoint.ts';
import type { Area } from '../grid/area.ts';
import type { Axis, Move } from '../grid/move.ts';
import type { RowOrder } from '../grid/row-order.ts';
import type { LocaleId } from '../locale/index.ts';
import type { ColumnCondition, SheetFilter } from '../sheet/filter.ts';
import type { DocumentSettings } from '../sheet/snapshot.ts';

export type { Budget, CellAreas, DocumentSettings, Move, Rights };

/** What one cell is told: nothing (`null`), clear (`""`), or a value. See decisions §2.1. */
export type Input = string | number | boolean | null | TypedInput;

/**
 * A value that says itself what it is, in whatever mode: a text as it stands (the empty one clears), a number, a boolean, a
 * date or time in plain form or as a serial number (the cell then shows it so), a formula in the wire grammar with `=`, an
 * error's code. A cell that shows this value already stays as it is, whatever it holds: a formula, or another precision.
 */
export interface TypedInput {
  readonly as: 'text' | 'number' | 'boolean' | 'date' | 'time' | 'duration' | 'formula' | 'error';
  readonly value: string | number | boolean;
}

/** How strings are read: `user` recognises formulas, numbers, dates as if typed; `raw` stores them as they are. */
export type InputMode = 'user' | 'raw';

/** How strings are read, and in `user` mode by whose habits: as people of a locale type; absent: by the API's grammar. */
export interface Entering {
  readonly mode: InputMode;
  readonly locale?: LocaleId | null;
}

/** The one vocabulary of change. Rows and columns are zero-based; sheets are named by id. */
export type Edit =
  | {
      readonly kind: 'setValues';
      readonly sheet: number;
      readonly row: number;
      readonly column: number;
      readonly values: readonly (readonly Input[])[];
      readonly mode: InputMode;
      /** See `Entering`. */
      readonly locale?: LocaleId | null;
    }
  /** Below the last filled row of the whole sheet. */
  | {
      readonly kind: 'append';
      readonly sheet: number;
      readonly column: number;
      readonly values: readonly (readonly Input[])[];
      readonly mode: InputMode;
      /** See `Entering`. */
      readonly locale?: LocaleId | null;
    }
  | { readonly kind: 'clear'; readonly sheet: number; readonly area: Area }
  | { readonly kind: 'setFormat'; readonly sheet: number; readonly area: Area; readonly format: string }
  /** Whole lines from `first` to `last`; see `withSize`. */
  | {
      readonly kind: 'sizeLines';
      readonly sheet: number;
      readonly axis: Axis;
      readonly first: number;
      readonly last: number;
      readonly size: number;
    }
  /** The sheet's filter; null: it has none any more. */
  | { readonly kind: 'setFilter'; readonly sheet: number; readonly filter: SheetFilter | null }
  /** What one column of the sheet's filter asks; null: nothing. Refused if it is no column of the filter. */
  | {
      readonly kind: 'filterColumn';
      readonly sheet: number;
      readonly column: number;
      readonly condition: ColumnCondition | null;
    }
  /**
   * Without a name the document's locale gives the default one. `standsFor`: only to see what formulas come to, in a
   * batch that is not kept; they are calculated as if they stood at their places on that sheet.
   */
  | { readonly kind: 'addSheet'; readonly name?: string; readonly standsFor?: number }
  | { readonly kind: 'renameSheet'; readonly sheet: number; readonly name: string }
  | { readonly kind: 'deleteSheet'; readonly sheet: number }
  /** Cells change places, and all that refers to them follows. */
  | { readonly kind: 'moveCells'; readonly move: Move }
  /** To where the top left cell is to be, formulas as if entered by the sender; blanks clear. */
  | {
      readonly kind: 'copy';
      readonly sheet: number;
      readonly area: Area;
      readonly toSheet: number;
      readonly row: number;
      readonly column: number;
    }
  /** Repeats an area over another one, from its own place on in either direction. */
  | { readonly kind: 'fill'; readonly sheet: number; readonly area: Area; readonly to: Area }
  /** Rows of the area by keys in its columns; formulas move as if copied and keep their writers. */
  | { readonly kind: 'sort'; readonly sheet: number; readonly area: Area; readonly by: readonly SortKey[] }
  | {
      readonly kind: 'replace';
      readonly sheet: number;
      readonly area: Area;
      readonly find: string;
      readonly with: string;
      readonly matchCase: boolean;
      readonly entireCell: boolean;
      /** Also in the texts of formulas. */
      readonly formulas: boolean;
      /** By whose habits numbers and formulas are looked through, and what comes of them is read; see `Entering`. */
      readonly locale?: LocaleId | null;
    }
  | {
      readonly kind: 'removeDuplicates';
      readonly sheet: number;
      readonly area: Area;
      /** Of the sheet. */
      readonly columns: readonly number[];
    }
  /** The copy is the last sheet, and has the next id. */
  | { readonly kind: 'duplicateSheet'; readonly sheet: number; readonly name: string }
  /** `order`: its place afterwards, from 0. */
  | { readonly kind: 'moveSheet'; readonly sheet: number; readonly order: number }
  /** `#rrggbb` or null. */
  | { readonly kind: 'colorSheet'; readonly sheet: number; readonly color: string | null }
  /**
   * A name, new or in the place of what it meant: of the whole document, or of the sheet with the id `scope`.
   * `refersTo`: a formula with `=`, see `Entering`.
   */
  | {
      readonly kind: 'setName';
      readonly name: string;
      readonly scope?: number;
      readonly refersTo: string;
      readonly locale?: LocaleId | null;
    }
  | { readonly kind: 'deleteName'; readonly name: string; readonly scope?: number }
  /** The area's first row is the header. */
  | { readonly kind: 'setTable'; readonly name: string; readonly sheet: number; readonly area: Area }
  /** References to it become plain ones. */
  | { readonly kind: 'deleteTable'; readonly name: string }
  | { readonly kind: 'hideSheet'; readonly sheet: number; readonly hidden: boolean }
  /**
   * Calculates volatile functions anew, with them every formula, or those by others than the owner that read one of
   * `readersOf` (the rights to see these sheets are changed); changes nothing else.
   */
  | { readonly kind: 'recalculate'; readonly everything?: boolean; readonly readersOf?: readonly number[] }
  /**
   * Takes an earlier batch back, see `Inverse` in `codec`. What is there no more, or is something else by now than the
   * batch made of it, is passed over: whether others' work is lost is the caller's to ask before. Formulas keep their
   * writers. Refused where it would change one of the `locked` sheets.
   */
  | {
      readonly kind: 'takeBack';
      readonly inverse: Uint8Array;
      readonly locked: readonly number[];
      /** Row orders that this brings back, for the outcome; absent: none. */
      readonly orders?: readonly OrderedRows[];
      /** The revision whose state this brings back, for the outcome; absent: it is no undo of a restore. */
      readonly restored?: number;
    }
  /** Brings back what everything was in an earlier state of the document; alone in its batch. Refused where it changes a sheet of `locked` or `unseen`. */
  | {
      readonly kind: 'restore';
      readonly state: Checkpoint;
      readonly locked: readonly number[];
      /** Sheets whose values are hidden from the sender. */
      readonly unseen?: readonly number[];
      /** The revision of the state, for the outcome. */
      readonly revision?: number;
    };

/** A column of the sheet to sort by. */
export interface SortKey {
  readonly column: number;
  readonly descending: boolean;
}

/** An edit that brings back what was. */
export type ReturnEdit = Extract<Edit, { readonly kind: 'takeBack' | 'restore' }>;

/** The world around one batch: everything that a calculation must not take from elsewhere. */
export interface ApplyContext extends TextLimits {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** Seed of RAND and its kind: the same seed gives the same numbers. */
  readonly seed: number;
  readonly budget: Budget;
  /**
   * Who sends the batch: the formulas that it enters are theirs, and it is refused where it makes any formula newly read
   * a sheet that they may not see. Absent or null for the document's owner.
   */
  readonly writer?: number | null;
  /** Who sees which sheets; absent: everybody all of them. */
  readonly rights?: Rights;
}

/** How long what somebody enters may be. */
export interface TextLimits {
  /** Characters of a text, 50,000 by default. */
  readonly maxTextLength?: number;
  /** Characters of a formula, 8,192 by default. */
  readonly maxFormulaLength?: number;
}

/** Why a batch was refused; nothing was changed. `edit`: the one that it is about, from 0, where it is about one. */
export type Refusal = Reason & { readonly edit?: number };

type Reason =
  | { readonly kind: 'refusal'; readonly reason: 'sheetNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'sheetNameTaken' }
  | { readonly kind: 'refusal'; readonly reason: 'invalidSheetName'; readonly message: string }
  | { readonly kind: 'refusal'; readonly reason: 'lastSheet' }
  | { readonly kind: 'refusal'; readonly reason: 'nameNotFound' | 'tableNotFound' }
  /** What a name is called, what it refers to, or where a table is to be; `message` is a sentence. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'invalidName' | 'invalidFormula' | 'invalidTable';
      readonly message: string;
    }
  | { readonly kind: 'refusal'; readonly reason: 'sheetLocked' | 'notFiltered' }
  | { readonly kind: 'refusal'; readonly reason: 'outsideGrid' }
  | { readonly kind: 'refusal'; readonly reason: 'textTooLong'; readonly limit: number }
  | { readonly kind: 'refusal'; readonly reason: 'formulaTooLong'; readonly limit: number }
  /** `limit`: levels that a formula may be nested. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'formulaTooDeep';
      readonly limit: number;
      /** The name of the sheet. */
      readonly sheet: string;
      readonly row: number;
      readonly column: number;
    }
  /** The document would have more of something than it may. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'tooMany';
      readonly what: 'sheets' | 'names' | 'tables';
      readonly limit: number;
    }
  | { readonly kind: 'refusal'; readonly reason: 'hiddenSheetRead' }
  | { readonly kind: 'refusal'; readonly reason: 'calculationLimit' };

/** What one edit of a batch did: the answer's figures come from here. */
export interface EditOutcome {
  readonly sheet: number;
  /** The bounding shape that was addressed; null where no cells are involved. */
  readonly area: Area | null;
  /** Cells really written or cleared. */
  readonly cells: number;
  /** Rows that changed places without references to them; absent: none did. */
  readonly orders?: readonly OrderedRows[];
  /** The revision whose state the edit brought back as a whole; absent: none, or its sender did not say. */
  readonly restored?: number;
}

/** A row order, and how many moves of the batch were made before it. */
export interface OrderedRows {
  readonly after: number;
  readonly rows: RowOrder;
}

/** A formula that cannot be right, and what to do about it. */
export interface FormulaWarning {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly message: string;
}
