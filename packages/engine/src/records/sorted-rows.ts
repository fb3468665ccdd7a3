import { BlockStarts } from '../value/block-starts.ts';
import { findFirstIndex } from '../value/first-index.ts';

/** Maximum number of rows in a block. A full block is split into two. */
const BLOCK_CAPACITY = 1024;
/** Number of rows in each block when a whole list is stored. The block has capacity for more. */
const BLOCK_FILL = 768;

/** Rows of a block in ascending order of their keys; equal keys in ascending order of their rows. */
interface SortedBlock {
  readonly keys: Float64Array;
  readonly rows: Uint32Array;
  length: number;
}

/** Compares the values of two rows with equal keys. */
type CompareRows = (a: number, b: number) => number;

const treatAsEqual: CompareRows = () => 0;

/**
 * Rows sorted by numeric keys, then by `compare`, then by row number. They are stored as sorted blocks: adding or
 * removing a row moves only rows of one block. Takes about 16 bytes per row.
 */
export class SortedRows {
  private readonly compare: CompareRows;
  private readonly blocks: SortedBlock[] = [];
  private readonly starts = new BlockStarts((block) => this.blocks[block]!.length);
  private size = 0;

  constructor(compare: CompareRows = treatAsEqual) {
    this.compare = compare;
  }

  /** Creates a list from rows that are already sorted, and their keys. */
  static fromSorted(keys: Float64Array, rows: Uint32Array, compare: CompareRows = treatAsEqual): SortedRows {
    const sorted = new SortedRows(compare);
    for (let from = 0; from < rows.length; from += BLOCK_FILL) {
      const end = Math.min(from + BLOCK_FILL, rows.length);
      const block = createEmptyBlock();
      block.keys.set(keys.subarray(from, end));
      block.rows.set(rows.subarray(from, end));
      block.length = end - from;
      sorted.blocks.push(block);
    }
    sorted.size = rows.length;
    return sorted;
  }

  get length(): number {
    return this.size;
  }

  add(key: number, row: number): void {
    if (this.blocks.length === 0) this.blocks.push(createEmptyBlock());
    let at = Math.min(this.findBlockFor(key, row, row), this.blocks.length - 1);
    if (this.blocks[at]!.length === BLOCK_CAPACITY) {
      this.splitBlock(at);
      if (this.isBefore(this.blocks[at]!, this.blocks[at]!.length - 1, key, row, row)) at++;
    }
    const block = this.blocks[at]!;
    const place = this.findIndexIn(block, key, row, row);
    block.keys.copyWithin(place + 1, place, block.length);
    block.rows.copyWithin(place + 1, place, block.length);
    block.keys[place] = key;
    block.rows[place] = row;
    block.length++;
    this.size++;
    this.starts.dropStartsAfter(at);
  }

  /** Removes a row, which must exist with this key. */
  remove(key: number, row: number): void {
    const at = this.findBlockFor(key, row, row);
    const block = this.blocks[at]!;
    const place = this.findIndexIn(block, key, row, row);
    block.keys.copyWithin(place, place + 1, block.length);
    block.rows.copyWithin(place, place + 1, block.length);
    block.length--;
    this.size--;
    this.starts.dropStartsAfter(at);
    if (block.length === 0) this.blocks.splice(at, 1);
  }

  /** Counts the rows at the beginning that pass a test of their key and row. No later row may pass it. */
  countFirst(test: (key: number, row: number) => boolean): number {
    const block = findFirstIndex(0, this.blocks.length, (at) => {
      const { keys, rows, length } = this.blocks[at]!;
      return !test(keys[length - 1]!, rows[length - 1]!);
    });
    if (block === this.blocks.length) return this.size;
    const { keys, rows, length } = this.blocks[block]!;
    return this.starts.getBlockStart(block) + findFirstIndex(0, length, (at) => !test(keys[at]!, rows[at]!));
  }

  /** The rows with the same value as the row at an index. */
  findEqualRange(index: number): { readonly first: number; readonly end: number } {
    const at = this.findBlockAt(index);
    const { keys, rows } = this.blocks[at]!;
    const place = index - this.starts.getBlockStart(at);
    const [key, row] = [keys[place]!, rows[place]!];
    return { first: this.countBefore(key, row, -1), end: this.countBefore(key, row, Number.POSITIVE_INFINITY) };
  }

  /** Copies the rows from index `from` to `end - 1` into an array. */
  copyRows(from: number, end: number, target: Uint32Array, offset = 0): void {
    if (from >= end) return;
    for (let at = this.findBlockAt(from), index = from; index < end; at++) {
      const { rows, length } = this.blocks[at]!;
      const place = index - this.starts.getBlockStart(at);
      const count = Math.min(length - place, end - index);
      target.set(rows.subarray(place, place + count), offset + index - from);
      index += count;
    }
  }

  /** Counts the rows that come before a row with a key and the value of `valueRow`. */
  private countBefore(key: number, valueRow: number, row: number): number {
    const at = this.findBlockFor(key, valueRow, row);
    if (at === this.blocks.length) return this.size;
    return this.starts.getBlockStart(at) + this.findIndexIn(this.blocks[at]!, key, valueRow, row);
  }

  /**
   * True if the row at an index of a block comes before a row with a key, the value of `valueRow`, and a row number.
   */
  private isBefore({ keys, rows }: SortedBlock, index: number, key: number, valueRow: number, row: number): boolean {
    const keyAtIndex = keys[index]!;
    if (keyAtIndex !== key) return keyAtIndex < key;
    const order = this.compare === treatAsEqual ? 0 : this.compare(rows[index]!, valueRow);
    return order === 0 ? rows[index]! < row : order < 0;
  }

  /** Returns the first block whose last row does not come before the given row. */
  private findBlockFor(key: number, valueRow: number, row: number): number {
    return findFirstIndex(0, this.blocks.length, (at) => {
      const block = this.blocks[at]!;
      return !this.isBefore(block, block.length - 1, key, valueRow, row);
    });
  }

  /** The index in a block of the first row that does not come before the given row. */
  private findIndexIn(block: SortedBlock, key: number, valueRow: number, row: number): number {
    return findFirstIndex(0, block.length, (index) => !this.isBefore(block, index, key, valueRow, row));
  }

  /** Splits a full block into two. */
  private splitBlock(blockIndex: number): void {
    const { keys, rows } = this.blocks[blockIndex]!;
    const half = BLOCK_CAPACITY >> 1;
    const upper = createEmptyBlock();
    upper.keys.set(keys.subarray(half));
    upper.rows.set(rows.subarray(half));
    upper.length = BLOCK_CAPACITY - half;
    this.blocks[blockIndex]!.length = half;
    this.blocks.splice(blockIndex + 1, 0, upper);
    this.starts.dropStartsAfter(blockIndex);
  }

  /** The block that contains an index. */
  private findBlockAt(index: number): number {
    return this.starts.findBlock(index, this.blocks.length - 1);
  }
}

function createEmptyBlock(): SortedBlock {
  return { keys: new Float64Array(BLOCK_CAPACITY), rows: new Uint32Array(BLOCK_CAPACITY), length: 0 };
}
