import { areaText } from '../grid/a1.ts';
import type { Area } from '../grid/area.ts';
import { EMPTY } from '../sheet/cell-kind.ts';
import type { PlainColumn } from '../sheet/plain-column.ts';
import type { Input } from './types.ts';

/** Maximum number of merged ranges and cells that one batch checks. It does not warn about further ones. */
const MAX_CHECKS = 1_000_000;

/** Values that are entered as a block, and the position of the first one. */
interface EnteredBlock {
  readonly row: number;
  readonly column: number;
  readonly values: readonly (readonly Input[])[];
}

type AddWarning = (row: number, column: number, message: string) => void;

/** Finds values that are entered into the hidden cells of a merged range: all cells except its first one. */
export class MergedCells {
  private checks = 0;

  /** Adds a warning for each merged range into whose hidden cells values were entered. */
  warnHidden(merges: readonly Area[], enteredBlock: EnteredBlock, add: AddWarning): void {
    this.addWarnings(merges, (merged) => this.findFirstHidden(merged, enteredBlock), add);
  }

  /** Adds the same warnings as `warnHidden`, for values in columns. */
  warnHiddenInColumns(merges: readonly Area[], columns: readonly PlainColumn[], add: AddWarning): void {
    this.addWarnings(merges, (merged) => this.findHiddenInColumns(merged, columns), add);
  }

  /** Adds a warning for each merged range in which `findHidden` finds an entered value. */
  private addWarnings(
    merges: readonly Area[],
    findHidden: (merged: Area) => { row: number; column: number } | null,
    add: AddWarning,
  ): void {
    for (const merged of merges) {
      if (++this.checks > MAX_CHECKS) return;
      const hidden = findHidden(merged);
      if (hidden === null) continue;
      add(hidden.row, hidden.column, `The merged range ${areaText(merged)} hides this cell: it shows its first one`);
    }
  }

  /** The first value that is entered into a hidden cell of a merged range; null if there is none. */
  private findHiddenInColumns(
    { top, left, bottom, right }: Area,
    columns: readonly PlainColumn[],
  ): { row: number; column: number } | null {
    let first: { row: number; column: number } | null = null;
    for (const { column, rows, kinds } of columns) {
      if (column < left || column > right) continue;
      for (let i = 0; i < rows.length && rows[i]! <= bottom && ++this.checks <= MAX_CHECKS; i++) {
        const row = rows[i]!;
        if (row < top || kinds[i] === EMPTY || (row === top && column === left)) continue;
        if (first === null || row < first.row || (row === first.row && column < first.column)) first = { row, column };
        break;
      }
    }
    return first;
  }

  /** The first value of a block that is entered into a hidden cell of a merged range; null if there is none. */
  private findFirstHidden(merged: Area, { row, column, values }: EnteredBlock): { row: number; column: number } | null {
    const last = Math.min(merged.bottom, row + values.length - 1);
    for (let r = Math.max(merged.top, row); r <= last; r++) {
      const inputs = values[r - row]!;
      const end = Math.min(merged.right, column + inputs.length - 1);
      for (let c = Math.max(merged.left, column); c <= end && ++this.checks <= MAX_CHECKS; c++) {
        const input = inputs[c - column] ?? null;
        const isFirst = r === merged.top && c === merged.left;
        if (input !== null && input !== '' && !isFirst) return { row: r, column: c };
      }
    }
    return null;
  }
}
