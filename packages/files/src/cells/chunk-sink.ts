import type { GiveChunk, StoredChunk } from '@cellwire/engine';

/** Receives chunks in stored form while a file is read. Their number formats are style ids of the file. */
export interface ChunkSink {
  add(chunk: StoredChunk): void;
  /** Allocates memory for the bytes of the next chunk. */
  allocate(length: number): Uint8Array;
  /** Returns all chunks and empties the sink. */
  takeAll(): AsyncIterable<StoredChunk>;
  /** Discards all chunks. */
  clear(): void | Promise<void>;
  /**
   * Returns null if the sink can take more chunks at once, otherwise a promise that resolves when it can. The CSV
   * reader calls it after each part of the file.
   */
  waitForRoom(): Promise<void> | null;
}

/** Creates a function that sends the chunks of one sheet to a sink. */
export function createChunkSender(chunks: ChunkSink, sheet: number): GiveChunk {
  return (chunk) => {
    chunks.add({ sheet, ...chunk(chunks.allocate) });
    return true;
  };
}
