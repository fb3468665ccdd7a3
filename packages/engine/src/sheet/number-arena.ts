import { CHUNK_ROWS } from './chunk-rows.ts';

/** Allocates memory for the numbers of chunks. */
export interface NumberAllocator {
  /** Returns an array of zeros. */
  allocateNumbers(length: number): Float64Array;
}

/** Maximum number of chunks per buffer: a chunk in use keeps the memory of its whole buffer, at most 32 KiB. */
const MAX_CHUNKS = 16;

/**
 * Memory for the numbers of a draft's chunks. Allocating a typed array takes several times as long as filling it, so
 * many chunks share one buffer. The first buffer has the expected size. Without an expected size, the first two chunks
 * get separate arrays, so that small edits do not waste memory.
 */
export class NumberArena implements NumberAllocator {
  /** Number of whole chunks that got memory. */
  taken = 0;
  private slab: Float64Array | null = null;
  private used = 0;
  private readonly expected: number;

  constructor(expected = 0) {
    this.expected = Math.min(expected, MAX_CHUNKS);
  }

  allocateNumbers(length: number): Float64Array {
    // A partial chunk is copied when it grows, and its part of a shared buffer would then be wasted.
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
