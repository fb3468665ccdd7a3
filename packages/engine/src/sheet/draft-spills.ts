import { type Area, area } from '../grid/area.ts';
import { createAnchorKey, type Sheet, type Spill } from './snapshot.ts';
import { SpillIndex } from './spill-index.ts';

const NO_SPILLS: readonly Spill[] = [];

interface DraftSheets {
  sheet(id: number): Sheet | undefined;
  /** Returns the draft's own copy of a sheet. */
  ensureOwnSheet(id: number): Sheet;
}

/** The spilled arrays of a draft's sheets. The list of a sheet is copied once, before its first change. */
export class DraftSpills {
  private readonly draft: DraftSheets;
  /** Lists that this draft changed, by sheet id. */
  private own: Map<number, Map<number, Spill>> | null = null;
  /** Indexes of the spills that fill cells, and of the blocked ones; by sheet id, built on demand. */
  private filling: Map<number, SpillIndex> | null = null;
  private blocked: Map<number, SpillIndex> | null = null;

  constructor(draft: DraftSheets) {
    this.draft = draft;
  }

  /** Returns the spill that fills a cell. */
  findSpill(sheet: number, row: number, column: number): Spill | undefined {
    if (this.isEmpty(sheet)) return undefined;
    this.filling ??= new Map();
    return this.ensureIndex(this.filling, sheet, false).findIntersecting(area(row, column, row, column))[0];
  }

  /** Returns the blocked spills that need cells of an area. */
  findBlocked(sheet: number, neededArea: Area): readonly Spill[] {
    if (this.isEmpty(sheet)) return NO_SPILLS;
    this.blocked ??= new Map();
    const waiting = this.ensureIndex(this.blocked, sheet, true);
    return waiting.size === 0 ? NO_SPILLS : waiting.findIntersecting(neededArea);
  }

  /** Sets the spill of an anchor, and replaces an earlier one. */
  set(sheet: number, spill: Spill): void {
    const key = createAnchorKey(spill.area.top, spill.area.left);
    const existingSpill = this.findSpills(sheet)?.get(key);
    if (existingSpill && isSame(existingSpill, spill)) return;
    this.ensureOwnList(sheet).set(key, spill);
    this.deleteFromIndexes(sheet, key);
    (spill.blocked ? this.blocked : this.filling)?.get(sheet)?.set(spill);
  }

  delete(sheet: number, row: number, column: number): void {
    const key = createAnchorKey(row, column);
    if (!this.findSpills(sheet)?.has(key)) return;
    this.ensureOwnList(sheet).delete(key);
    this.deleteFromIndexes(sheet, key);
  }

  /** Drops the indexes of a sheet. Call it after the list of the sheet was replaced. */
  dropIndexes(sheet: number): void {
    for (const kept of [this.own, this.filling, this.blocked]) kept?.delete(sheet);
  }

  private findSpills(sheet: number): ReadonlyMap<number, Spill> | undefined {
    return this.draft.sheet(sheet)?.spills;
  }

  private isEmpty(sheet: number): boolean {
    return (this.findSpills(sheet)?.size ?? 0) === 0;
  }

  private ensureIndex(indexes: Map<number, SpillIndex>, sheet: number, blocked: boolean): SpillIndex {
    let index = indexes.get(sheet);
    if (!index) {
      const spills = this.findSpills(sheet) ?? new Map<number, Spill>();
      index = new SpillIndex(
        blocked ? getBlockedSpills(spills) : [...spills.values()].filter((spill) => !spill.blocked),
      );
      indexes.set(sheet, index);
    }
    return index;
  }

  private ensureOwnList(id: number): Map<number, Spill> {
    this.own ??= new Map();
    let ownSpills = this.own.get(id);
    if (!ownSpills) {
      const sheet = this.draft.ensureOwnSheet(id);
      this.blocked ??= new Map();
      this.ensureIndex(this.blocked, id, true);
      ownSpills = new Map(sheet.spills);
      sheet.spills = ownSpills;
      this.own.set(id, ownSpills);
    }
    return ownSpills;
  }

  private deleteFromIndexes(sheet: number, anchor: number): void {
    this.filling?.get(sheet)?.delete(anchor);
    this.blocked?.get(sheet)?.delete(anchor);
  }
}

function isSame(a: Spill, b: Spill): boolean {
  const { top, left, bottom, right } = a.area;
  const isArea = b.area.top === top && b.area.left === left && b.area.bottom === bottom && b.area.right === right;
  return isArea && a.blocked === b.blocked && a.fixed === b.fixed && a.circular === b.circular;
}

const BLOCKED = new WeakMap<ReadonlyMap<number, Spill>, readonly Spill[]>();

/** Returns the blocked spills of a snapshot. Cached with the list, because every batch calls this. */
function getBlockedSpills(spills: ReadonlyMap<number, Spill>): readonly Spill[] {
  const cached = BLOCKED.get(spills);
  if (cached) return cached;
  const blocked = [...spills.values()].filter((spill) => spill.blocked);
  BLOCKED.set(spills, blocked);
  return blocked;
}
