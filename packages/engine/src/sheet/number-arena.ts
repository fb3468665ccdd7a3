import { CHUNK_ROWS } from './chunk-rows.ts';

/** Chunks whose numbers one buffer holds at most: a chunk that is still in use keeps at most 32 KiB alive. */
const MAX_CHUNKS = 16;

/**
 * Memory for the numbers of a draft's chunks. Making a typed array costs several times what filling it does, so many
 * chunks share one. The first buffer is as large as is expected to be used; without that, the first two chunks get
 * buffers apart, so that small edits leave nothing behind.
 */
export class NumberArena {
  /** Whole chunks taken. */
  taken = 0;
  private slab: Float64Array | null = null;
  private used = 0;
  private readonly expected: number;

  constructor(expected = 0) {
    this.expected = Math.min(expected, MAX_CHUNKS);
  }

  /** Zeros, as many as asked for. */
  take(length: number): Float64Array {
    // A chunk that is not full is copied when it grows: its piece of a shared buffer would be lost.
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
