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

/** Which hidden sheets formulas read beyond what their trees name, as far as they were calculated. */
export class Reach {
  private readonly cells = new Map<CellKey, Reached>();

  reads(sheet: number, row: number, column: number, hidden: number): boolean {
    return this.cells.get(cellKey(sheet, row, column))?.hidden.has(hidden) ?? false;
  }

  /** Takes over what a recalculation has found. */
  update(found: ReachLog): void {
    for (const [key, reached] of found.cells) {
      if (reached === null) this.cells.delete(key);
      else this.cells.set(key, reached);
    }
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
