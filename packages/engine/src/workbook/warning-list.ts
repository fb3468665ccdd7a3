import type { FormulaWarning } from './types.ts';

/** Maximum number of warnings of one batch. */
const MAX_WARNINGS = 100;

/** The shared list of batches without warnings. It stays empty. */
const NO_WARNINGS: FormulaWarning[] = [];

/** The warnings of one batch, in the order of its edits. */
export class WarningList {
  private list: FormulaWarning[] = NO_WARNINGS;

  get items(): readonly FormulaWarning[] {
    return this.list;
  }

  get isFull(): boolean {
    return this.list.length >= MAX_WARNINGS;
  }

  /** Adds a warning about a formula or value, unless the list is full. */
  addWarning(sheet: number, row: number, column: number, message: string): void {
    if (this.isFull) return;
    if (this.list === NO_WARNINGS) this.list = [];
    this.list.push({ sheet, row, column, message });
  }
}
