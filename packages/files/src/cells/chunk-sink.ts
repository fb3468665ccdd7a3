import type { GiveChunk, StoredChunk } from '@cellwire/engine';

/** Receives chunks in stored form while a file is read. Number formats are given as style ids. */
export interface ChunkSink {
  add(chunk: StoredChunk): void;
  /** Returns all chunks and empties the sink. */
  takeAll(): AsyncIterable<StoredChunk>;
  /** Discards all chunks. */
  clear(): void;
}

/** A function that sends the chunks of one sheet to a sink. */
export function createChunkGiver(chunks: ChunkSink, sheet: number): GiveChunk {
  return (chunk) => {
    chunks.add({ sheet, ...chunk() });
    return true;
  };
}
