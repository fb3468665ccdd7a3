import type { BatchState } from '../batch-state.ts';
import { FormulaEdits } from './formula-edits.ts';
import { editColumn, type FormulaEdit } from './update-runs.ts';

/** Formula changes of a batch that are not stored in the runs of their columns yet. */
export class PendingFormulas {
  private readonly batch: BatchState;
  /** Changes by sheet id and column; null if there are none. */
  private columns: Map<number, Map<number, FormulaEdits>> | null = null;

  constructor(batch: BatchState) {
    this.batch = batch;
  }

  /** Records a change of a formula. */
  add(sheet: number, column: number, edit: FormulaEdit): void {
    this.ensureEdits(sheet, column).push(edit);
  }

  /** True if the cell's formula changed since the last `flush`. */
  has(sheet: number, row: number, column: number): boolean {
    return this.columns?.get(sheet)?.get(column)?.has(row) === true;
  }

  /** Applies the changes to the runs of the columns and to the dependency graph. */
  flush(): void {
    const { columns } = this;
    if (columns === null) return;
    this.columns = null;
    for (const [sheet, byColumn] of columns) {
      for (const [column, edits] of byColumn) this.flushColumn(sheet, column, edits.sortedEdits);
    }
  }

  /** Applies changes to one column, and schedules the new formulas. */
  private flushColumn(sheet: number, column: number, edits: readonly FormulaEdit[]): void {
    const { toCalculate } = this.batch;
    editColumn(this.batch, sheet, column, edits);
    for (const { row, template } of edits) {
      if (template) toCalculate.addRows(sheet, column, row, row);
    }
  }

  /** The recorded changes of a column; creates an empty list if there is none. */
  private ensureEdits(sheet: number, column: number): FormulaEdits {
    this.columns ??= new Map();
    let byColumn = this.columns.get(sheet);
    if (byColumn === undefined) {
      byColumn = new Map();
      this.columns.set(sheet, byColumn);
    }
    let edits = byColumn.get(column);
    if (edits === undefined) {
      edits = new FormulaEdits();
      byColumn.set(column, edits);
    }
    return edits;
  }
}
