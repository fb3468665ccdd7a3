import type { Chunk } from './chunk.ts';
import { ChunkTable } from './chunk-table.ts';

/** Loads the chunk of a block; undefined if the block has none. */
type ChunkLoader = (block: number) => Chunk | undefined;

/**
 * The chunks of a column, of which only the last one read stays in memory. For a state that is read once from top to
 * bottom. Chunks that were set stay in memory.
 */
export class TransientChunks extends ChunkTable {
  private readonly make: ChunkLoader;
  /** Blocks whose chunk was set. */
  private readonly put: Set<number>;
  /** Blocks that can be loaded, in order. Copies share the list, because it is complete before the first load. */
  private readonly shelved: number[];
  private last: { readonly block: number; readonly chunk: Chunk | undefined } | null = null;

  constructor(make: ChunkLoader, from: TransientChunks | null = null) {
    super(from ?? ChunkTable.empty());
    this.make = make;
    this.put = new Set(from?.put);
    this.shelved = from?.shelved ?? [];
  }

  /** Declares that a block can be loaded. Call it once per block, if possible in order. */
  declareBlock(block: number): void {
    this.extendTo(block + 1);
    const isLast = block > (this.shelved.at(-1) ?? -1);
    this.shelved.splice(isLast ? this.shelved.length : this.countDeclaredBefore(block), 0, block);
  }

  /** Declares that the first `blocks` blocks may exist. Call it before any other block is declared. */
  declareFirstBlocks(blocks: number): void {
    this.extendTo(blocks);
    for (let block = 0; block < blocks; block++) this.shelved.push(block);
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

  /** Always null: most chunks do not stay in memory. */
  override placesAt(): null {
    return null;
  }

  override set(block: number, chunk: Chunk | undefined): void {
    this.put.add(block);
    super.set(block, chunk);
  }

  override copy(): TransientChunks {
    return new TransientChunks(this.make, this);
  }
}
