import { type Area, CHUNK_ROWS, MAX_COLUMNS } from '@cellwire/engine';

const NONE = -1;

/**
 * Counts for each column the blocks of rows that contain cells of a file. A block is counted again if cells of it
 * follow cells of another block.
 */
export class BlockCount {
  total = 0;
  /** The last block of each column. */
  private readonly last = new Int32Array(MAX_COLUMNS).fill(NONE);

  /** Starts another sheet. */
  startSheet(): void {
    this.last.fill(NONE);
  }

  addCell(row: number, column: number): void {
    const block = toBlockIndex(row);
    if (this.last[column] === block) return;
    this.last[column] = block;
    this.total++;
  }

  addArea({ top, left, bottom, right }: Area): void {
    this.total += (toBlockIndex(bottom) - toBlockIndex(top) + 1) * (right - left + 1);
  }
}

function toBlockIndex(row: number): number {
  // `| 0` compiles to a shift. `Math.trunc` took 5 % of the time to read a .csv file.
  return (row / CHUNK_ROWS) | 0;
}
