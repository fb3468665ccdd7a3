/** Alignment of arrays in bytes; 64-bit numbers need it. */
const ALIGNMENT = 8;
/** Maximum size of a buffer in bytes. If an array is in use, its whole buffer stays in memory. */
const MAX_SLAB_BYTES = 256 * 1024;
/** Maximum number of characters in one call of `String.fromCharCode`, because argument lists are limited. */
const PIECE = 4096;

const NOT_ASCII = /[^\0-\x7f]/g;

type SharedArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The location of a JSON text in shared memory, in bytes. The text is ASCII. */
export interface SharedText {
  readonly buffer: SharedArrayBuffer;
  readonly start: number;
  readonly length: number;
}

/**
 * Memory that several threads share, so that cells exist once for all threads. An array must not be written after it
 * was filled.
 */
export class SharedMemory {
  private left: number;
  private taken = 0;
  private slab: SharedArrayBuffer | null = null;
  private used = 0;

  /**
   * `expected`: total size of all arrays in bytes, computed with `alignSize`. If it is not known, each buffer is larger
   * than the one before.
   */
  constructor(expected = 0) {
    this.left = expected;
  }

  /** Returns a copy of an array in shared memory; the same array if it is already there. */
  array<A extends SharedArray>(from: A): A {
    if (isShared(from)) return from;
    const { buffer, start } = this.allocate(from.byteLength);
    const moved = new (from.constructor as new (buffer: SharedArrayBuffer, start: number, length: number) => A)(
      buffer,
      start,
      from.length,
    );
    moved.set(from);
    return moved;
  }

  /** Writes the JSON text of a value. */
  json(value: unknown): SharedText {
    const text = JSON.stringify(value).replace(NOT_ASCII, escapeNonAscii);
    const { buffer, start } = this.allocate(text.length);
    const bytes = new Uint8Array(buffer, start, text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return { buffer, start, length: text.length };
  }

  private allocate(bytes: number): { readonly buffer: SharedArrayBuffer; readonly start: number } {
    const room = alignSize(bytes);
    if (this.slab === null || this.used + room > this.slab.byteLength) {
      this.slab = new SharedArrayBuffer(Math.max(room, Math.min(Math.max(this.left, this.taken), MAX_SLAB_BYTES)));
      this.used = 0;
    }
    const start = this.used;
    this.used += room;
    this.left -= room;
    this.taken += room;
    return { buffer: this.slab, start };
  }
}

function escapeNonAscii(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function isShared(array: SharedArray): boolean {
  return array.buffer instanceof SharedArrayBuffer;
}

/** Returns the size that an array with this number of bytes takes. */
export function alignSize(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/** Parses a text that `json` wrote. */
export function readSharedJson({ buffer, start, length }: SharedText): unknown {
  const units = new Uint8Array(buffer, start, length);
  let text = '';
  for (let at = 0; at < length; at += PIECE) {
    text += String.fromCharCode.apply(null, units.subarray(at, at + PIECE) as unknown as number[]);
  }
  return JSON.parse(text);
}
