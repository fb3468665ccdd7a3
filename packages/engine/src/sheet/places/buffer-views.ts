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

/** The views of buffers that were asked for. They end with the buffer. */
const viewsByBuffer = new WeakMap<ArrayBufferLike, BufferViews>();

/** The views of a buffer; null if threads cannot share it: the arrays of a chunk may then still move elsewhere. */
export function findBufferViews(buffer: ArrayBufferLike): BufferViews | null {
  if (typeof SharedArrayBuffer === 'undefined' || !(buffer instanceof SharedArrayBuffer)) return null;
  let views = viewsByBuffer.get(buffer);
  if (views === undefined) {
    views = new BufferViews(buffer);
    viewsByBuffer.set(buffer, views);
  }
  return views;
}
