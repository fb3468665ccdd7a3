import type { StoredArea, StoredAreas } from '../store/commits.ts';
import type { ChangedSheet, StoredRun } from '../store/deliveries.ts';
import { Region } from './region.ts';

interface SheetChanges {
  readonly written: Region;
  /** Written and recalculated. */
  readonly all: Region;
}

/** Gathers the cells that the commits of one window changed, by sheet. */
export class WindowCells {
  private readonly sheets = new Map<number, SheetChanges>();

  /** Adds a commit by its `areas` column. */
  add(areasText: string): void {
    const { written, derived } = JSON.parse(areasText) as StoredAreas;
    for (const area of written) {
      const changes = this.of(area[0]);
      addArea(changes.written, area);
      addArea(changes.all, area);
    }
    for (const area of derived) addArea(this.of(area[0]).all, area);
  }

  /**
   * The set as it is stored: all cells counted, the first `limit` of each sheet spelled out. Only sheets that still
   * exist, in the order given.
   */
  fix(sheets: readonly { readonly id: number; readonly name: string }[], limit: number): ChangedSheet[] {
    return sheets.flatMap(({ id, name }) => {
      const changes = this.sheets.get(id);
      if (changes === undefined) return [];
      return [{ id, name, count: changes.all.count, runs: runsOf(changes, limit) }];
    });
  }

  private of(sheet: number): SheetChanges {
    let changes = this.sheets.get(sheet);
    if (changes === undefined) {
      changes = { written: new Region(), all: new Region() };
      this.sheets.set(sheet, changes);
    }
    return changes;
  }
}

function addArea(region: Region, [, top, left, bottom, right]: StoredArea): void {
  region.add(top, left, bottom, right);
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
