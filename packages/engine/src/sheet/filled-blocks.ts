import { MAX_ROWS } from '../grid/limits.ts';
import type { Scalar } from '../value/scalar.ts';
import { EMPTY, TYPE_MASK } from './cell-kind.ts';
import { CHUNK_SHIFT, type Chunk } from './chunk.ts';
import { iterateRowSpans, MovedChunks } from './moves/moved-chunks.ts';
import type { Sheet } from './snapshot.ts';

/** A block of rows, and the columns that have a chunk in it, in order. */
interface FilledBlock {
  readonly top: number;
  readonly bottom: number;
  readonly columns: readonly number[];
}

/**
 * The blocks of a sheet that may contain cells, from top to bottom. The time depends on the number of chunks, not on
 * the rows between them.
 */
export function* iterateFilledBlocks(sheet: Sheet): Generator<FilledBlock> {
  for (const [block, columns] of [...indexColumnsByBlock(sheet)].sort(([a], [b]) => a - b)) {
    const top = block << CHUNK_SHIFT;
    const rows = columns.map((column) => sheet.chunk(column, block)?.rows ?? 0);
    yield { top, bottom: top + Math.max(...rows) - 1, columns };
  }
}

/** The cells of a block that are in one column. Rows count from the first row of the block. */
export interface BlockColumn {
  /** All cells from the first row on, if they are numbers with the same format; else null. Read only. */
  readonly numbers: Float64Array | null;
  value(row: number): Scalar;
  /** The id of a cell's format in `Snapshot.formats`. */
  format(row: number): number;
}

/** The cells of a block by column; null for a column without cells. */
export function readBlockColumns(sheet: Sheet, { top, columns }: FilledBlock): readonly (BlockColumn | null)[] {
  const cells: (BlockColumn | null)[] = [];
  for (const column of columns) {
    while (cells.length < column) cells.push(null);
    const chunk = sheet.chunk(column, top >> CHUNK_SHIFT);
    cells.push(chunk === undefined ? null : toBlockColumn(chunk));
  }
  return cells;
}

function toBlockColumn(chunk: Chunk): BlockColumn {
  return {
    numbers: chunk.isAllNumbers && chunk.uniformFormat() !== null ? chunk.numbers : null,
    value: (row) => chunk.value(row),
    format: (row) => chunk.format(row),
  };
}

/** Returns the capacity of a sheet's chunks in cells. */
export function countCellCapacity(sheet: Sheet): number {
  let chunks = 0;
  for (const columns of indexColumnsByBlock(sheet).values()) chunks += columns.length;
  return chunks << CHUNK_SHIFT;
}

/** Returns the number of cells with a value. */
export function countFilledCells(sheet: Sheet): number {
  let cells = 0;
  for (const [block, columns] of indexColumnsByBlock(sheet)) {
    for (const column of columns) {
      for (const kind of sheet.chunk(column, block)?.kinds ?? []) if ((kind & TYPE_MASK) !== EMPTY) cells++;
    }
  }
  return cells;
}

/** Returns, for each block, the columns that may have a chunk in it, in order. */
function indexColumnsByBlock(sheet: Sheet): ReadonlyMap<number, readonly number[]> {
  const columnsByBlock = new Map<number, number[]>();
  for (const [index, column] of sheet.columns.entries()) {
    if (column === undefined) continue;
    const { source } = column;
    const spans =
      source instanceof MovedChunks ? source.chunkRowSpans(0, MAX_ROWS) : iterateRowSpans(source, 0, MAX_ROWS);
    for (const { first, last } of spans) {
      for (let block = first >> CHUNK_SHIFT; block <= last >> CHUNK_SHIFT; block++) {
        const columns = columnsByBlock.get(block);
        if (columns === undefined) columnsByBlock.set(block, [index]);
        else if (columns.at(-1) !== index) columns.push(index);
      }
    }
  }
  return columnsByBlock;
}

/** A filled cell. `format`: its id in `Snapshot.formats`. */
export interface FilledCell {
  readonly column: number;
  readonly value: Scalar;
  readonly format: number;
}

/** The rows of a sheet that contain values, from top to bottom, each with its filled cells from left to right. */
export function* iterateFilledRows(sheet: Sheet): Generator<readonly [row: number, cells: readonly FilledCell[]]> {
  for (const { top, bottom, columns } of iterateFilledBlocks(sheet)) {
    for (let row = top; row <= bottom; row++) {
      const cells: FilledCell[] = [];
      for (const column of columns) {
        const value = sheet.value(row, column);
        if (value !== null) cells.push({ column, value, format: sheet.format(row, column) });
      }
      if (cells.length > 0) yield [row, cells];
    }
  }
}
