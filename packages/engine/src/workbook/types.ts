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
 * A value with an explicit type, which does not depend on the mode: a text that is stored unchanged (an empty one
 * clears the cell), a number, a boolean, a date or time in plain form or as a serial number (the cell gets a matching
 * format), a formula in the API's grammar with `=`, or an error code. A cell that already shows this value does not
 * change, even if it contains a formula or a more precise value.
 */
export interface TypedInput {
  readonly as: 'text' | 'number' | 'boolean' | 'date' | 'time' | 'duration' | 'formula' | 'error';
  readonly value: string | number | boolean;
}

/**
 * How texts are entered. `user`: formulas, numbers and dates are recognised as in a spreadsheet program. `raw`: strings
 * are stored unchanged.
 */
export type InputMode = 'user' | 'raw';

/**
 * How strings are read. `locale`: the locale in which they were typed; only in `user` mode. Absent: the API's grammar.
 */
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
  /** Writes plain values into cells. A text is stored unchanged, like a string in `raw` mode. */
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
  /** Changes the size of whole lines from `first` to `last`; see `setLineSize`. */
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
  /** Copies the sizes, number formats and styles of line `from` and of its cells to other lines. */
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
  /** Merges each area into one range, which replaces the merged ranges that it intersects. Values do not change. */
  | { readonly kind: 'mergeCells'; readonly sheet: number; readonly areas: readonly Area[] }
  /** Unmerges the merged ranges that intersect the area. */
  | { readonly kind: 'unmergeCells'; readonly sheet: number; readonly area: Area }
  /**
   * Gives cells other styles and, with `code`, another number format. `styles`: pairs of an old and a new style. A cell
   * whose style is not in the list keeps it.
   */
  | {
      readonly kind: 'styleCells';
      readonly sheet: number;
      readonly area: Area;
      readonly styles: readonly (readonly [from: string, to: string])[];
      readonly code?: string;
    }
  /**
   * Replaces attachments of one kind by new ones. Attachments are replaced if their first text is `key` and they are
   * inside the area `within`; null selects all texts or the whole sheet. With `splits`, an attachment that is partly
   * inside the area loses only the cells inside it. `locale`: the locale of the new formulas; see `InputSyntax`.
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
  /** Changes the locale or the time zone of the document. Values do not change. */
  | { readonly kind: 'changeSettings'; readonly locale?: LocaleId; readonly timeZone?: string }
  /**
   * Adds a sheet. Without a name it gets the default name of the document's locale. `standsFor`: its formulas are
   * calculated as if they were on that sheet. This previews results in a batch that is not kept.
   */
  | { readonly kind: 'addSheet'; readonly name?: string; readonly standsFor?: number }
  | { readonly kind: 'renameSheet'; readonly sheet: number; readonly name: string }
  | { readonly kind: 'deleteSheet'; readonly sheet: number }
  /** Moves cells; all references to them are updated. */
  | { readonly kind: 'moveCells'; readonly move: Move }
  /**
   * Copies an area to another position of its top left cell. The sender becomes the writer of the copied formulas;
   * blank cells clear their targets.
   */
  | {
      readonly kind: 'copy';
      readonly sheet: number;
      readonly area: Area;
      readonly toSheet: number;
      readonly row: number;
      readonly column: number;
    }
  /**
   * Fills the area `to` with copies of `area`. The pattern repeats in all directions, starting from the position of
   * `area`.
   */
  | { readonly kind: 'fill'; readonly sheet: number; readonly area: Area; readonly to: Area }
  /**
   * Sorts rows of the area by columns of the sheet. Formulas are adjusted as if they were copied, and keep their
   * writers.
   */
  | {
      readonly kind: 'sort';
      readonly sheet: number;
      readonly area: Area;
      readonly by: readonly SortKey[];
      /** Ranges of rows to sort, in order and without overlap; other rows keep their positions. Absent for all rows. */
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
      /**
       * The locale in which numbers and formulas are printed for the search and results are parsed; see `InputSyntax`.
       */
      readonly locale?: LocaleId | null;
    }
  | {
      readonly kind: 'removeDuplicates';
      readonly sheet: number;
      readonly area: Area;
      /** Columns of the sheet, zero-based. */
      readonly columns: readonly number[];
    }
  /** Adds a copy of a sheet at the end, with the next id. */
  | { readonly kind: 'duplicateSheet'; readonly sheet: number; readonly name: string }
  /** Moves a sheet. `order`: the new zero-based position. */
  | { readonly kind: 'moveSheet'; readonly sheet: number; readonly order: number }
  /** Sets the colour of a sheet's tab: `#rrggbb`, or null for none. */
  | { readonly kind: 'colorSheet'; readonly sheet: number; readonly color: string | null }
  /**
   * Defines or redefines a name of the whole document, or of the sheet with the id `scope`. `refersTo`: a formula with
   * `=`; see `InputSyntax`.
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
   * Renames a name in its definition and in all formulas that use it. Refused if the new name exists in any scope,
   * because a formula could then refer to another name.
   */
  | { readonly kind: 'renameName'; readonly name: string; readonly scope?: number; readonly newName: string }
  /** Creates a table, or changes its area. The area's first row is the header. */
  | { readonly kind: 'setTable'; readonly name: string; readonly sheet: number; readonly area: Area }
  /** Removes a table. References to it become plain references. */
  | { readonly kind: 'deleteTable'; readonly name: string }
  | { readonly kind: 'hideSheet'; readonly sheet: number; readonly hidden: boolean }
  /**
   * Calculates volatile formulas. With `everything`, also all other formulas. With `readersOf` (after the rights to
   * these sheets changed), also formulas of users other than the owner that read one of these sheets. Changes nothing
   * else.
   */
  | { readonly kind: 'recalculate'; readonly everything?: boolean; readonly readersOf?: readonly number[] }
  /**
   * Undoes an earlier batch; see `Inverse` in `codec`. Skips cells and entries that were removed or changed later; the
   * caller must decide beforehand whether that is acceptable. Formulas keep their writers. Refused if it would change
   * one of the `locked` sheets.
   */
  | {
      readonly kind: 'takeBack';
      readonly inverse: Uint8Array;
      readonly locked: readonly number[];
      /** Row orders that the edit restores, which are added to the outcome; absent for none. */
      readonly orders?: readonly OrderedRows[];
      /** See `EditOutcome`. */
      readonly isReorder?: true;
      /**
       * The revision whose state the edit restores, which is added to the outcome. Absent unless the edit undoes a
       * restore.
       */
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
      /** The revision of the state, which is added to the outcome. */
      readonly revision?: number;
    };

/**
 * An attachment whose formulas are texts with `=`, relative to the first row and column of its areas; absent for none.
 */
export interface NewAttachment extends Pick<Attachment, 'areas' | 'texts'> {
  readonly formulas?: readonly string[];
}

/** A column of the sheet by which rows are sorted. */
export interface SortKey {
  readonly column: number;
  readonly descending: boolean;
}

/** An edit that restores an earlier state. */
export type ReturnEdit = Extract<Edit, { readonly kind: 'takeBack' | 'restore' }>;

/** All inputs of a calculation besides the document. */
export interface ApplyContext extends TextLimits {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** Seed of RAND and similar functions. The same seed gives the same random numbers. */
  readonly seed: number;
  readonly budget: Budget;
  /**
   * The user who sends the batch, who becomes the writer of the formulas that it enters. The batch is refused if it
   * makes any formula read a sheet that is hidden from this user and that the formula did not read before. Absent or
   * null for the document's owner.
   */
  readonly writer?: number | null;
  /** Which users may see which sheets. Absent if all users see all sheets. */
  readonly rights?: Rights;
}

/** Limits for entered texts. */
export interface TextLimits {
  /** Maximum characters of a text, 50,000 by default. */
  readonly maxTextLength?: number;
  /** Maximum characters of a formula, 8,192 by default. */
  readonly maxFormulaLength?: number;
}

/**
 * The reason why a batch was refused. Nothing was changed. `edit`: zero-based index of the refused edit, if there is
 * one.
 */
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
  /** The rows do not fit below the last filled row. */
  | { readonly kind: 'refusal'; readonly reason: 'sheetFull' }
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

/** The result of one edit, for the API's response. */
export interface EditOutcome {
  readonly sheet: number;
  /** The area to which the edit applies; null if it does not apply to a range of cells. */
  readonly area: Area | null;
  /** The number of written or cleared cells. */
  readonly cells: number;
  /** Rows that were reordered without changing references; absent for none. */
  readonly orders?: readonly OrderedRows[];
  /** True if all `cells` were only moved by `orders`. */
  readonly isReorder?: true;
  /** The revision whose state was restored as a whole. Absent if there is none, or if the sender did not specify it. */
  readonly restored?: number;
}

/** A row order, and the number of moves of the batch that precede it. */
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
