import { height, width } from '../grid/area.ts';
import { createRowOrder } from '../grid/row-order.ts';
import type { Batch } from './batch.ts';
import { BLANK_CELL, type EnteredArea, readEnteredCells, writeEnteredCell } from './entered-cells.ts';
import { reorderAttachments } from './reorder-attachments.ts';
import { NO_SOURCE, reorderValues } from './reorder-values.ts';
import type { EditOutcome } from './types.ts';

/**
 * Reorders rows of an area. `order[i]` is the current index of the row that moves to index `i`. Rows that are not in
 * `order` are removed, and the area ends with the same number of empty rows. Notes and links move with their cells. The
 * result counts the cells of changed rows.
 */
export function reorderRows(
  batch: Batch,
  { sheet, area }: EnteredArea,
  order: readonly number[],
): Pick<EditOutcome, 'cells' | 'orders' | 'isReorder'> {
  const isSame = order.length === height(area) && order.every((from, to) => from === to);
  if (isSame) return { cells: 0 };
  batch.pending.flush();
  const draftSheet = batch.draft.requireSheet(sheet);
  const sources = new Int32Array(height(area)).fill(NO_SOURCE);
  sources.set(order);
  // Writing into an array formula's area changes other columns. In a sheet with arrays, all columns are therefore read
  // before the first write.
  if (draftSheet.spills.size > 0) reorderCells(batch, { sheet, area }, order);
  else {
    for (let column = area.left; column <= area.right; column++) {
      const within = { sheet, area: { ...area, left: column, right: column } };
      const hasFormulas = (draftSheet.columns[column]?.runList.length ?? 0) > 0;
      if (hasFormulas) reorderCells(batch, within, order);
      else reorderValues(batch, within, sources);
    }
  }
  const { layout } = draftSheet;
  batch.meter.reportWork(layout.attachments.length);
  const attachments = reorderAttachments(layout.attachments, area, order);
  if (attachments !== layout.attachments) batch.draft.ensureOwnSheet(sheet).layout = { ...layout, attachments };
  const unchanged = sources.reduce((count, from, to) => (from === to ? count + 1 : count), 0);
  const cells = (height(area) - unchanged) * width(area);
  const orders = [{ after: batch.draft.moves.length, rows: createRowOrder({ sheet, area }, order) }];
  return { cells, orders, isReorder: true };
}

/** Reorders the cells of an area one by one, with their formulas. */
function reorderCells(batch: Batch, { sheet, area }: EnteredArea, order: readonly number[]): void {
  const rows = readEnteredCells(batch, { sheet, area });
  for (const [r, current] of rows.entries()) {
    const from = order[r];
    if (from === r) continue;
    for (let c = 0; c < width(area); c++) {
      const emptied = { ...BLANK_CELL, format: current[c]?.format ?? BLANK_CELL.format };
      const cell = from === undefined ? emptied : (rows[from]?.[c] ?? BLANK_CELL);
      writeEnteredCell(batch, sheet, area.top + r, area.left + c, cell, cell.writer);
    }
  }
}
