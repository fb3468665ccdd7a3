import { areaText } from '../grid/a1.ts';
import type { Area } from '../grid/area.ts';
import type { Input } from './types.ts';

/** Maximum merged ranges and cells that one batch checks. It does not warn beyond them. */
const MAX_CHECKS = 1_000_000;

/** Values that are entered as a block, from a cell on. */
interface EnteredBlock {
  readonly row: number;
  readonly column: number;
  readonly values: readonly (readonly Input[])[];
}

/** Finds values entered into cells that a merged range hides: all except its first. */
export class MergedCells {
  private looks = 0;

  /** Adds a warning for a merged range whose covered cells were entered, once for each range. */
  warn(
    merges: readonly Area[],
    entered: EnteredBlock,
    add: (row: number, column: number, message: string) => void,
  ): void {
    for (const merged of merges) {
      if (++this.looks > MAX_CHECKS) return;
      const hidden = this.firstHidden(merged, entered);
      if (hidden === null) continue;
      add(hidden.row, hidden.column, `The merged range ${areaText(merged)} hides this cell: it shows its first one`);
    }
  }

  private firstHidden(merged: Area, { row, column, values }: EnteredBlock): { row: number; column: number } | null {
    const last = Math.min(merged.bottom, row + values.length - 1);
    for (let r = Math.max(merged.top, row); r <= last; r++) {
      const inputs = values[r - row]!;
      const end = Math.min(merged.right, column + inputs.length - 1);
      for (let c = Math.max(merged.left, column); c <= end && ++this.looks <= MAX_CHECKS; c++) {
        const input = inputs[c - column] ?? null;
        const isFirst = r === merged.top && c === merged.left;
        if (input !== null && input !== '' && !isFirst) return { row: r, column: c };
      }
    }
    return null;
  }
}
