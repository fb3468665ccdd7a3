import { type Area, CHUNK_ROWS, MAX_COLUMNS } from '@cellwire/engine';

const NONE = -1;

/** Counts blocks of rows, by column, that the cells of a file lie in; again where cells go back to an earlier one. */
export class BlockCount {
  total = 0;
  /** By column of the sheet the block that came last. */
  private readonly last = new Int32Array(MAX_COLUMNS).fill(NONE);

  /** What follows are cells of another sheet. */
  startSheet(): void {
    this.last.fill(NONE);
  }

  add(row: number, column: number): void {
    const block = blockOf(row);
    if (this.last[column] === block) return;
    this.last[column] = block;
    this.total++;
  }

  addArea({ top, left, bottom, right }: Area): void {
    this.total += (blockOf(bottom) - blockOf(top) + 1) * (right - left + 1);
  }
}

function blockOf(row: number): number {
  // A shift once compiled: with `Math.trunc` this took 5 % of what reading a .csv file takes.
  return (row / CHUNK_ROWS) | 0;
}
