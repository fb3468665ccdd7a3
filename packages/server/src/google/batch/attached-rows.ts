import type { Area } from '@cellwire/engine';

type WriteItems<T> = (within: Area, items: readonly T[]) => void;

/**
 * Collects the notes or links of rows of cells, and writes consecutive rows of the same width together. Each edit of
 * notes or links examines all of the sheet, so one edit for each cell would take quadratic time.
 */
export class AttachedRows<T> {
  private readonly left: number;
  private readonly write: WriteItems<T>;
  private items: T[] = [];
  private area: Area | null = null;

  constructor(left: number, write: WriteItems<T>) {
    this.left = left;
    this.write = write;
  }

  /** Adds the first `width` cells of a row from `left`, and their notes or links. Rows must come in order. */
  addRow(row: number, width: number, items: readonly T[]): void {
    if (width === 0) return;
    const right = this.left + width - 1;
    if (this.area !== null && (this.area.bottom + 1 !== row || this.area.right !== right)) this.flushRows();
    this.area = { top: this.area?.top ?? row, left: this.left, bottom: row, right };
    for (const item of items) this.items.push(item);
  }

  /** Writes the collected rows. Must be called after the last one. */
  flushRows(): void {
    if (this.area !== null) this.write(this.area, this.items);
    this.area = null;
    this.items = [];
  }
}
