import type { GiveChunk, StoredChunk } from '@cellwire/engine';

/** Takes chunks in their stored form as a file is read, formats numbered as looks are. */
export interface ChunkSink {
  add(chunk: StoredChunk): void;
  /** All chunks so far; none of them is left here. */
  takenBack(): AsyncIterable<StoredChunk>;
  /** Forgets all chunks so far. */
  clear(): void;
}

/** How the cells of a sheet of that id are given to it. */
export function givenTo(chunks: ChunkSink, sheet: number): GiveChunk {
  return (chunk) => {
    chunks.add({ sheet, ...chunk() });
    return true;
  };
}
