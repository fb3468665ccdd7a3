import { EMPTY, SPILLED } from '../../sheet/cell-kind.ts';
import { CHUNK_SHIFT } from '../../sheet/chunk.ts';
import { clipToUsed } from '../../sheet/draft.ts';
import type { Batch } from '../batch.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

export function clearCells(batch: Batch, { sheet: id, area }: EditOfKind<'clear'>): EditResult {
  batch.pending.flush();
  const sheet = batch.draft.requireSheet(id);
  const within = clipToUsed(sheet, area);
  let cells = 0;
  if (within === null) return { sheet: id, area, cells };
  for (let column = within.left; column <= within.right; column++) {
    const chunks = sheet.columns[column]?.chunks;
    const first = within.top >> CHUNK_SHIFT;
    const last = Math.min(within.bottom >> CHUNK_SHIFT, (chunks?.length ?? 0) - 1);
    // Visits existing chunks only: an extent of millions of rows and columns may hold two cells.
    for (let block = first; block <= last; block++) {
      const base = block << CHUNK_SHIFT;
      const bottom = Math.min(within.bottom, base + (chunks?.at(block)?.rows ?? 0) - 1);
      cells += clearRows(batch, id, column, Math.max(within.top, base), bottom);
    }
  }
  return { sheet: id, area, cells };
}

/** Returns the number of cells that held an input. */
function clearRows(batch: Batch, sheet: number, column: number, top: number, bottom: number): number {
  let cells = 0;
  batch.meter.pass(bottom - top + 1);
  for (let row = top; row <= bottom; row++) {
    const kind = batch.draft.requireSheet(sheet).kind(row, column);
    if (kind === EMPTY || (kind & SPILLED) !== 0) continue;
    cells++;
    batch.cells.putValue(sheet, row, column, null);
  }
  return cells;
}
