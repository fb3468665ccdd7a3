import { height, width } from '../grid/area.ts';
import { createRowOrder } from '../grid/row-order.ts';
import type { Scalar } from '../value/scalar.ts';
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
  const isSame = order.length === height(area) && order.every((from, to) => from === to);
  if (isSame) return { cells: 0 };
  batch.pending.flush();
  const own = batch.draft.requireSheet(sheet);
  // A write into an array changes other columns, so all columns of a sheet with arrays are read before the first write.
  if (own.spills.size > 0) reorderCells(batch, { sheet, area }, order);
  else {
    for (let column = area.left; column <= area.right; column++) {
      const within = { sheet, area: { ...area, left: column, right: column } };
      const hasFormulas = (own.columns[column]?.runList.length ?? 0) > 0;
      if (hasFormulas) reorderCells(batch, within, order);
      else reorderValues(batch, within, order);
    }
  }
  const changed = Array.from({ length: height(area) }, (_, r) => r).filter((r) => order[r] !== r).length;
  const cells = changed * width(area);
  return { cells, orders: [{ after: batch.draft.moves.length, rows: createRowOrder({ sheet, area }, order) }] };
}

function reorderCells(batch: Batch, { sheet, area }: EnteredArea, order: readonly number[]): void {
  const rows = readEntered(batch, { sheet, area });
  for (const [r, current] of rows.entries()) {
    const from = order[r];
    if (from === r) continue;
    for (let c = 0; c < width(area); c++) {
      const emptied = { ...BLANK_CELL, format: current[c]?.format ?? BLANK_CELL.format };
      const cell = from === undefined ? emptied : (rows[from]?.[c] ?? BLANK_CELL);
      writeEntered(batch, sheet, area.top + r, area.left + c, cell, cell.writer);
    }
  }
}

/** The same for a column without formulas. Objects for its cells would take most of the time. */
function reorderValues({ draft, meter, cells }: Batch, { sheet, area }: EnteredArea, order: readonly number[]): void {
  const { top, left: column } = area;
  const rows = height(area);
  meter.spend(rows);
  const own = draft.requireSheet(sheet);
  const values: Scalar[] = [];
  const formats = new Uint32Array(rows);
  for (let r = 0; r < rows; r++) {
    meter.pass(1);
    values.push(own.value(top + r, column));
    formats[r] = own.format(top + r, column);
  }
  for (let r = 0; r < rows; r++) {
    const from = order[r];
    if (from === r) continue;
    meter.pass(1);
    cells.putValue(sheet, top + r, column, from === undefined ? null : (values[from] ?? null));
    cells.setFormat(sheet, top + r, column, formats[from ?? r] as number);
  }
}
