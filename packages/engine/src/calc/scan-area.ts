import type { Area } from '../grid/area.ts';
import { EMPTY } from '../sheet/cell-kind.ts';
import { CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Meter } from './budget.ts';

export type VisitCell = (value: Scalar, row: number, column: number, sheet: number) => void;

/** Calls `visit` with the cells of an area that are not empty, column by column. */
export function scanArea(sheet: Sheet, area: Area, meter: Meter, visit: VisitCell): void {
  const right = Math.min(area.right, sheet.columns.length - 1);
  for (let column = area.left; column <= right; column++) {
    const chunks = sheet.columns[column]?.chunks;
    if (!chunks) continue;
    const lastBlock = Math.min(area.bottom >> CHUNK_SHIFT, chunks.length - 1);
    for (let block = area.top >> CHUNK_SHIFT; block <= lastBlock; block++) {
      const chunk = chunks.at(block);
      if (!chunk) continue;
      const first = block << CHUNK_SHIFT;
      const from = Math.max(area.top - first, 0);
      const to = Math.min(area.bottom - first, chunk.rows - 1);
      meter.spendCells((to - from + 16) >> 4);
      for (let row = from; row <= to; row++) {
        if (chunk.kinds[row] !== EMPTY) visit(chunk.value(row), first + row, column, sheet.id);
      }
    }
  }
}
