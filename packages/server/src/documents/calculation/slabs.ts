/** What one piece of memory holds for deltas, and the most that one of them takes of it. Bytes. */
const SLAB_BYTES = 16 * 1024;
const LARGEST_IN_SLAB = 1_024;
/** V8 keeps so few bytes with the array itself, which is the quickest. */
const FEW_BYTES = 64;

let slab = new ArrayBuffer(SLAB_BYTES);
let slabUsed = 0;

/** Small ones share memory: see `BytesRoom`. */
export function pooled(length: number): Uint8Array {
  if (length <= FEW_BYTES || length > LARGEST_IN_SLAB) return new Uint8Array(length);
  if (slabUsed + length > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const bytes = new Uint8Array(slab, slabUsed, length);
  slabUsed += length;
  return bytes;
}
