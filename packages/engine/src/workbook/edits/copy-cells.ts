import { type Area, area, width } from '../../grid/area.ts';
import { CHUNK_MASK } from '../../sheet/chunk.ts';
import type { Sheet } from '../../sheet/snapshot.ts';
import type { Batch } from '../batch.ts';
import { createResultRemover, readEnteredCells, writeEnteredCell } from '../entered-cells.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** Copies an area. Blank cells clear their targets. The sender becomes the writer of the copied formulas. */
export function copyCells(batch: Batch, edit: EditOfKind<'copy'>): EditResult {
  const source = clipSourceArea(batch, edit);
  const cells = readEnteredCells(batch, { sheet: edit.sheet, area: source }, createResultRemover());
  for (const [r, row] of cells.entries()) {
    for (const [c, cell] of row.entries()) {
      writeEnteredCell(batch, edit.toSheet, edit.row + r, edit.column + c, cell, batch.writer);
    }
  }
  return { sheet: edit.sheet, area: edit.area, cells: cells.length * width(source) };
}

/** Removes rows and columns from the source area that are empty in both the source and the target. */
function clipSourceArea({ draft }: Batch, edit: EditOfKind<'copy'>): Area {
  const { top, left, bottom, right } = edit.area;
  const source = draft.requireSheet(edit.sheet);
  const target = draft.requireSheet(edit.toSheet);
  const rows = Math.max(findLastRow(source) - top, findLastRow(target) - edit.row, 0);
  const columns = Math.max(source.columns.length - left, target.columns.length - edit.column, 1);
  return area(top, left, Math.min(bottom, top + rows), Math.min(right, left + columns - 1));
}

/** Returns the last row of the last chunk of a sheet. Includes cells whose results are not calculated yet. */
function findLastRow(sheet: Sheet): number {
  return sheet.extent().rows | CHUNK_MASK;
}
