import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { ClosedSheets } from './rights.ts';

/** A cell of a document as one number. */
export type CellKey = number;

export function cellKey(sheet: number, row: number, column: number): CellKey {
  return (sheet * MAX_ROWS + row) * MAX_COLUMNS + column;
}

/** The cell again. */
export function cellOf(key: CellKey): { readonly sheet: number; readonly row: number; readonly column: number } {
  const column = key % MAX_COLUMNS;
  const above = (key - column) / MAX_COLUMNS;
  const row = above % MAX_ROWS;
  return { sheet: (above - row) / MAX_ROWS, row, column };
}

/** A cell whose formula read hidden sheets, or tried to. */
export interface Reached {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly hidden: ReadonlySet<number>;
}

/** Cells that are kept before those whose formulas are gone are swept out. */
const FEW_CELLS = 1_024;

/** Which hidden sheets formulas read beyond what their trees name, as far as they were calculated. */
export class Reach {
  private readonly cells = new Map<CellKey, Reached>();
  private sweepAt = FEW_CELLS;

  get size(): number {
    return this.cells.size;
  }

  /** The same formulas once cells have moved; null where one is lost. */
  moved(place: (cell: Reached) => Omit<Reached, 'hidden'> | null): Reach {
    const moved = new Reach();
    for (const reached of this.cells.values()) {
      const to = place(reached);
      if (to) moved.cells.set(cellKey(to.sheet, to.row, to.column), { ...to, hidden: reached.hidden });
    }
    return moved;
  }

  reads(sheet: number, row: number, column: number, hidden: number): boolean {
    return this.cells.get(cellKey(sheet, row, column))?.hidden.has(hidden) ?? false;
  }

  /** Takes over what a recalculation has found, and forgets cells that have no formula any more before they pile up. */
  update(found: ReachLog, hasFormula: (cell: Reached) => boolean): void {
    for (const [key, reached] of found.cells) {
      if (reached === null) this.cells.delete(key);
      else this.cells.set(key, reached);
    }
    if (this.cells.size < this.sweepAt) return;
    for (const [key, reached] of this.cells) if (!hasFormula(reached)) this.cells.delete(key);
    this.sweepAt = Math.max(FEW_CELLS, 2 * this.cells.size);
  }
}

/** What one recalculation finds. */
export class ReachLog {
  /** Null for a formula that reads no hidden sheet. */
  readonly cells = new Map<CellKey, Reached | null>();
  private readonly hidden: ClosedSheets;

  constructor(hidden: ClosedSheets) {
    this.hidden = hidden;
  }

  /** A cell was calculated and read these sheets. The last time of one recalculation counts. */
  note(sheet: number, row: number, column: number, read: ReadonlySet<number>): void {
    const hidden = new Set([...read].filter((id) => this.hidden.has(id)));
    this.cells.set(cellKey(sheet, row, column), hidden.size === 0 ? null : { sheet, row, column, hidden });
  }
}
