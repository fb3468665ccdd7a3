import type { Block, Move } from '@cellwire/engine';
import type { SheetEntry } from '../sheet-entry.ts';

/** What is to be taken back, and where. Plain data. */
export interface UndoQuestion {
  readonly revision: number;
  /** Whether it is taken back already. */
  readonly isUndone: boolean;
  /** Whether what others have written since may be lost. */
  readonly force: boolean;
  readonly latest: LatestSheets;
}

/** How a revision is taken back in a state. Plain data. */
export interface UndoPlan {
  /** The sheets that it changes by themselves. */
  readonly sheets: readonly number[];
  /** Whether it makes, deletes, renames or moves sheets. */
  readonly changesSheets: boolean;
  /** The only block of cells that it writes; null: there are several, or none. */
  readonly onlyBlock: Block | null;
  readonly conflicts: Conflicts;
  /** Null: something is in the way, nothing leads to its states any more, or that takes too long. */
  readonly back: UndoSteps | null;
}

/** What takes a revision back. */
export interface UndoSteps {
  readonly moves: readonly Move[];
  /** An inverse that is performed when these have been made; null: there is nothing but moves. */
  readonly content: Uint8Array | null;
  /** The cells that it writes, and some more where these are too many to be told: see `packBlocks`. */
  readonly blocks: Int32Array;
}

/** The sheets of the state in which a revision is to be taken back. Plain data. */
export interface LatestSheets {
  readonly revision: number;
  readonly sheets: readonly SheetEntry[];
}

/** A block with the name of its sheet, which may be gone. Plain data. */
export interface NamedBlock extends Block {
  readonly sheetName: string;
}

/** What stands in the way of taking a revision back. Plain data. */
export interface Conflicts {
  /** Cells and sheets that later commits have changed, `MAX_CONFLICTS` at most. */
  readonly changed: readonly NamedBlock[];
  /** Names and tables that later commits have defined, which need not be of cells. */
  readonly redefined: readonly string[];
  /** Where moves cannot say how cells come back: the cells that they would be. */
  readonly unreachable: readonly NamedBlock[];
}

/** How a commit is taken back in a state. */
export interface Way {
  /** What puts the cells that it moved back into their places. */
  readonly moves: readonly Move[];
  /** How the cells of the state before the commit come to where they are then, and those of the state after it, too. */
  readonly before: readonly Move[];
  readonly after: readonly Move[];
}

/** A way that begins at the states around a commit. */
export interface WayFromStates extends Way {
  /** What these hold although it is taken back by now, in the order in which that was done. */
  readonly held: readonly HeldCommit[];
}

/** How a commit is taken back after others. */
export interface WayBack extends WayFromStates {
  /** Whether moves do not say it: what the moved cells held is written instead. */
  readonly isByContent: boolean;
}

/** A commit that was taken back only after a later one: the states around that one still hold it. */
export interface HeldCommit {
  readonly revision: number;
  /**
   * Whether it made or removed names or tables, or rewrote formulas in their places: what others wrote there may have
   * become part of a table, or not, and what formulas of theirs say may have become something else.
   */
  readonly changesFormulas: boolean;
  /** How it is taken back in the state before the later one, and in the state after it. */
  readonly before: WayFromStates;
  readonly after: WayFromStates;
}
