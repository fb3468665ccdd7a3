import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { ClosedSheets, ReadingRights } from './rights.ts';

/** A cell of a document as one number. */
export type CellKey = number;

export function createCellKey(sheet: number, row: number, column: number): CellKey {
  return (sheet * MAX_ROWS + row) * MAX_COLUMNS + column;
}

/** The inverse of `createCellKey`. */
export function parseCellKey(key: CellKey): { readonly sheet: number; readonly row: number; readonly column: number } {
  const column = key % MAX_COLUMNS;
  const above = (key - column) / MAX_COLUMNS;
  const row = above % MAX_ROWS;
  return { sheet: (above - row) / MAX_ROWS, row, column };
}

/** A cell whose formula read hidden sheets or tried to read them. */
export interface HiddenRead {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly hidden: ReadonlySet<number>;
  /** The texts, such as `Secret!A1`, from which the formula tried to make references to hidden sheets. */
  readonly texts: TextReads;
}

/** Texts that named a hidden sheet, by the sheet's id. */
type TextReads = ReadonlyMap<number, ReadonlySet<string>>;

/** Maximum texts kept per cell. Reads through further texts are also refused, but are no longer reported as new. */
const MAX_TEXTS = 100;
const NO_TEXTS: TextReads = new Map();

/** Collects the texts by which one formula tries to read hidden sheets. */
export class TextReadLog {
  private readonly texts = new Map<number, Set<string>>();

  get reads(): TextReads {
    return this.texts.size === 0 ? NO_TEXTS : this.texts;
  }

  add(sheet: number, text: string): void {
    const texts = this.texts.get(sheet) ?? new Set();
    if (texts.size < MAX_TEXTS) texts.add(text);
    this.texts.set(sheet, texts);
  }
}

/** Minimum number of recorded cells before records of cells without a formula are removed. */
const MIN_SWEPT_CELLS = 1_024;

/** The hidden sheets that formulas read in addition to the sheets named in their trees. */
export class HiddenReads {
  private readonly cells = new Map<CellKey, HiddenRead>();
  private sweepAt = MIN_SWEPT_CELLS;

  get size(): number {
    return this.cells.size;
  }

  /** A copy with the new positions of the formulas after cells moved. `mapCell` returns null for lost cells. */
  copyWithMoves(mapCell: (cell: HiddenRead) => Omit<HiddenRead, 'hidden' | 'texts'> | null): HiddenReads {
    const moved = new HiddenReads();
    for (const reached of this.cells.values()) {
      const to = mapCell(reached);
      if (to) moved.cells.set(createCellKey(to.sheet, to.row, to.column), { ...reached, ...to });
    }
    return moved;
  }

  hasRead(sheet: number, row: number, column: number, hidden: number): boolean {
    return this.cells.get(createCellKey(sheet, row, column))?.hidden.has(hidden) ?? false;
  }

  /** True if the cell's formula already tried to make a reference to the sheet `hidden` from each of these texts. */
  hasTriedTexts({ sheet, row, column, texts }: HiddenRead, hidden: number): boolean {
    const before = this.cells.get(createCellKey(sheet, row, column))?.texts.get(hidden);
    const now = texts.get(hidden);
    return (
      now === undefined ||
      (before !== undefined && (before.size >= MAX_TEXTS || [...now].every((text) => before.has(text))))
    );
  }

  /** Adds the records of a recalculation. Sometimes also removes records of cells that no longer have a formula. */
  update(log: HiddenReadLog, hasFormula: (cell: HiddenRead) => boolean): void {
    for (const [key, reached] of log.cells) {
      if (reached === null) this.cells.delete(key);
      else this.cells.set(key, reached);
    }
    if (this.cells.size < this.sweepAt) return;
    for (const [key, reached] of this.cells) if (!hasFormula(reached)) this.cells.delete(key);
    this.sweepAt = Math.max(MIN_SWEPT_CELLS, 2 * this.cells.size);
  }
}

/** Hidden sheets that formulas read during one recalculation. */
export class HiddenReadLog {
  /** Calculated formulas by cell; null if a formula reads no hidden sheet. */
  readonly cells = new Map<CellKey, HiddenRead | null>();
  private readonly hidden: ClosedSheets;

  constructor(hidden: ClosedSheets) {
    this.hidden = hidden;
  }

  /** Records the sheets that a calculated cell read; replaces the record of an earlier calculation of the cell. */
  recordReads(sheet: number, row: number, column: number, readSheets: ReadonlySet<number>, texts: TextReads): void {
    const hidden = new Set([...readSheets].filter((id) => this.hidden.has(id)));
    this.cells.set(createCellKey(sheet, row, column), hidden.size === 0 ? null : { sheet, row, column, hidden, texts });
  }
}

/** The rights that apply to formulas, and the record of hidden sheets that they read. */
export interface FormulaProtection {
  readonly rights: ReadingRights;
  readonly hiddenReads: HiddenReadLog;
}
