/**
 * The index of the first element of each block in a list of blocks. After a change, only blocks after the changed one
 * are counted again.
 */
export class BlockStarts {
  /** The start of each block; valid for the first `counted` blocks. */
  private readonly starts = [0];
  private counted = 1;
  private readonly lengthOf: (block: number) => number;

  /** `lengthOf`: returns the number of elements of a block. */
  constructor(lengthOf: (block: number) => number) {
    this.lengthOf = lengthOf;
  }

  /**
   * Drops the starts of the blocks after `block`. Call it after the block's length changed, or after blocks were added
   * or removed at or after this position.
   */
  dropStartsAfter(block: number): void {
    this.counted = Math.min(this.counted, block + 1);
  }

  getBlockStart(block: number): number {
    const { starts } = this;
    for (; this.counted <= block; this.counted++) {
      starts[this.counted] = starts[this.counted - 1]! + this.lengthOf(this.counted - 1);
    }
    return starts[block]!;
  }

  /** Returns the block that contains an index. `lastBlock`: the last block. */
  findBlock(index: number, lastBlock: number): number {
    this.getBlockStart(lastBlock);
    let low = 0;
    let high = lastBlock;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
