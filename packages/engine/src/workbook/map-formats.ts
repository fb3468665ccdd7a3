import { cellCount } from '../grid/area.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Batch } from './batch.ts';
import type { EnteredArea } from './entered-cells.ts';

/** Replaces the format of each cell of an area by the format that `formatFor` returns for it. */
export function mapFormats(
  { draft, meter, cells }: Batch,
  { sheet, area }: EnteredArea,
  formatFor: (id: number) => number,
): void {
  meter.spendCells(cellCount(area));
  for (let column = area.left; column <= area.right; column++) {
    for (let row = area.top; row <= area.bottom; row++) {
      meter.reportWork(1);
      const format = draft.sheet(sheet)?.format(row, column) ?? GENERAL;
      cells.setFormat(sheet, row, column, formatFor(format));
    }
  }
}
