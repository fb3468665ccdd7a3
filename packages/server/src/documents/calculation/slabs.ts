/** Size of one piece of shared memory, and of the largest array that is put into it. Bytes. */
const SLAB_BYTES = 16 * 1024;
const LARGEST_IN_SLAB = 1_024;
/** V8 stores an array of this size inside its object, which is faster. */
const MAX_INLINE_BYTES = 64;

let slab = new ArrayBuffer(SLAB_BYTES);
let slabUsed = 0;

/** A new array for bytes of a delta or an inverse. Small ones share a piece of memory. */
export function pooled(length: number): Uint8Array {
  if (length <= MAX_INLINE_BYTES || length > LARGEST_IN_SLAB) return new Uint8Array(length);
  if (slabUsed + length > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const bytes = new Uint8Array(slab, slabUsed, length);
  slabUsed += length;
  return bytes;
}
