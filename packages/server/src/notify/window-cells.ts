import { MAX_WINDOW_STRETCHES } from '../limits/notify.ts';
import type { StoredArea } from '../store/commits.ts';
import { parseAreas } from '../store/commits.ts';
import type { ChangedSheet, StoredRun } from '../store/deliveries.ts';
import { Region } from './region.ts';

interface SheetChanges {
  readonly written: Region;
  /** Written and recalculated. */
  readonly all: Region;
  /** Cells of the commit that changed the most, those whose places are not known among them. */
  most: number;
}

/** Gathers the cells that the commits of one window changed, by sheet. */
export class WindowCells {
  private readonly sheets = new Map<number, SheetChanges>();
  private room = MAX_WINDOW_STRETCHES;

  /** Adds a commit by its `areas` column. */
  add(areasText: string): void {
    const { written, derived, rest = [] } = parseAreas(areasText);
    const cells = new Map<number, number>();
    const count = (sheet: number, more: number) => cells.set(sheet, (cells.get(sheet) ?? 0) + more);
    for (const area of written) count(area[0], this.addArea(area, true));
    for (const area of derived) count(area[0], this.addArea(area, false));
    for (const [sheet, more] of rest) count(sheet, more);
    for (const [sheet, all] of cells) {
      const changes = this.of(sheet);
      changes.most = Math.max(changes.most, all);
    }
  }

  /** Gives the area's number of cells. */
  private addArea([sheet, top, left, bottom, right]: StoredArea, isWritten: boolean): number {
    const changes = this.of(sheet);
    const width = right - left + 1;
    const cells = width * (bottom - top + 1);
    if (width > this.room) return cells;
    this.room -= width;
    if (isWritten) changes.written.add(top, left, bottom, right);
    changes.all.add(top, left, bottom, right);
    return cells;
  }

  /**
   * The set as it is stored: all cells counted, the first `limit` of each sheet spelled out. Only sheets that still
   * exist, in the order given. No cell is counted twice: where places are not known that two commits may share, the
   * number is the least that it can be.
   */
  fix(sheets: readonly { readonly id: number; readonly name: string }[], limit: number): ChangedSheet[] {
    return sheets.flatMap(({ id, name }) => {
      const changes = this.sheets.get(id);
      if (changes === undefined) return [];
      return [{ id, name, count: Math.max(changes.all.count, changes.most), runs: runsOf(changes, limit) }];
    });
  }

  private of(sheet: number): SheetChanges {
    let changes = this.sheets.get(sheet);
    if (changes === undefined) {
      changes = { written: new Region(), all: new Region(), most: 0 };
      this.sheets.set(sheet, changes);
    }
    return changes;
  }
}

/** The first cells as horizontal runs, each all written or all recalculated. */
function runsOf({ written, all }: SheetChanges, limit: number): StoredRun[] {
  const runs: [number, number, number, number][] = [];
  for (const { row, column } of all.first(limit)) {
    const derived = written.has(row, column) ? 0 : 1;
    const last = runs.at(-1);
    if (last !== undefined && last[0] === row && last[2] === column - 1 && last[3] === derived) last[2] = column;
    else runs.push([row, column, column, derived]);
  }
  return runs;
}
