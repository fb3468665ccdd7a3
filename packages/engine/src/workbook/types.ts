import type { Budget } from '../calc/budget.ts';
import type { CellAreas } from '../calc/change-log.ts';
import type { Rights } from '../calc/rights.ts';
import type { Checkpoint } from '../codec/checkpoint.ts';
import type { Area } from '../grid/area.ts';
import type { Axis, Move } from '../grid/move.ts';
import type { RowOrder } from '../grid/row-order.ts';
import type { LocaleId } from '../locale/index.ts';
import type { Attachment } from '../sheet/attachment.ts';
import type { ColumnCondition, SheetFilter } from '../sheet/filter.ts';
import type { PlainColumn } from '../sheet/plain-column.ts';
import type { DocumentSettings } from '../sheet/snapshot.ts';

export type { Budget, CellAreas, DocumentSettings, Move, Rights };

/** The input for one cell: nothing (`null`), clear (`""`), or a value. */
export type Input = string | number | boolean | null | TypedInput;

/**
 * A value with an explicit type, independent of the mode: a text as it is (empty clears), a number, a boolean, a date
 * or time in plain form or as a serial number (the cell gets a format for it), a formula in the API's grammar with `=`,
 * or an error code. A cell that already shows this value does not change, even if it contains a formula or a more
 * precise value.
 */
export interface TypedInput {
  readonly as: 'text' | 'number' | 'boolean' | 'date' | 'time' | 'duration' | 'formula' | 'error';
  readonly value: string | number | boolean;
}

/** How texts are entered: `user` recognises formulas, numbers and dates as if typed; `raw` stores strings unchanged. */
export type InputMode = 'user' | 'raw';

/** How strings are read. `locale`: the locale in which they were typed, in `user` mode. Absent: the API's grammar. */
export interface InputSyntax {
  readonly mode: InputMode;
  readonly locale?: LocaleId | null;
}

/** All changes of a document. Rows and columns are zero-based; sheets are identified by id. */
export type Edit =
  | {
      readonly kind: 'setValues';
      readonly sheet: number;
      readonly row: number;
      readonly column: number;
      readonly values: readonly (readonly Input[])[];
      readonly mode: InputMode;
      /** See `InputSyntax`. */
      readonly locale?: LocaleId | null;
    }
  /** Puts plain values into cells. A text is put as it is, like a string in `raw` mode. */
  | { readonly kind: 'putColumns'; readonly sheet: number; readonly columns: readonly PlainColumn[] }
  /** Enters rows below the last filled row of the sheet. */
  | {
      readonly kind: 'append';
      readonly sheet: number;
      readonly column: number;
      readonly values: readonly (readonly Input[])[];
      readonly mode: InputMode;
      /** Locale of typed texts, see `InputSyntax`. */
      readonly locale?: LocaleId | null;
    }
  | { readonly kind: 'clear'; readonly sheet: number; readonly area: Area }
  | { readonly kind: 'setFormat'; readonly sheet: number; readonly area: Area; readonly format: string }
  /** Resizes whole lines from `first` to `last`; see `withSize`. */
  | {
      readonly kind: 'sizeLines';
      readonly sheet: number;
      readonly axis: Axis;
      readonly first: number;
      readonly last: number;
      readonly size: number;
    }
  /** Sets the sheet's filter; null removes it. */
  | { readonly kind: 'setFilter'; readonly sheet: number; readonly filter: SheetFilter | null }
  /**
   * Sets the condition of one column of the sheet's filter; null removes it. Refused for a column outside the filter.
   */
  | {
      readonly kind: 'filterColumn';
      readonly sheet: number;
      readonly column: number;
      readonly condition: ColumnCondition | null;
    }
  /** Hides or shows lines. Columns are hidden as bands of the layout, rows in `Sheet.hiddenRows`. */
  | {
      readonly kind: 'hideLines';
      readonly sheet: number;
      readonly axis: Axis;
      readonly first: number;
      readonly last: number;
      readonly hidden: boolean;
    }
  /** Gives lines the sizes, number formats and styles of line `from` and of its cells. */
  | {
      readonly kind: 'inheritLines';
      readonly sheet: number;
      readonly axis: Axis;
      readonly from: number;
      readonly first: number;
      readonly last: number;
    }
  /** Changes the depth of the outline group of lines by one, within 0 to `MAX_GROUP_LEVEL`. */
  | {
      readonly kind: 'groupLines';
      readonly sheet: number;
      readonly axis: Axis;
      readonly first: number;
      readonly last: number;
      readonly by: 1 | -1;
    }
  /** Merges each area into one range, which replaces the merged ranges that it intersects. Values stay. */
  | { readonly kind: 'mergeCells'; readonly sheet: number; readonly areas: readonly Area[] }
  /** Unmerges the merged ranges that intersect the area. */
  | { readonly kind: 'unmergeCells'; readonly sheet: number; readonly area: Area }
  /**
   * Gives cells other styles and, with `code`, another number format. `styles`: pairs of the style that a cell has and
   * its new style; a cell with another style keeps it.
   */
  | {
      readonly kind: 'styleCells';
      readonly sheet: number;
      readonly area: Area;
      readonly styles: readonly (readonly [from: string, to: string])[];
      readonly code?: string;
    }
  /**
   * Replaces attachments of one kind by new ones. The old ones are those with the first text `key` inside the area
   * `within`; null includes all texts or the whole sheet. With `splits`, attachments that are partly inside the area lose
   * only the cells inside it. `locale`: the locale of the new formulas, see `InputSyntax`.
   */
  | {
      readonly kind: 'attach';
      readonly sheet: number;
      readonly attachment: string;
      readonly key: string | null;
      readonly within: Area | null;
      readonly splits?: true;
      readonly attachments: readonly NewAttachment[];
      readonly locale?: LocaleId | null;
    }
  /** Replaces one entry of `Layout.carried`; null removes it. */
  | { readonly kind: 'setSheetPart'; readonly sheet: number; readonly part: string; readonly text: string | null }
  /** Changes how the document shows values and reads texts, and its time zone. Values stay. */
  | { readonly kind: 'changeSettings'; readonly locale?: LocaleId; readonly timeZone?: string }
  /**
   * Adds a sheet. Without a name it gets the default name of the document's locale. `standsFor`: calculates its
   * formulas as if they were on that sheet, to preview results in a batch that is not kept.
   */
  | { readonly kind: 'addSheet'; readonly name?: string; readonly standsFor?: number }
  | { readonly kind: 'renameSheet'; readonly sheet: number; readonly name: string }
  | { readonly kind: 'deleteSheet'; readonly sheet: number }
  /** Moves cells; all references follow. */
  | { readonly kind: 'moveCells'; readonly move: Move }
  /** Copies an area to the position of its top left cell. Formulas belong to the sender; blanks clear. */
  | {
      readonly kind: 'copy';
      readonly sheet: number;
      readonly area: Area;
      readonly toSheet: number;
      readonly row: number;
      readonly column: number;
    }
  /** Repeats an area over another one, from its own position in all directions. */
  | { readonly kind: 'fill'; readonly sheet: number; readonly area: Area; readonly to: Area }
  /** Sorts rows of the area by columns of the sheet. Formulas change as if copied and keep their writers. */
  | {
      readonly kind: 'sort';
      readonly sheet: number;
      readonly area: Area;
      readonly by: readonly SortKey[];
      /** Rows to sort; the others stay in place. In order, without overlap; absent for all rows. */
      readonly rows?: readonly (readonly [first: number, last: number])[];
    }
  | {
      readonly kind: 'replace';
      readonly sheet: number;
      readonly area: Area;
      readonly find: string;
      readonly with: string;
      readonly matchCase: boolean;
      readonly entireCell: boolean;
      /** True to search the texts of formulas too. */
      readonly formulas: boolean;
      /** The locale in which numbers and formulas are searched and results are read; see `InputSyntax`. */
      readonly locale?: LocaleId | null;
    }
  | {
      readonly kind: 'removeDuplicates';
      readonly sheet: number;
      readonly area: Area;
      /** Columns of the sheet, zero-based. */
      readonly columns: readonly number[];
    }
  /** Copies a sheet to the end, with the next id. */
  | { readonly kind: 'duplicateSheet'; readonly sheet: number; readonly name: string }
  /** Moves a sheet. `order`: the new zero-based position. */
  | { readonly kind: 'moveSheet'; readonly sheet: number; readonly order: number }
  /** Sets the colour of a sheet's tab: `#rrggbb`, or null for none. */
  | { readonly kind: 'colorSheet'; readonly sheet: number; readonly color: string | null }
  /**
   * Defines or redefines a name: of the whole document, or of the sheet with the id `scope`. `refersTo`: a formula with
   * `=`, see `InputSyntax`.
   */
  | {
      readonly kind: 'setName';
      readonly name: string;
      readonly scope?: number;
      readonly refersTo: string;
      readonly locale?: LocaleId | null;
    }
  | { readonly kind: 'deleteName'; readonly name: string; readonly scope?: number }
  /**
   * Renames a name and everything that uses it. Refused if any scope has the new name, because a formula
   * could then mean another name.
   */
  | { readonly kind: 'renameName'; readonly name: string; readonly scope?: number; readonly newName: string }
  /** Creates a table, or changes its area. The area's first row is the header. */
  | { readonly kind: 'setTable'; readonly name: string; readonly sheet: number; readonly area: Area }
  /** Removes a table. References to it become plain references. */
  | { readonly kind: 'deleteTable'; readonly name: string }
  | { readonly kind: 'hideSheet'; readonly sheet: number; readonly hidden: boolean }
  /**
   * Calculates volatile functions, and in addition every formula (`everything`), or the formulas of other users than
   * the owner that read a sheet of `readersOf` (after the rights to these sheets changed). Changes nothing else.
   */
  | { readonly kind: 'recalculate'; readonly everything?: boolean; readonly readersOf?: readonly number[] }
  /**
   * Undoes an earlier batch, see `Inverse` in `codec`. Skips what was removed or changed since; the caller decides
   * beforehand whether that is acceptable. Formulas keep their writers. Refused if it would change one of the `locked`
   * sheets.
   */
  | {
      readonly kind: 'takeBack';
      readonly inverse: Uint8Array;
      readonly locked: readonly number[];
      /** Row orders that the edit restores, for the outcome; absent for none. */
      readonly orders?: readonly OrderedRows[];
      /** The revision whose state the edit restores, for the outcome; absent unless it undoes a restore. */
      readonly restored?: number;
    }
  /**
   * Restores an earlier state of the document; the only edit of its batch. Refused if it changes a sheet of `locked` or
   * `unseen`.
   */
  | {
      readonly kind: 'restore';
      readonly state: Checkpoint;
      readonly locked: readonly number[];
      /** Sheets whose values are hidden from the sender. */
      readonly unseen?: readonly number[];
      /** The revision of the state, for the outcome. */
      readonly revision?: number;
    };

/**
 * An attachment with its formulas as texts with `=`, relative to the first row and column of its areas; absent for
 * none.
 */
export interface NewAttachment extends Pick<Attachment, 'areas' | 'texts'> {
  readonly formulas?: readonly string[];
}

/** A column of the sheet to sort by. */
export interface SortKey {
  readonly column: number;
  readonly descending: boolean;
}

/** An edit that restores an earlier state. */
export type ReturnEdit = Extract<Edit, { readonly kind: 'takeBack' | 'restore' }>;

/** Everything that a calculation depends on besides the document. */
export interface ApplyContext extends TextLimits {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** Seed of RAND and similar functions: the same seed gives the same numbers. */
  readonly seed: number;
  readonly budget: Budget;
  /**
   * The user who sends the batch. Formulas that it enters belong to them. The batch is refused if it makes any formula
   * newly read a sheet that they may not see. Absent or null for the document's owner.
   */
  readonly writer?: number | null;
  /** Which users may see which sheets; absent if all users see all sheets. */
  readonly rights?: Rights;
}

/** Limits for entered texts. */
export interface TextLimits {
  /** Maximum characters of a text, 50,000 by default. */
  readonly maxTextLength?: number;
  /** Maximum characters of a formula, 8,192 by default. */
  readonly maxFormulaLength?: number;
}

/** Why a batch was refused; nothing was changed. `edit`: zero-based index of the refused edit, if there is one. */
export type Refusal = Reason & { readonly edit?: number };

type Reason =
  | { readonly kind: 'refusal'; readonly reason: 'sheetNotFound' }
  | { readonly kind: 'refusal'; readonly reason: 'sheetNameTaken' }
  | { readonly kind: 'refusal'; readonly reason: 'invalidSheetName'; readonly message: string }
  | { readonly kind: 'refusal'; readonly reason: 'lastSheet' }
  | { readonly kind: 'refusal'; readonly reason: 'nameNotFound' | 'tableNotFound' }
  /** The name, the formula or the area is invalid; `message` is a sentence. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'invalidName' | 'invalidFormula' | 'invalidTable';
      readonly message: string;
    }
  | { readonly kind: 'refusal'; readonly reason: 'sheetLocked' | 'notFiltered' }
  | { readonly kind: 'refusal'; readonly reason: 'outsideGrid' }
  | { readonly kind: 'refusal'; readonly reason: 'textTooLong'; readonly limit: number }
  | { readonly kind: 'refusal'; readonly reason: 'formulaTooLong'; readonly limit: number }
  /** A formula is nested too deeply. `limit`: maximum levels of nesting. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'formulaTooDeep';
      readonly limit: number;
      /** The name of the sheet. */
      readonly sheet: string;
      readonly row: number;
      readonly column: number;
    }
  /** The document would exceed a limit. */
  | {
      readonly kind: 'refusal';
      readonly reason: 'tooMany';
      readonly what: 'sheets' | 'names' | 'tables';
      readonly limit: number;
    }
  | { readonly kind: 'refusal'; readonly reason: 'hiddenSheetRead' }
  | { readonly kind: 'refusal'; readonly reason: 'calculationLimit' };

/** The result of one edit, for the API's answer. */
export interface EditOutcome {
  readonly sheet: number;
  /** The addressed area; null if the edit addresses no cells. */
  readonly area: Area | null;
  /** The number of written or cleared cells. */
  readonly cells: number;
  /** Rows that were reordered without changing references; absent for none. */
  readonly orders?: readonly OrderedRows[];
  /** The revision whose state was restored as a whole; absent for none, or if the sender did not give it. */
  readonly restored?: number;
}

/** A row order, and the number of moves of the batch before it. */
export interface OrderedRows {
  readonly after: number;
  readonly rows: RowOrder;
}

/** A problem with a formula, and how to fix it. */
export interface FormulaWarning {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly message: string;
}
