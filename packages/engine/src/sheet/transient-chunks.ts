import type { Chunk } from './chunk.ts';
import { ChunkTable } from './chunk-table.ts';

/** Loads the chunk of a block; undefined if there is none. */
type ChunkLoader = (block: number) => Chunk | undefined;

/**
 * The chunks of a column that are loaded again whenever another block is read. For a state that is read once from top
 * to bottom, with one chunk per column in memory. Chunks that were set stay.
 */
export class TransientChunks extends ChunkTable {
  private readonly make: ChunkLoader;
  /** Blocks that were set. */
  private readonly put: Set<number>;
  /** Blocks that can be loaded, in order. Copies share the list: it is complete before the first load. */
  private readonly shelved: number[];
  private last: { readonly block: number; readonly chunk: Chunk | undefined } | null = null;

  constructor(make: ChunkLoader, from: TransientChunks | null = null) {
    super(from ?? ChunkTable.empty());
    this.make = make;
    this.put = new Set(from?.put);
    this.shelved = from?.shelved ?? [];
  }

  /** Declares that `make` can load a block. Each block once, mostly in order. */
  declareBlock(block: number): void {
    this.extendTo(block + 1);
    const isLast = block > (this.shelved.at(-1) ?? -1);
    this.shelved.splice(isLast ? this.shelved.length : this.countDeclaredBefore(block), 0, block);
  }

  override nextBlockWithChunk(block: number): number {
    const next = this.shelved[this.countDeclaredBefore(block)] ?? this.length;
    return Math.min(next, super.nextBlockWithChunk(block));
  }

  override previousBlockWithChunk(block: number): number {
    const previous = this.shelved[this.countDeclaredBefore(block) - 1] ?? -1;
    return Math.max(previous, super.previousBlockWithChunk(block));
  }

  /** The number of declared blocks before `block`. */
  private countDeclaredBefore(block: number): number {
    let low = 0;
    let high = this.shelved.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shelved[middle]! < block) low = middle + 1;
      else high = middle;
    }
    return low;
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

  override copy(): TransientChunks {
    return new TransientChunks(this.make, this);
  }
}
