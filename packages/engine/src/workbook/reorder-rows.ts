import { height, width } from '../grid/area.ts';
import { rowOrder } from '../grid/row-order.ts';
import type { Batch } from './batch.ts';
import { BLANK_CELL, type EnteredArea, readEntered, writeEntered } from './entered-cells.ts';
import type { EditOutcome } from './types.ts';

/**
 * Reorders rows of an area: `order[i]` is the current index of the row that comes to index `i`. Rows that it leaves out
 * are removed, and the area ends with as many empty rows. Counts the cells of rows that changed.
 */
export function reorderRows(
  batch: Batch,
  { sheet, area }: EnteredArea,
  order: readonly number[],
): Pick<EditOutcome, 'cells' | 'orders'> {
  const rows = readEntered(batch, { sheet, area });
  let cells = 0;
  for (const [r, current] of rows.entries()) {
    const from = order[r];
    if (from === r) continue;
    cells += width(area);
    for (let c = 0; c < width(area); c++) {
      const emptied = { ...BLANK_CELL, format: current[c]?.format ?? BLANK_CELL.format };
      const cell = from === undefined ? emptied : (rows[from]?.[c] ?? BLANK_CELL);
      writeEntered(batch, sheet, area.top + r, area.left + c, cell, cell.writer);
    }
  }
  const isSame = order.length === height(area) && order.every((from, to) => from === to);
  if (isSame) return { cells };
  return { cells, orders: [{ after: batch.draft.moves.length, rows: rowOrder({ sheet, area }, order) }] };
}
