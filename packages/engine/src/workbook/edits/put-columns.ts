import { type Area, area, union } from '../../grid/area.ts';
import { EMPTY, NUMBER, TEXT } from '../../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../../sheet/chunk.ts';
import { type PlainColumn, readPlainValue, restoreTexts } from '../../sheet/plain-column.ts';
import { Texts } from '../../sheet/texts.ts';
import type { Batch } from '../batch.ts';
import { MIN_CELLS_AT_ONCE, writeChunkCells } from '../write-chunk-cells.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** The work of writing texts, in calculated cells: one for each 64 code units. */
const TEXT_WORK_LOG2 = 6;

/** Writes plain values into cells, column by column. */
export function putColumns(batch: Batch, { sheet, columns }: EditOfKind<'putColumns'>): EditResult {
  let cells = 0;
  let around: Area | null = null;
  for (const column of columns) {
    const { rows } = column;
    if (rows.length === 0) continue;
    putColumn(batch, sheet, column);
    cells += rows.length;
    const rowsOfColumn = area(rows[0]!, column.column, rows.at(-1)!, column.column);
    around = around === null ? rowsOfColumn : union(around, rowsOfColumn);
  }
  const { merges } = batch.draft.requireSheet(sheet).layout;
  batch.merged.warnHiddenInColumns(merges, columns, (row, column, message) => {
    batch.warnings.addWarning(sheet, row, column, message);
  });
  return { sheet, area: around, cells };
}

/** Cells of a column, from index `from` to before `end`, that are in one chunk. */
interface ChunkCells {
  readonly cells: PlainColumn;
  readonly texts: Texts;
  readonly from: number;
  readonly end: number;
}

/** Writes the cells of one column, chunk by chunk. */
function putColumn(batch: Batch, sheetId: number, cells: PlainColumn): void {
  const { draft, meter } = batch;
  const { column, rows } = cells;
  const texts = restoreTexts(cells);
  meter.reportWork(rows.length + (cells.units.length >> TEXT_WORK_LOG2));
  for (let from = 0, end = 0; from < rows.length; from = end) {
    const block = rows[from]! >> CHUNK_SHIFT;
    end = findChunkEnd(rows, from);
    const sheet = draft.requireSheet(sheetId);
    const first = rows[from]! & CHUNK_MASK;
    const count = (rows[end - 1]! & CHUNK_MASK) - first + 1;
    const hasDerived = sheet.spills.size > 0 || sheet.chunk(column, block)?.hasDerived(first, count) === true;
    const isAtOnce = end - from >= MIN_CELLS_AT_ONCE && !hasDerived;
    const part = { cells, texts, from, end };
    if (isAtOnce && isRunOfNumbers(part)) putNumbers(batch, sheetId, part);
    else if (isAtOnce) replaceChunkCells(batch, sheetId, part);
    else
      for (let i = from; i < end; i++) batch.cells.putValue(sheetId, rows[i]!, column, readPlainValue(cells, texts, i));
  }
}

/** One past the last of the ascending rows that is in the same chunk as the row at index `from`. */
function findChunkEnd(rows: Uint32Array, from: number): number {
  const first = rows[from]!;
  // Usually the rows are consecutive.
  const full = Math.min(rows.length, from + CHUNK_ROWS - (first & CHUNK_MASK));
  if (rows[full - 1]! - first === full - 1 - from) return full;
  let end = from + 1;
  while (end < full && rows[end]! >> CHUNK_SHIFT === first >> CHUNK_SHIFT) end++;
  return end;
}

/** True if the cells are numbers in consecutive rows. */
function isRunOfNumbers({ cells: { rows, kinds }, from, end }: ChunkCells): boolean {
  if (rows[end - 1]! - rows[from]! !== end - 1 - from) return false;
  for (let i = from; i < end; i++) if (kinds[i] !== NUMBER) return false;
  return true;
}

/** Writes the numbers from index `from` to before `end` to consecutive rows of a chunk. */
function putNumbers({ draft, written }: Batch, sheetId: number, { cells, from, end }: ChunkCells): void {
  const { column, rows, numbers } = cells;
  const values = numbers.subarray(from, end);
  draft.setNumbers(NUMBER, sheetId, column, rows[from]!, values, end - from, (first, last) => {
    written.addRows(sheetId, column, first, last);
  });
}

/** Replaces many cells of a chunk. None of them may contain a result of a formula. */
function replaceChunkCells({ draft, written }: Batch, sheetId: number, part: ChunkCells): void {
  const { cells, texts, from, end } = part;
  const { column, rows, kinds, numbers } = cells;
  const block = rows[from]! >> CHUNK_SHIFT;
  const before = draft.requireSheet(sheetId).chunk(column, block);
  let isChanged = false;
  for (let i = from; i < end; i++) {
    if (isSameCell(before, part, i)) continue;
    isChanged = true;
    written.add(sheetId, rows[i]!, column);
  }
  if (!isChanged) return;
  writeChunkCells(draft, sheetId, {
    column,
    rows: rows.subarray(from, end),
    kinds: kinds.subarray(from, end),
    numbers: numbers.subarray(from, end),
    texts: texts === Texts.NONE ? null : texts,
  });
}

/** True if the cell with index `i` already has its value in the chunk. */
function isSameCell(
  chunk: Chunk | undefined,
  { cells: { rows, kinds, numbers }, texts }: ChunkCells,
  i: number,
): boolean {
  const row = rows[i]! & CHUNK_MASK;
  const kind = kinds[i]!;
  if ((chunk?.kind(row) ?? EMPTY) !== kind) return false;
  if (chunk === undefined || kind === EMPTY) return true;
  if (kind === TEXT) return chunk.texts.isSameText(chunk.number(row), texts, numbers[i]!);
  return chunk.number(row) === numbers[i];
}
