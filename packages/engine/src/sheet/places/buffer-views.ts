/** Arrays of all types over one buffer of memory that threads share. Cells of many chunks are in the same buffer. */
export class BufferViews {
  readonly bytes: Uint8Array;
  readonly shorts: Uint16Array;
  readonly words: Uint32Array;
  readonly numbers: Float64Array;

  constructor(buffer: ArrayBufferLike) {
    const { byteLength } = buffer;
    this.bytes = new Uint8Array(buffer);
    this.shorts = new Uint16Array(buffer, 0, byteLength >> 1);
    this.words = new Uint32Array(buffer, 0, byteLength >> 2);
    this.numbers = new Float64Array(buffer, 0, byteLength >> 3);
  }
}

/** Views by buffer, while the buffer is in memory. */
const viewsByBuffer = new WeakMap<ArrayBufferLike, BufferViews>();

/** The views of a buffer; null if threads do not share it. Arrays of chunks can still move out of such a buffer. */
export function findBufferViews(buffer: ArrayBufferLike): BufferViews | null {
  if (typeof SharedArrayBuffer === 'undefined' || !(buffer instanceof SharedArrayBuffer)) return null;
  let views = viewsByBuffer.get(buffer);
  if (views === undefined) {
    views = new BufferViews(buffer);
    viewsByBuffer.set(buffer, views);
  }
  return views;
}
