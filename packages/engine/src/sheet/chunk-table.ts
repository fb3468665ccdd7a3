import type { Chunk } from './chunk.ts';

/** Blocks of a page: a copy of a table copies its list of pages, and of these what is changed. As a power of two. */
const PAGE_SHIFT = 6;
const PAGE_MASK = (1 << PAGE_SHIFT) - 1;

type Page = (Chunk | undefined)[];

/**
 * The chunks of a column by block of 256 rows, in two levels: a column of a million rows has 4,096 chunks, and a write
 * into it neither copies nor compares them all. Copies share pages until one of the two changes a page.
 */
export class ChunkTable {
  private readonly pages: (Page | undefined)[];
  /** Whether a page belongs to this table alone, by its number; none once the table was copied. */
  private readonly owned: boolean[] = [];
  private count: number;

  /** A copy of another table; an empty one without. */
  protected constructor(from: ChunkTable | null) {
    if (from !== null) from.owned.length = 0;
    this.pages = from?.pages.slice() ?? [];
    this.count = from?.count ?? 0;
  }

  static empty(): ChunkTable {
    return new ChunkTable(null);
  }

  static of(chunks: readonly (Chunk | undefined)[]): ChunkTable {
    const table = ChunkTable.empty();
    for (let block = 0; block < chunks.length; block += 1 << PAGE_SHIFT) {
      table.pages.push(chunks.slice(block, block + (1 << PAGE_SHIFT)));
      table.owned.push(true);
    }
    table.count = chunks.length;
    return table;
  }

  copy(): ChunkTable {
    return new ChunkTable(this);
  }

  /** A copy of so many blocks. */
  resized(length: number): ChunkTable {
    if (length < this.count) return ChunkTable.of(this.list().slice(0, length));
    const copy = this.copy();
    copy.count = length;
    return copy;
  }

  /** One past the last block. */
  get length(): number {
    return this.count;
  }

  at(block: number): Chunk | undefined {
    return this.pages[block >> PAGE_SHIFT]?.[block & PAGE_MASK];
  }

  /** So many blocks at least. */
  reach(length: number): void {
    this.count = Math.max(this.count, length);
  }

  /** Puts a chunk in place; the table then reaches to it at least. */
  set(block: number, chunk: Chunk | undefined): void {
    const page = this.ownPage(block >> PAGE_SHIFT);
    const at = block & PAGE_MASK;
    while (page.length < at) page.push(undefined);
    page[at] = chunk;
    this.count = Math.max(this.count, block + 1);
  }

  private ownPage(number: number): Page {
    const held = this.pages[number];
    if (held !== undefined && this.owned[number]) return held;
    while (this.pages.length < number) this.pages.push(undefined);
    while (this.owned.length < number) this.owned.push(false);
    const page = held?.slice() ?? [];
    this.pages[number] = page;
    this.owned[number] = true;
    return page;
  }

  /** Blocks whose chunks are others than in an earlier table, in order. */
  changedBlocks(before: ChunkTable): readonly number[] {
    const blocks: number[] = [];
    const pages = Math.max(this.pages.length, before.pages.length);
    for (let number = 0; number < pages; number++) {
      const [is, was] = [this.pages[number], before.pages[number]];
      if (is === was) continue;
      const first = number << PAGE_SHIFT;
      for (let at = 0; at <= PAGE_MASK; at++) if (is?.[at] !== was?.[at]) blocks.push(first + at);
    }
    return blocks;
  }

  /** All of them, in order. */
  list(): (Chunk | undefined)[] {
    return Array.from({ length: this.count }, (_, block) => this.at(block));
  }
}
