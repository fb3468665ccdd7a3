/** Size of one piece of shared memory, and of the largest array placed in it, in bytes. */
const SLAB_BYTES = 16 * 1024;
const MAX_SLAB_ARRAY_BYTES = 1_024;
/** V8 stores arrays up to this size inside their object, which is faster. */
const MAX_INLINE_BYTES = 64;

let slab = new ArrayBuffer(SLAB_BYTES);
let slabUsed = 0;

/** Allocates an array for the bytes of a delta or an inverse. Small arrays share one piece of memory. */
export function allocatePooledBytes(length: number): Uint8Array {
  if (length <= MAX_INLINE_BYTES || length > MAX_SLAB_ARRAY_BYTES) return new Uint8Array(length);
  if (slabUsed + length > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const bytes = new Uint8Array(slab, slabUsed, length);
  slabUsed += length;
  return bytes;
}
