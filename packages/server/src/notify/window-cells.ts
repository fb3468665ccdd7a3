import { type Block, type Move, moveBlocks } from '@cellwire/engine';
import type { StoredAreas } from '@cellwire/store/stored-forms';
import type { ChangedSheet, StoredCellRun } from '@cellwire/store/webhooks';
import { MAX_WINDOW_STRETCHES } from '../limits/notify.ts';
import { CellSet } from './cell-set.ts';

interface WindowSheetChanges {
  readonly written: CellSet;
  /** Cells that a commit wrote, and cells that it recalculated. */
  readonly all: CellSet;
  /** Lower bound of changed cells: the largest commit among the commits whose positions are not all known. */
  readonly minCount: number;
}

/** Collects the cells that a window's commits changed, by sheet, at their positions after the last commit. */
export class WindowCells {
  private readonly sheets = new Map<number, WindowSheetChanges>();
  private remainingStretches = MAX_WINDOW_STRETCHES;

  /** The set of changed cells that a stored notification lists. */
  static restoreStoredCells(sheets: readonly ChangedSheet[]): WindowCells {
    const cells = new WindowCells();
    for (const { id, count, runs } of sheets) {
      let restored = 0;
      for (const [row, left, right, derived] of runs) {
        cells.addArea({ sheet: id, area: { top: row, left, bottom: row, right } }, derived === 0);
        restored += right - left + 1;
      }
      if (restored < count) cells.raiseMinCount(id, count);
    }
    return cells;
  }

  /** Moves the cells. Cells that a move deletes are removed from the set. */
  applyMoves(moves: readonly Move[]): void {
    for (const move of moves) this.moveCells(move);
  }

  /** Adds the changes of a commit. */
  addCommitAreas({ written, derived, rest = [], moves = [] }: StoredAreas): void {
    this.applyMoves(moves);
    const cells = new Map<number, number>();
    const unknown = new Set(rest.map(([sheet]) => sheet));
    const addCount = (sheet: number, more: number) => cells.set(sheet, (cells.get(sheet) ?? 0) + more);
    for (const [areas, isWritten] of [[written, true] as const, [derived, false] as const]) {
      for (const [sheet, top, left, bottom, right] of areas) {
        addCount(sheet, (bottom - top + 1) * (right - left + 1));
        if (!this.addArea({ sheet, area: { top, left, bottom, right } }, isWritten)) unknown.add(sheet);
      }
    }
    for (const [sheet, more] of rest) addCount(sheet, more);
    for (const sheet of unknown) this.raiseMinCount(sheet, cells.get(sheet) ?? 0);
  }

  /** Adds an area. False: the maximum number of stretches is reached. */
  private addArea({ sheet, area: { top, left, bottom, right } }: Block, isWritten: boolean): boolean {
    const width = right - left + 1;
    if (width > this.remainingStretches) return false;
    this.remainingStretches -= width;
    const changes = this.getSheetChanges(sheet);
    if (isWritten) changes.written.addArea(top, left, bottom, right);
    changes.all.addArea(top, left, bottom, right);
    return true;
  }

  /** Moves the recorded cells as a commit moved them. */
  private moveCells(move: Move): void {
    const touched = [...this.sheets].filter(([sheet]) => touchesSheet(move, sheet));
    for (const [sheet, { minCount }] of touched)
      this.sheets.set(sheet, { written: new CellSet(), all: new CellSet(), minCount });
    for (const [sheet, { all, written }] of touched) {
      const before = [...all.listAreas()];
      this.remainingStretches += before.length;
      for (const area of before) {
        for (const block of moveBlocks(move, { sheet, area })) {
          if (!this.addArea(block, false)) this.raiseMinCount(block.sheet, all.count);
        }
      }
      for (const area of written.listAreas()) {
        for (const { sheet: to, area: moved } of moveBlocks(move, { sheet, area })) {
          this.getSheetChanges(to).written.addArea(moved.top, moved.left, moved.bottom, moved.right);
        }
      }
    }
  }

  /** Makes the count of changed cells of a sheet at least this number. */
  private raiseMinCount(sheet: number, cells: number): void {
    const changes = this.getSheetChanges(sheet);
    this.sheets.set(sheet, { ...changes, minCount: Math.max(changes.minCount, cells) });
  }

  /**
   * The stored form: for each sheet the number of changed cells and the first `limit` of them. Contains only the given
   * sheets, in their order. If positions are unknown, two commits may have changed the same cells, and the number is
   * the minimum.
   */
  toChangedSheets(sheets: readonly { readonly id: number; readonly name: string }[], limit: number): ChangedSheet[] {
    return sheets.flatMap(({ id, name }) => {
      const changes = this.sheets.get(id);
      const count = changes === undefined ? 0 : Math.max(changes.all.count, changes.minCount);
      return changes === undefined || count === 0 ? [] : [{ id, name, count, runs: toCellRuns(changes, limit) }];
    });
  }

  /** The changed cells of a sheet in this window; a new sheet has none. */
  private getSheetChanges(sheet: number): WindowSheetChanges {
    let changes = this.sheets.get(sheet);
    if (changes === undefined) {
      changes = { written: new CellSet(), all: new CellSet(), minCount: 0 };
      this.sheets.set(sheet, changes);
    }
    return changes;
  }
}

function touchesSheet(move: Move, sheet: number): boolean {
  return move.sheet === sheet || (move.kind === 'carry' && move.toSheet === sheet);
}

/** The first cells as horizontal runs. The cells of a run are either all written or all recalculated. */
function toCellRuns({ written, all }: WindowSheetChanges, limit: number): StoredCellRun[] {
  const runs: [number, number, number, number][] = [];
  for (const { row, column } of all.listFirstCells(limit)) {
    const derived = written.has(row, column) ? 0 : 1;
    const last = runs.at(-1);
    if (last !== undefined && last[0] === row && last[2] === column - 1 && last[3] === derived) last[2] = column;
    else runs.push([row, column, column, derived]);
  }
  return runs;
}
