import type { Chunk } from '../sheet/chunk.ts';
import { type ChunkProvider, ChunkTable } from '../sheet/chunk-table.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import { decodeChunk } from './chunk-codec.ts';

/** The stored form of a chunk within its column. */
interface StoredBlock {
  readonly block: number;
  readonly bytes: Uint8Array;
}

/** The stored chunks of a column, which are read when their cells are read. */
export interface StoredColumnSource {
  /** One past the last block with a chunk. */
  readonly blocks: number;
  /** True if each block has a chunk. */
  readonly isDense: boolean;
  /**
   * Reads the chunks of the blocks `first` to `end`, exclusive, and returns what `decode` makes of them. Its errors
   * reach the reader of the cell.
   */
  readChunks<T>(first: number, end: number, decode: (chunks: readonly StoredBlock[]) => T): T;
}

type FormatMapper = (stored: number) => number;

/** Creates the table of a stored column. Its chunks are read and decoded on demand. */
export function createStoredTable(source: StoredColumnSource, formatId: FormatMapper): ChunkTable {
  return ChunkTable.createLazy(new StoredChunkProvider(source, formatId), source.blocks);
}

class StoredChunkProvider implements ChunkProvider {
  readonly isFromStore = true;
  readonly chunk?: (block: number) => Chunk;
  private readonly source: StoredColumnSource;
  private readonly formatId: FormatMapper;

  constructor(source: StoredColumnSource, formatId: FormatMapper) {
    this.source = source;
    this.formatId = formatId;
    if (source.isDense) this.chunk = (block) => this.readExistingChunk(block);
  }

  chunks(first: number, end: number): (Chunk | undefined)[] {
    return this.source.readChunks(first, end, (stored) => {
      const chunks: (Chunk | undefined)[] = new Array(end - first).fill(undefined);
      const arena = new NumberArena(stored.length);
      for (const { block, bytes } of stored) chunks[block - first] = decodeChunk(bytes, this.formatId, arena);
      return chunks;
    });
  }

  /** None: stored chunks are not in memory before they are read. */
  sourceChunks(): readonly Chunk[] {
    return [];
  }

  private readExistingChunk(block: number): Chunk {
    return this.source.readChunks(block, block + 1, ([stored]) => {
      if (stored === undefined) throw new Error(`stored chunk ${block} of a column without gaps is missing`);
      return decodeChunk(stored.bytes, this.formatId);
    });
  }
}
