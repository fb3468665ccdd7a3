/** Number of elements of a block of memory. A block of numbers takes 512 KiB, a block of kinds 64 KiB. */
const BLOCK_ELEMENTS = 65_536;
/** Maximum number of blocks that are kept. Longer or later arrays get memory of their own. */
const MAX_BLOCKS = 16;

/** Gives arrays of one type, and takes them all back at once. */
class Blocks<T extends Float64Array | Uint8Array> {
  private readonly create: (length: number) => T;
  private readonly blocks: T[] = [];
  private block = 0;
  private used = 0;

  constructor(create: (length: number) => T) {
    this.create = create;
  }

  take(length: number): T {
    if (length > BLOCK_ELEMENTS) return this.create(length);
    if (this.used + length > BLOCK_ELEMENTS) {
      this.block++;
      this.used = 0;
    }
    if (this.block >= MAX_BLOCKS) return this.create(length);
    const block = this.blocks[this.block] ?? this.create(BLOCK_ELEMENTS);
    this.blocks[this.block] = block;
    const from = this.used;
    this.used += length;
    return block.subarray(from, this.used) as T;
  }

  takeBack(): void {
    this.block = 0;
    this.used = 0;
  }
}

/**
 * Memory for the arrays of one formula after the other. Allocating typed arrays takes longer than calculating their
 * elements, and makes V8 collect garbage often.
 */
export class ScratchArrays {
  private readonly numbers = new Blocks((length) => new Float64Array(length));
  private readonly kinds = new Blocks((length) => new Uint8Array(length));

  /** Returns an array with arbitrary elements. */
  takeNumbers(length: number): Float64Array {
    return this.numbers.take(length);
  }

  /** Returns an array with arbitrary elements. */
  takeKinds(length: number): Uint8Array {
    return this.kinds.take(length);
  }

  /** Makes the memory of all arrays available for other arrays. */
  takeBack(): void {
    this.numbers.takeBack();
    this.kinds.takeBack();
  }
}
