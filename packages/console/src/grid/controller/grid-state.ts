import type { Area } from '@cellwire/engine';
import type { CopiedTable } from '../clipboard-formats/copied-table.ts';
import type { Draft } from '../formula/draft.ts';
import type { Selection } from '../selection/selection.ts';
import type { Filter } from '../session/filter.ts';
import type { LateEdit } from '../session/session-state.ts';

/** What the shown cells of a selection hold. */
export interface Statistics {
  readonly filled: number;
  /** Without dates and times. */
  readonly numbers: number;
  /** Absent: there are no numbers. */
  readonly sum?: number;
  readonly least?: number;
  readonly greatest?: number;
  /** As people see them. Absent: there are none, or other numbers beside them. */
  readonly dates?: { readonly least: string; readonly greatest: string };
  readonly times?: {
    readonly sum: string;
    readonly average: string;
    readonly least: string;
    readonly greatest: string;
  };
  /** Different values; absent: not counted (yet). */
  readonly distinct?: number;
}

/** An array of results on the sheet, and the formula that gives it. */
export interface Spill {
  readonly sheet: string;
  /** The formula's cell is the first one. */
  readonly area: Area;
  readonly formula: string;
}

/** Something long that a person waits for and may cancel. */
export interface LongTask {
  readonly kind: 'copy' | 'paste';
  /** Cells. */
  readonly done: number;
  readonly total: number;
  readonly cancel: () => void;
}

/** An edit and what someone else wrote in its place. */
export interface EditConflict {
  readonly edit: LateEdit;
  /** What the cell shows now; null: not known, or an edit of more cells. */
  readonly theirs: string | null;
  readonly decide: (isMine: boolean) => void;
}

export interface GridState {
  readonly sheet: string;
  readonly selection: Selection;
  /** Areas that were selected before it and still are (Ctrl and a click, Shift+F8). */
  readonly otherAreas: readonly Area[];
  /** Whether moves add to what is selected. */
  readonly isAddingAreas: boolean;
  /** The column in which the person began to press Tab, and to which Enter returns; null: no Tab was the last key. */
  readonly tabColumn: number | null;
  readonly draft: Draft | null;
  /** Null: not counted (yet). */
  readonly statistics: Statistics | null;
  /** What copy or cut took, with its text: pasting that text here copies formulas and formats, too. */
  readonly copied: {
    readonly sheet: string;
    /** The part of the sheet around all that was taken. */
    readonly area: Area;
    readonly isCut: boolean;
    readonly text: string;
    readonly table: CopiedTable;
  } | null;
  /** The array of results that the active cell belongs to; null: none, or not known (yet). */
  readonly spill: Spill | null;
  /** Something long that is under way; null: nothing. */
  readonly task: LongTask | null;
  /** Rows that are about to be sorted, while somebody is asked; null: none. */
  readonly sortPreview: Area | null;
  /** The filter of the sheet that is shown; null: it has none. */
  readonly filter: Filter | null;
  /** The last revision that has the selected cells, if they are gone; null: they are there. */
  readonly lastRevision: number | null;
  /** Edits that waited while someone else changed their cells, until the person decides, the oldest first. */
  readonly editConflicts: readonly EditConflict[];
}
