import type { Block, Move } from '@cellwire/engine';
import type { SheetEntry } from '../sheet-entry.ts';

/** What to undo, and in which state. Plain data. */
export interface UndoPlanRequest {
  readonly revision: number;
  /** Whether it is undone already. */
  readonly isUndone: boolean;
  /** Whether later writes may be overwritten. */
  readonly force: boolean;
  readonly latest: LatestSheets;
}

/** How to undo a revision in a state. Plain data. */
export interface UndoPlan {
  /** The sheets that it changes apart from their cells. */
  readonly sheets: readonly number[];
  /** Whether it creates, deletes, renames or moves sheets. */
  readonly changesSheets: boolean;
  /** The only block of cells that it writes; null: there are several, or none. */
  readonly onlyBlock: Block | null;
  readonly conflicts: Conflicts;
  /** Null: there is a conflict, the data for the states is no longer retained, or the computation takes too long. */
  readonly back: UndoSteps | null;
}

/** Steps that undo a revision. */
export interface UndoSteps {
  readonly moves: readonly Move[];
  /** An inverse to apply after the moves; null: there are only moves. */
  readonly content: Uint8Array | null;
  /**
   * The cells that the undo writes. If there are too many blocks, bounding blocks with some more cells; see
   * `packBlocks`.
   */
  readonly blocks: Int32Array;
}

/** The sheets of the state in which a revision is to be undone. Plain data. */
export interface LatestSheets {
  readonly revision: number;
  readonly sheets: readonly SheetEntry[];
}

/** A block with the name of its sheet, which may have been deleted. Plain data. */
export interface NamedBlock extends Block {
  readonly sheetName: string;
}

/** Conflicts with the undo of a revision. Plain data. */
export interface Conflicts {
  /** Cells and sheets that later commits have changed, at most `MAX_CONFLICTS`. */
  readonly changed: readonly NamedBlock[];
  /** Names and tables that later commits have defined; they need not belong to cells. */
  readonly redefined: readonly string[];
  /** Cells that the undo would restore but that moves cannot bring back. */
  readonly unreachable: readonly NamedBlock[];
}

/** How to undo a commit in a state. */
export interface UndoMoves {
  /** Moves that return the moved cells to their places. */
  readonly moves: readonly Move[];
  /**
   * How cells of the state before the commit get to their positions after the undo; `after`: the same for cells of the
   * state after the commit.
   */
  readonly before: readonly Move[];
  readonly after: readonly Move[];
}

/** A way that starts at the states around a commit. */
export interface UndoMovesFromStates extends UndoMoves {
  /** Commits that are undone now but are still part of these states, in the order of their undos. */
  readonly held: readonly HeldCommit[];
}

/** How to undo a commit after later ones. */
export interface UndoPath extends UndoMovesFromStates {
  /** Whether moves cannot express the undo, so that the old content of the moved cells is written instead. */
  readonly isByContent: boolean;
}

/** A commit that was undone only after a later one. The states around the later one still contain its effects. */
export interface HeldCommit {
  readonly revision: number;
  /**
   * Whether it created or removed names or tables, or rewrote unmoved formulas. Later writes there may then belong to a
   * table or not, and their formulas may have a different meaning.
   */
  readonly changesFormulas: boolean;
  /** How to undo it in the state before the later commit; `after`: the same in the state after it. */
  readonly before: UndoMovesFromStates;
  readonly after: UndoMovesFromStates;
}
