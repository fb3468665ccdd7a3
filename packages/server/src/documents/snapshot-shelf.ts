import type { ChunkPosition, ChunkShelf } from '@cellwire/engine';
import type { StoreSnapshot } from '@cellwire/store';
import { chunksBetween } from '@cellwire/store/documents';
import { decodeStoredPiece } from './stored-pieces.ts';

/**
 * Bytes and chunks that are read at a time for the next chunks of a column. An export reads by row, so it reads the
 * chunks of all columns in turns.
 */
const READ_AHEAD_BYTES = 64 * 1024;
const MAX_READ_AHEAD_CHUNKS = 64;
/** Maximum number of columns whose chunks are read ahead. */
const MAX_READ_AHEAD_COLUMNS = 256;

/** Chunks of one column that were read together: of the blocks from `first` on, null for a block without a chunk. */
interface ReadAhead {
  readonly first: number;
  readonly chunks: readonly (Uint8Array | null)[];
  readonly bytes: number;
}

/** The chunks of a document at one moment of the embedded database. They are read when they are needed. */
export class SnapshotShelf implements ChunkShelf {
  private readonly id: string;
  private readonly snapshot: StoreSnapshot;
  private readonly readAheads = new Map<string, ReadAhead>();

  /** `id`: the document. The caller closes the snapshot. */
  constructor(id: string, snapshot: StoreSnapshot) {
    this.id = id;
    this.snapshot = snapshot;
  }

  put(): never {
    throw new Error('The chunks are in the database already');
  }

  get(position: ChunkPosition): Uint8Array | null {
    const { sheet, column, block } = position;
    const key = `${sheet}:${column}`;
    let ahead = this.readAheads.get(key);
    if (ahead === undefined || block < ahead.first || block >= ahead.first + ahead.chunks.length) {
      const count = ahead === undefined ? 1 : countNextChunks(ahead);
      ahead = this.readChunks(position, count);
      if (this.readAheads.has(key) || this.readAheads.size < MAX_READ_AHEAD_COLUMNS) this.readAheads.set(key, ahead);
    }
    return ahead.chunks[block - ahead.first] ?? null;
  }

  private readChunks({ sheet, column, block: first }: ChunkPosition, count: number): ReadAhead {
    const range = { id: this.id, sheet, column, first, last: first + count - 1 };
    const rows = decodeStoredPiece(this.id, 'a chunk of its cells', () => this.snapshot.read(chunksBetween(range)));
    const chunks: (Uint8Array | null)[] = new Array(count).fill(null);
    for (const row of rows) chunks[row.block - first] = row.bytes;
    return { first, chunks, bytes: rows.reduce((sum, row) => sum + row.bytes.length, 0) };
  }
}

/** The number of chunks to read next if chunks are as long as the last ones. */
function countNextChunks({ chunks, bytes }: ReadAhead): number {
  const count = Math.floor((READ_AHEAD_BYTES * chunks.length) / Math.max(bytes, 1));
  return Math.min(MAX_READ_AHEAD_CHUNKS, Math.max(1, count));
}
