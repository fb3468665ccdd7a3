import type { Area } from '@cellwire/engine';
import type { CopiedTable } from '../clipboard-formats/copied-table.ts';
import type { CellDraft } from '../formula/draft.ts';
import type { Selection } from '../selection/selection.ts';
import type { GridFilter } from '../session/filter.ts';
import type { ConflictChoice } from '../session/session-state.ts';

/** Statistics of the visible cells of a selection. */
export interface Statistics {
  readonly filled: number;
  /** Number of numeric cells, without dates and times. */
  readonly numbers: number;
  /** Sum of the numbers; absent if there are no numbers. */
  readonly sum?: number;
  readonly least?: number;
  readonly greatest?: number;
  /** Display texts. Absent if there are no dates, or also other numbers. */
  readonly dates?: { readonly least: string; readonly greatest: string };
  readonly times?: {
    readonly sum: string;
    readonly average: string;
    readonly least: string;
    readonly greatest: string;
  };
  /** Number of different values; absent while not counted. */
  readonly distinct?: number;
}

/** An array of results and its formula. */
export interface SpilledResult {
  readonly sheet: string;
  /** Area of the results. The formula is in the first cell. */
  readonly area: Area;
  readonly formula: string;
}

/** A long task that can be cancelled. */
export interface LongTask {
  /** `readClipboard` is the first part of a paste. */
  readonly kind: 'copy' | 'paste' | 'readClipboard';
  /** Number of finished cells; of read characters while the clipboard is read. */
  readonly done: number;
  readonly total: number;
  readonly cancel: () => void;
}

/** A cell of an edit that someone else changed. */
export interface ConflictingCell {
  /** Range text of the cell with the sheet's name; it follows moves of the cell. */
  readonly range: string;
  /** Current text of the cell; null if unknown. */
  readonly theirs: string | null;
  /** The text that the cell gets from the edit; null if unknown. */
  readonly mine: string | null;
}

/** An edit and what someone else, or this person on another page, wrote into its cells. */
export interface EditConflict {
  /** The first conflicting cells. Empty if they are unknown. */
  readonly cells: readonly ConflictingCell[];
  /** Number of all cells that someone else changed, as far as known. */
  readonly count: number;
  /** See `LateEdit`. */
  readonly isByMe: boolean;
  readonly decide: (choice: ConflictChoice) => void;
}

export interface GridState {
  readonly sheet: string;
  readonly selection: Selection;
  /** Areas selected in addition (Ctrl+click, Shift+F8). */
  readonly otherAreas: readonly Area[];
  /** True if the next selection is added. */
  readonly isAddingAreas: boolean;
  /** Column in which a series of Tab keys started; Enter returns to it. Null if the last key was not Tab. */
  readonly tabColumn: number | null;
  readonly draft: CellDraft | null;
  /** Statistics of the selection; null until they are counted. */
  readonly statistics: Statistics | null;
  /** The copied or cut cells and their text. Pasting that text copies formulas and formats, too. */
  readonly copied: {
    readonly sheet: string;
    /** The range around all copied cells. */
    readonly area: Area;
    readonly isCut: boolean;
    readonly text: string;
    readonly table: CopiedTable;
    /** Last revision that contains the cells, if they were deleted or separated; null if they exist. */
    readonly lastRevision: number | null;
    /** True if the sheet was deleted and another sheet has its name now. */
    readonly isSheetReplaced: boolean;
  } | null;
  /** The array of results around the active cell; null if none or unknown. */
  readonly spill: SpilledResult | null;
  /** The long task that is running; null if none. */
  readonly task: LongTask | null;
  /** The area that the dragged fill handle would fill, with the selection; null if it is not dragged. */
  readonly fillTarget: Area | null;
  /** Rows to sort while the dialog is open; null if none. */
  readonly sortPreview: Area | null;
  /** Filter of the current sheet; null if none. */
  readonly filter: GridFilter | null;
  /** Last revision that contains the selected cells, if they were deleted; null if they exist. */
  readonly lastRevision: number | null;
  /** Why the content of the selected cell cannot be edited; typed text is refused until the person selects a cell. */
  readonly inputProblem: string | null;
  /**
   * Name of the sheet in place of which the current one is shown, because someone else deleted it. Nothing is written
   * until the person selects a cell or a sheet. Null if none.
   */
  readonly replacedSheet: string | null;
  /** Edits whose cells someone else changed, oldest first, until the person decides. */
  readonly editConflicts: readonly EditConflict[];
}

/** State without a second selected area. */
export const NOTHING_ELSE_SELECTED: Pick<
  GridState,
  'otherAreas' | 'isAddingAreas' | 'tabColumn' | 'statistics' | 'fillTarget' | 'lastRevision' | 'inputProblem'
> = {
  otherAreas: [],
  isAddingAreas: false,
  tabColumn: null,
  statistics: null,
  fillTarget: null,
  lastRevision: null,
  inputProblem: null,
};
