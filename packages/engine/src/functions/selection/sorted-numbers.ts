import { BlockStarts } from '../../value/block-starts.ts';
import { ExactSum } from '../row-figures/exact-sum.ts';
import type { OrderedNumbers } from './ordered-numbers.ts';

/** Maximum number of values in a block. A full block is split into two. */
const BLOCK_CAPACITY = 1024;
/** Number of values in each block when a whole list is stored. The block has capacity for more. */
const BLOCK_FILL = 512;

/**
 * Numbers in ascending order, stored as sorted blocks: adding or removing a number moves only numbers of one block.
 * Equal numbers are stored as often as they were added.
 */
export class SortedNumbers implements OrderedNumbers {
  private readonly blocks: Float64Array[] = [];
  private readonly lengths: number[] = [];
  /** Sums of whole blocks; undefined for a block that changed since its sum was requested. */
  private readonly sums: (ExactSum | undefined)[] = [];
  private readonly starts = new BlockStarts((block) => this.lengths[block]!);
  private size = 0;

  /** Creates a list from numbers that are already ascending. */
  static fromAscending(ascending: Float64Array): SortedNumbers {
    const sorted = new SortedNumbers();
    for (let from = 0; from < ascending.length; from += BLOCK_FILL) {
      const part = ascending.subarray(from, from + BLOCK_FILL);
      const block = new Float64Array(BLOCK_CAPACITY);
      block.set(part);
      sorted.blocks.push(block);
      sorted.lengths.push(part.length);
    }
    sorted.size = ascending.length;
    return sorted;
  }

  get length(): number {
    return this.size;
  }

  add(number: number): void {
    this.size++;
    if (this.blocks.length === 0) {
      this.blocks.push(new Float64Array(BLOCK_CAPACITY));
      this.lengths.push(0);
    }
    let at = Math.min(this.findBlock(number), this.blocks.length - 1);
    if (this.lengths[at] === BLOCK_CAPACITY) {
      this.splitBlock(at);
      if (number > this.blocks[at]![this.lengths[at]! - 1]!) at++;
    }
    const block = this.blocks[at]!;
    const length = this.lengths[at]!;
    const place = findOffset(block, length, number);
    block.copyWithin(place + 1, place, length);
    block[place] = number;
    this.lengths[at] = length + 1;
    this.sums[at] = undefined;
    this.starts.dropStartsAfter(at);
  }

  /** Removes one number, which must exist. */
  remove(number: number): void {
    const at = this.findBlock(number);
    const block = this.blocks[at]!;
    const length = this.lengths[at]!;
    const place = findOffset(block, length, number);
    block.copyWithin(place, place + 1, length);
    this.size--;
    this.sums[at] = undefined;
    this.starts.dropStartsAfter(at);
    if (length > 1) {
      this.lengths[at] = length - 1;
      return;
    }
    this.blocks.splice(at, 1);
    this.lengths.splice(at, 1);
    this.sums.splice(at, 1);
  }

  at(index: number): number {
    const at = this.starts.findBlock(index, this.blocks.length - 1);
    return this.blocks[at]![index - this.starts.getBlockStart(at)]!;
  }

  countBelow(number: number): number {
    const at = this.findBlock(number);
    if (at === this.blocks.length) return this.size;
    return this.starts.getBlockStart(at) + findOffset(this.blocks[at]!, this.lengths[at]!, number);
  }

  countAtMost(number: number): number {
    const at = this.findBlock(number, true);
    if (at === this.blocks.length) return this.size;
    return this.starts.getBlockStart(at) + findOffset(this.blocks[at]!, this.lengths[at]!, number, true);
  }

  addRange(sum: ExactSum, from: number, to: number): void {
    if (from >= to) return;
    for (let at = this.starts.findBlock(from, this.blocks.length - 1); at < this.blocks.length; at++) {
      const start = this.starts.getBlockStart(at);
      if (start >= to) return;
      const end = start + this.lengths[at]!;
      if (from <= start && end <= to) sum.include(this.sumBlock(at));
      else for (let i = Math.max(from, start); i < Math.min(to, end); i++) sum.add(this.blocks[at]![i - start]!);
    }
  }

  private sumBlock(at: number): ExactSum {
    const cached = this.sums[at];
    if (cached !== undefined) return cached;
    const sum = new ExactSum();
    for (let i = 0; i < this.lengths[at]!; i++) sum.add(this.blocks[at]![i]!);
    this.sums[at] = sum;
    return sum;
  }

  /** Splits a full block into two. */
  private splitBlock(blockIndex: number): void {
    const block = this.blocks[blockIndex]!;
    const half = BLOCK_CAPACITY >> 1;
    const upper = new Float64Array(BLOCK_CAPACITY);
    upper.set(block.subarray(half));
    this.blocks.splice(blockIndex + 1, 0, upper);
    this.lengths.splice(blockIndex, 1, half, BLOCK_CAPACITY - half);
    this.sums.splice(blockIndex, 1, undefined, undefined);
    this.starts.dropStartsAfter(blockIndex);
  }

  /** The first block whose last number is at least `number`, or greater than it (`isAfter`). */
  private findBlock(number: number, isAfter = false): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const last = this.blocks[middle]![this.lengths[middle]! - 1]!;
      if (last < number || (isAfter && last === number)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The first index in a block whose number is at least `number`, or greater than it (`isAfter`). */
function findOffset(block: Float64Array, length: number, number: number, isAfter = false): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = block[middle]!;
    if (value < number || (isAfter && value === number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
