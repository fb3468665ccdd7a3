/** Size of one piece of memory that small arrays share, and of the largest array placed in it, in bytes. */
const SLAB_BYTES = 32 * 1024;
const MAX_SLAB_ARRAY_BYTES = 2_560;

let slab = new ArrayBuffer(SLAB_BYTES);
let slabUsed = 0;

/**
 * Allocates an array for the bytes of a delta, an inverse or another stored piece. Small arrays share one piece of
 * memory: allocating separate memory for 80 bytes takes 0.5 µs, twenty times as long, and V8's threads have to free it.
 * V8 also allocates it for an array of at most 64 bytes when its `buffer` is read.
 */
export function allocatePooledBytes(length: number): Uint8Array<ArrayBuffer> {
  if (length > MAX_SLAB_ARRAY_BYTES) return new Uint8Array(length);
  if (slabUsed + length > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const bytes = new Uint8Array(slab, slabUsed, length);
  slabUsed += length;
  return bytes;
}
