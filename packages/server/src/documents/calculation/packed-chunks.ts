import type { Checkpoint, StoredChunk } from '@cellwire/engine';
import { markSealable, TRAILER_BYTES } from '@cellwire/store/stored-forms';

/** A checkpoint with packed chunks. Receiving sixteen thousand separate arrays would block the serving thread for 20 ms. */
export interface PackedCheckpoint extends Omit<Checkpoint, 'chunks'> {
  readonly chunks: PackedChunks;
}

/** Chunks in their stored form, for another thread. */
interface PackedChunks {
  /** For each chunk its sheet, column, block and number of bytes. */
  readonly heads: Int32Array<ArrayBuffer>;
  /**
   * The bytes of all chunks, each followed by space for its checksums, in memory that threads share: neither the serving
   * thread nor the writer thread needs a copy.
   */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
}

const HEAD_INTEGERS = 4;
/** Chunks between two pauses. */
const CHUNKS_PER_STEP = 256;

export function packChunks(chunks: readonly StoredChunk[]): PackedChunks {
  const heads = new Int32Array(chunks.length * HEAD_INTEGERS);
  const length = chunks.reduce((sum, chunk) => sum + chunk.bytes.length + TRAILER_BYTES, 0);
  const bytes = new Uint8Array(new SharedArrayBuffer(length));
  let start = 0;
  for (const [i, { sheet, column, block, bytes: stored }] of chunks.entries()) {
    heads.set([sheet, column, block, stored.length], i * HEAD_INTEGERS);
    bytes.set(stored, start);
    start += stored.length + TRAILER_BYTES;
  }
  return { heads, bytes };
}

/** The packed chunks, which share the memory of the message. Pauses regularly. */
export function* unpackChunks({ heads, bytes }: PackedChunks): Generator<void, readonly StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  let start = 0;
  for (let at = 0; at < heads.length; at += HEAD_INTEGERS) {
    const [sheet = 0, column = 0, block = 0, length = 0] = heads.subarray(at, at + HEAD_INTEGERS);
    const piece = bytes.subarray(start, start + length);
    markSealable(piece);
    chunks.push({ sheet, column, block, bytes: piece });
    start += length + TRAILER_BYTES;
    if (chunks.length % CHUNKS_PER_STEP === 0) yield;
  }
  return chunks;
}
