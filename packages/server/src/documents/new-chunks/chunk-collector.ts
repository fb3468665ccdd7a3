import type { StoredChunk } from '@cellwire/engine';
import type { ChunkSink } from '@cellwire/files';

/** A sink that collects all chunks of a new document. */
export interface ChunkCollector extends ChunkSink {
  /** Returns all chunks. The collector takes no more chunks afterwards. */
  collectChunks(): CollectedChunks | Promise<CollectedChunks>;
}

/** A collector that stores chunks while it collects them (`ChunkUpload`). */
export interface StoringCollector extends ChunkCollector {
  /** Deletes what was stored. Does nothing if the document exists. */
  remove(): Promise<void>;
}

/** The chunks of a new document before it exists. */
export interface CollectedChunks {
  /** Chunks in memory. */
  readonly held: readonly StoredChunk[];
  /** Path of a file with more chunks (`ChunkFile`); null for none. */
  readonly chunkFile: string | null;
  /** More chunks, which are stored already; null for none. */
  readonly uploaded: UploadedChunks | null;
}

/** Chunks of a new document that are stored already. The creation of the document is not finished. */
interface UploadedChunks {
  /** Id of the document. */
  readonly id: string;
  /** Time of the last progress, in milliseconds since 1970-01-01 UTC. */
  readonly touchedAt: number;
}
