import type { FormulaEdit } from './update-runs.ts';

/** The formulas that a batch added and removed in one column, in the order of its edits. */
export class FormulaEdits {
  readonly list: FormulaEdit[] = [];
  private highest = -1;
  /**
   * Rows with edits. Created only when an edit is above an earlier one, because most batches write columns from top to
   * bottom.
   */
  private rows: Set<number> | null = null;

  push(edit: FormulaEdit): void {
    this.list.push(edit);
    this.rows?.add(edit.row);
    if (edit.row > this.highest) this.highest = edit.row;
  }

  /** True if the formula of a row was added or removed. */
  has(row: number): boolean {
    if (row > this.highest) return false;
    this.rows ??= new Set(this.list.map((edit) => edit.row));
    return this.rows.has(row);
  }

  /** The edits sorted by row. If a row has several edits, only the last one. */
  get sortedEdits(): readonly FormulaEdit[] {
    const { list } = this;
    let sorted = true;
    for (let i = 1; i < list.length && sorted; i++) {
      sorted = list[i]!.row > list[i - 1]!.row;
    }
    if (sorted) return list;
    return [...new Map(list.map((edit) => [edit.row, edit])).values()].sort((a, b) => a.row - b.row);
  }
}
