import { CHUNK_ROWS } from './chunk-rows.ts';

/** Maximum chunks per buffer: one chunk in use keeps at most 32 KiB alive. */
const MAX_CHUNKS = 16;

/**
 * Memory for the numbers of a draft's chunks. Allocating a typed array costs several times as much as filling it, so
 * many chunks share one buffer. The first buffer has the expected size. Without an expected size the first two chunks
 * get separate arrays, so that small edits leave no unused memory.
 */
export class NumberArena {
  /** Number of whole chunks whose numbers took memory. */
  taken = 0;
  private slab: Float64Array | null = null;
  private used = 0;
  private readonly expected: number;

  constructor(expected = 0) {
    this.expected = Math.min(expected, MAX_CHUNKS);
  }

  /** An array of zeros. */
  allocateNumbers(length: number): Float64Array {
    // A partial chunk is copied when it grows; its part of a shared buffer would be wasted.
    if (length < CHUNK_ROWS) return new Float64Array(length);
    const chunks = this.taken < this.expected ? this.expected : Math.min(this.taken, MAX_CHUNKS);
    this.taken++;
    if (chunks <= 1) return new Float64Array(length);
    if (this.slab === null || this.used === this.slab.length) {
      this.slab = new Float64Array(CHUNK_ROWS * chunks);
      this.used = 0;
    }
    this.used += CHUNK_ROWS;
    return this.slab.subarray(this.used - CHUNK_ROWS, this.used);
  }
}
