import { BlockStarts } from '../value/block-starts.ts';

/** Maximum rows of a block. A full block is halved. */
const BLOCK_CAPACITY = 1024;
/** Rows of each block of a list that was sorted as a whole; leaves capacity for more. */
const BLOCK_FILL = 768;

/** Rows of a block in ascending order of their keys; equal keys in ascending order of their rows. */
interface RowBlock {
  readonly keys: Float64Array;
  readonly rows: Uint32Array;
  length: number;
}

/** Compares the values of two rows with equal keys. */
type CompareRows = (a: number, b: number) => number;

const ARE_EQUAL: CompareRows = () => 0;

/**
 * Rows sorted by numeric keys, then by `compare`, then by row, in sorted blocks: adding or removing a row moves rows of
 * one block only. Takes about 16 bytes per row.
 */
export class SortedRows {
  private readonly compare: CompareRows;
  private readonly blocks: RowBlock[] = [];
  private readonly starts = new BlockStarts((block) => this.blocks[block]!.length);
  private size = 0;

  constructor(compare: CompareRows = ARE_EQUAL) {
    this.compare = compare;
  }

  /** Rows that are in order already, with their keys. */
  static of(keys: Float64Array, rows: Uint32Array, compare: CompareRows = ARE_EQUAL): SortedRows {
    const sorted = new SortedRows(compare);
    for (let from = 0; from < rows.length; from += BLOCK_FILL) {
      const end = Math.min(from + BLOCK_FILL, rows.length);
      const block = emptyBlock();
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
    if (this.blocks.length === 0) this.blocks.push(emptyBlock());
    let at = Math.min(this.blockFrom(key, row, row), this.blocks.length - 1);
    if (this.blocks[at]!.length === BLOCK_CAPACITY) {
      this.halve(at);
      if (this.isBefore(this.blocks[at]!, this.blocks[at]!.length - 1, key, row, row)) at++;
    }
    const block = this.blocks[at]!;
    const place = this.placeIn(block, key, row, row);
    block.keys.copyWithin(place + 1, place, block.length);
    block.rows.copyWithin(place + 1, place, block.length);
    block.keys[place] = key;
    block.rows[place] = row;
    block.length++;
    this.size++;
    this.starts.changeFrom(at);
  }

  /** Removes a row. It must be there with this key. */
  remove(key: number, row: number): void {
    const at = this.blockFrom(key, row, row);
    const block = this.blocks[at]!;
    const place = this.placeIn(block, key, row, row);
    block.keys.copyWithin(place, place + 1, block.length);
    block.rows.copyWithin(place, place + 1, block.length);
    block.length--;
    this.size--;
    this.starts.changeFrom(at);
    if (block.length === 0) this.blocks.splice(at, 1);
  }

  /** Number of rows whose keys are less than a key. */
  countBelow(key: number): number {
    return this.countBefore(key, 0, -1);
  }

  /** Number of rows whose keys are not greater than a key. Only without `compare`. */
  countThrough(key: number): number {
    return this.countBefore(key, 0, Number.POSITIVE_INFINITY);
  }

  /** The rows with the same value as the row at an index. */
  equalRange(index: number): { readonly first: number; readonly end: number } {
    const at = this.blockAt(index);
    const { keys, rows } = this.blocks[at]!;
    const place = index - this.starts.startOf(at);
    const [key, row] = [keys[place]!, rows[place]!];
    return { first: this.countBefore(key, row, -1), end: this.countBefore(key, row, Number.POSITIVE_INFINITY) };
  }

  /** Copies rows from an index on to before `end` into an array. */
  copy(from: number, end: number, into: Uint32Array, offset = 0): void {
    if (from >= end) return;
    for (let at = this.blockAt(from), index = from; index < end; at++) {
      const { rows, length } = this.blocks[at]!;
      const place = index - this.starts.startOf(at);
      const count = Math.min(length - place, end - index);
      into.set(rows.subarray(place, place + count), offset + index - from);
      index += count;
    }
  }

  private countBefore(key: number, valueRow: number, row: number): number {
    const at = this.blockFrom(key, valueRow, row);
    if (at === this.blocks.length) return this.size;
    return this.starts.startOf(at) + this.placeIn(this.blocks[at]!, key, valueRow, row);
  }

  /** True if a place of a block is before a key, the value of `valueRow`, and a row. */
  private isBefore({ keys, rows }: RowBlock, place: number, key: number, valueRow: number, row: number): boolean {
    const own = keys[place]!;
    if (own !== key) return own < key;
    const order = this.compare === ARE_EQUAL ? 0 : this.compare(rows[place]!, valueRow);
    return order === 0 ? rows[place]! < row : order < 0;
  }

  /** The first block whose last row is not before the given one. */
  private blockFrom(key: number, valueRow: number, row: number): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.blocks[middle]!;
      if (this.isBefore(block, block.length - 1, key, valueRow, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private placeIn(block: RowBlock, key: number, valueRow: number, row: number): number {
    let low = 0;
    let high = block.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isBefore(block, middle, key, valueRow, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private halve(at: number): void {
    const { keys, rows } = this.blocks[at]!;
    const half = BLOCK_CAPACITY >> 1;
    const upper = emptyBlock();
    upper.keys.set(keys.subarray(half));
    upper.rows.set(rows.subarray(half));
    upper.length = BLOCK_CAPACITY - half;
    this.blocks[at]!.length = half;
    this.blocks.splice(at + 1, 0, upper);
    this.starts.changeFrom(at);
  }

  /** The block that contains an index. */
  private blockAt(index: number): number {
    return this.starts.blockAt(index, this.blocks.length - 1);
  }
}

function emptyBlock(): RowBlock {
  return { keys: new Float64Array(BLOCK_CAPACITY), rows: new Uint32Array(BLOCK_CAPACITY), length: 0 };
}
