import { MAX_WINDOW_STRETCHES } from '../limits/notify.ts';
import type { StoredArea, StoredAreas } from '../store/commits.ts';
import type { ChangedSheet, StoredRun } from '../store/deliveries.ts';
import { Region } from './region.ts';

interface SheetChanges {
  readonly written: Region;
  /** Written and recalculated. */
  readonly all: Region;
  /** Cells whose places are not known; some may be counted more than once. */
  rest: number;
}

/** Gathers the cells that the commits of one window changed, by sheet. */
export class WindowCells {
  private readonly sheets = new Map<number, SheetChanges>();
  private room = MAX_WINDOW_STRETCHES;

  /** Adds a commit by its `areas` column. */
  add(areasText: string): void {
    const { written, derived, rest = [] } = JSON.parse(areasText) as StoredAreas;
    for (const area of written) this.addArea(area, true);
    for (const area of derived) this.addArea(area, false);
    for (const [sheet, cells] of rest) this.of(sheet).rest += cells;
  }

  private addArea([sheet, top, left, bottom, right]: StoredArea, isWritten: boolean): void {
    const changes = this.of(sheet);
    const width = right - left + 1;
    if (width > this.room) {
      changes.rest += width * (bottom - top + 1);
      return;
    }
    this.room -= width;
    if (isWritten) changes.written.add(top, left, bottom, right);
    changes.all.add(top, left, bottom, right);
  }

  /**
   * The set as it is stored: all cells counted, the first `limit` of each sheet spelled out. Only sheets that still
   * exist, in the order given.
   */
  fix(sheets: readonly { readonly id: number; readonly name: string }[], limit: number): ChangedSheet[] {
    return sheets.flatMap(({ id, name }) => {
      const changes = this.sheets.get(id);
      if (changes === undefined) return [];
      return [{ id, name, count: changes.all.count + changes.rest, runs: runsOf(changes, limit) }];
    });
  }

  private of(sheet: number): SheetChanges {
    let changes = this.sheets.get(sheet);
    if (changes === undefined) {
      changes = { written: new Region(), all: new Region(), rest: 0 };
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
