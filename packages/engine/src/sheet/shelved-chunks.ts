import type { Chunk } from './chunk.ts';
import { ChunkTable } from './chunk-table.ts';

/** Makes the chunk of a block; undefined where there is none. */
export type MakeChunk = (block: number) => Chunk | undefined;

/**
 * The chunks of a column that are made anew each time another block than the last is looked at: for a state that is gone
 * through once, from above, in the memory of one chunk a column. What is put in place stays.
 */
export class ShelvedChunks extends ChunkTable {
  private readonly make: MakeChunk;
  /** Blocks that were put in place. */
  private readonly put: Set<number>;
  private last: { readonly block: number; readonly chunk: Chunk | undefined } | null = null;

  constructor(make: MakeChunk, from: ChunkTable = ChunkTable.empty(), put: ReadonlySet<number> = new Set()) {
    super(from);
    this.make = make;
    this.put = new Set(put);
  }

  override at(block: number): Chunk | undefined {
    if (this.put.has(block)) return super.at(block);
    if (this.last?.block !== block) this.last = { block, chunk: this.make(block) };
    return this.last.chunk;
  }

  override set(block: number, chunk: Chunk | undefined): void {
    this.put.add(block);
    super.set(block, chunk);
  }

  override copy(): ShelvedChunks {
    return new ShelvedChunks(this.make, this, this.put);
  }
}
