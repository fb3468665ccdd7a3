import { EMPTY, SPILLED } from '../../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../../sheet/chunk.ts';
import { clipToUsed } from '../../sheet/snapshot.ts';
import type { Batch } from '../batch.ts';
import { MIN_CELLS_AT_ONCE, writeChunkCells } from '../write-chunk-cells.ts';
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
    // Visits only existing chunks: an extent of millions of rows and columns may contain only two cells.
    for (let block = first; block <= last; block++) {
      const base = block << CHUNK_SHIFT;
      const bottom = Math.min(within.bottom, base + (chunks?.at(block)?.rows ?? 0) - 1);
      cells += clearRows(batch, id, column, Math.max(within.top, base), bottom);
    }
  }
  return { sheet: id, area, cells };
}

/** Clears rows of one chunk. Returns the number of cells that had an input. */
function clearRows(batch: Batch, sheet: number, column: number, top: number, bottom: number): number {
  const count = bottom - top + 1;
  batch.meter.reportWork(count);
  const chunk = batch.draft.requireSheet(sheet).chunk(column, top >> CHUNK_SHIFT);
  if (chunk === undefined) return 0;
  const isAtOnce = count >= MIN_CELLS_AT_ONCE && !chunk.hasDerived(top & CHUNK_MASK, count);
  return isAtOnce
    ? clearPlainRows(batch, sheet, chunk, { column, top, bottom })
    : clearEachCell(batch, sheet, column, top, bottom);
}

/** Clears rows of a chunk cell by cell, together with formulas and spills. */
function clearEachCell(batch: Batch, sheet: number, column: number, top: number, bottom: number): number {
  let cells = 0;
  for (let row = top; row <= bottom; row++) {
    const kind = batch.draft.requireSheet(sheet).kind(row, column);
    if (kind === EMPTY || (kind & SPILLED) !== 0) continue;
    cells++;
    batch.cells.putValue(sheet, row, column, null);
  }
  return cells;
}

const EMPTY_KINDS = new Uint8Array(CHUNK_ROWS).fill(EMPTY);
const EMPTY_NUMBERS = new Float64Array(CHUNK_ROWS);

/** Clears rows of a chunk that contain no results of formulas. */
function clearPlainRows(
  { draft, written }: Batch,
  sheet: number,
  { kinds }: Chunk,
  { column, top, bottom }: { readonly column: number; readonly top: number; readonly bottom: number },
): number {
  const filled = new Uint32Array(bottom - top + 1);
  let cells = 0;
  for (let row = top; row <= bottom; row++) {
    if (kinds[row & CHUNK_MASK] === EMPTY) continue;
    filled[cells++] = row;
    written.add(sheet, row, column);
  }
  if (cells === 0) return 0;
  const rows = filled.subarray(0, cells);
  writeChunkCells(draft, sheet, {
    column,
    rows,
    kinds: EMPTY_KINDS.subarray(0, cells),
    numbers: EMPTY_NUMBERS.subarray(0, cells),
    texts: null,
  });
  return cells;
}
