import type { Block, Edit } from '@cellwire/engine';
import type { CellPlace } from './places.ts';

/** A copy of a block's values, with null, which leaves a cell unchanged, in place of the values of these cells. */
export function excludeFromMatrix<T>(
  values: readonly (readonly T[])[],
  { sheet, row: top, column: left }: CellPlace,
  cells: readonly Block[],
): readonly (readonly (T | null)[])[] {
  const lines: (readonly (T | null)[])[] = [...values];
  const copies = new Map<number, (T | null)[]>();
  for (const { sheet: cellsSheet, area } of cells) {
    if (cellsSheet !== sheet) continue;
    const lastRow = Math.min(area.bottom, top + lines.length - 1);
    for (let row = Math.max(area.top, top); row <= lastRow; row++) {
      const line = copies.get(row) ?? [...(values[row - top] ?? [])];
      copies.set(row, line);
      lines[row - top] = line;
      const end = Math.min(area.right - left + 1, line.length);
      if (area.left - left < end) line.fill(null, Math.max(0, area.left - left), end);
    }
  }
  return lines;
}

/** The edits without these cells; null if that is impossible, because an edit does more than enter values. */
export function excludeFromValueEdits(edits: readonly Edit[], cells: readonly Block[]): readonly Edit[] | null {
  const remaining: Edit[] = [];
  for (const edit of edits) {
    if (edit.kind !== 'setValues') return null;
    remaining.push({ ...edit, values: excludeFromMatrix(edit.values, edit, cells) });
  }
  return remaining;
}
