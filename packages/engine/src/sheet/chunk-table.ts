import type { Chunk } from './chunk.ts';
import { PagePlaces } from './places/page-places.ts';

/**
 * Number of blocks per page, as a power of two. Copying a table copies its list of pages; a page is copied when it is
 * changed.
 */
const PAGE_SHIFT = 6;
export const PAGE_MASK: number = (1 << PAGE_SHIFT) - 1;
/** Number of pages whose bits fit into `ownedPages`, a small integer. */
const MAX_BITS = 31;

type ChunkPage = (Chunk | undefined)[];

/** Creates the chunks of blocks on demand. */
export interface ChunkProvider {
  /** Creates the chunks of blocks `first` to `end`, exclusive. */
  chunks(first: number, end: number): (Chunk | undefined)[];
  /** The existing chunks from which `chunks` creates new ones. They stay in memory until then. */
  sourceChunks(first: number, end: number): readonly Chunk[];
  /** True if chunks are read from the store, false if they are made of chunks of other tables. */
  readonly isFromStore: boolean;
  /** Creates the chunk of one block. Absent if a block may have no chunk, or if `chunks` costs the same. */
  readonly chunk?: (block: number) => Chunk;
}

/**
 * Number of chunks of a page that are created alone. The next chunk that a reader needs creates the whole page, which
 * takes as long as about 45 chunks alone.
 */
const MAX_SINGLE_CHUNKS = 16;
/** Number of adjacent chunks that are created alone. A reader of three adjacent chunks probably reads the whole column. */
const MAX_NEIGHBOURS = 2;
/** Number of chunks of the store that are created between two pauses. */
const PART_BLOCKS = 16;

/** The shared list of tables without lazy pages. It stays empty. */
const NO_LAZY_PAGES: (LazyPage | undefined)[] = [];

/** A page that is created on demand. Copies of a table share it and its result. */
class LazyPage {
  private readonly first: number;
  private readonly end: number;
  private maker: ChunkProvider | null;
  /** The existing chunks of the page: all blocks before `madeEnd`, and the results of `createSingle`. */
  private readonly page: ChunkPage = [];
  private madeEnd: number;
  private singleChunks = 0;
  /** The block of the last single chunk. */
  private lastSingle = Number.NEGATIVE_INFINITY;
  /** Number of adjacent chunks that were created alone in sequence, up to `lastSingle`. */
  private neighbours = 0;

  constructor(maker: ChunkProvider, first: number, end: number) {
    this.maker = maker;
    this.first = first;
    this.end = end;
    this.madeEnd = first;
  }

  getPage(): ChunkPage {
    this.makeUntil(this.end);
    return this.page;
  }

  /** Creates a part of the page. True if the page exists. */
  makePart(): boolean {
    this.makeUntil(this.dependsOnTables ? this.end : Math.min(this.end, this.madeEnd + PART_BLOCKS));
    return this.maker === null;
  }

  private makeUntil(end: number): void {
    const { maker, madeEnd } = this;
    if (maker === null) return;
    const chunks = maker.chunks(madeEnd, end);
    for (let i = 0; i < chunks.length; i++) {
      const at = madeEnd - this.first + i;
      // Equal chunks must be the same objects, because states are compared by them.
      this.page[at] ??= chunks[i];
    }
    this.madeEnd = end;
    if (end === this.end) this.maker = null;
  }

  /** The chunk of a block, created alone. Null if the page must be created instead, or if the page exists. */
  createSingle(block: number): Chunk | null {
    if (this.maker?.chunk === undefined || block >= this.end) return null;
    const at = block - this.first;
    const existingChunk = this.page[at];
    if (existingChunk !== undefined) return existingChunk;
    const neighbours = Math.abs(block - this.lastSingle) === 1 ? this.neighbours + 1 : 1;
    if (this.singleChunks === MAX_SINGLE_CHUNKS || neighbours > MAX_NEIGHBOURS) return null;
    const chunk = this.maker.chunk(block);
    this.singleChunks++;
    this.lastSingle = block;
    this.neighbours = neighbours;
    this.page[at] = chunk;
    return chunk;
  }

  /** The chunk of a block if it exists. */
  peek(block: number): Chunk | undefined {
    return this.page[block - this.first];
  }

  /** True if the page is created from chunks of other tables. */
  get dependsOnTables(): boolean {
    return this.maker?.isFromStore === false;
  }

  /** End of the blocks if each of them has a chunk, which may not exist yet; null if this is not known. */
  get endOfFilledBlocks(): number | null {
    return this.maker?.chunk === undefined ? null : this.end;
  }

  /** Existing chunks that the page or its provider keeps in memory. */
  listChunksInMemory(): readonly (Chunk | undefined)[] {
    return this.maker === null ? this.page : [...this.page, ...this.maker.sourceChunks(this.first, this.end)];
  }
}

/**
 * The chunks of a column by block of 256 rows, in two levels. A column of a million rows has 4,096 chunks; a write
 * neither copies nor compares all of them. Copies share a page until one of them changes it.
 */
export class ChunkTable {
  private readonly pages: (ChunkPage | undefined)[];
  /** Pages that are created on demand, by page number; undefined after they were created. */
  private readonly lazyPages: (LazyPage | undefined)[];
  /** A bit for each of the first `MAX_BITS` pages: 1 if no other table shares the page. A new copy shares all pages. */
  private ownedPages = 0;
  /** For each later page, true if no other table shares it; null if all are shared. */
  private ownedFarPages: boolean[] | null = null;
  /** Places of cells by page number; null until a page is requested. Copies of a table share places of shared pages. */
  private places: (PagePlaces | undefined)[] | null = null;
  private lazyCount: number;
  private count: number;
  /** True if a chunk was set since the table was created or copied. */
  private changed = false;

  /** Copies another table, or creates an empty table (null). */
  protected constructor(from: ChunkTable | null) {
    if (from === null) {
      this.pages = [];
      this.lazyPages = [];
      this.lazyCount = 0;
      this.count = 0;
      return;
    }
    from.ownedPages = 0;
    from.ownedFarPages = null;
    this.pages = from.pages.slice();
    this.places = from.places?.slice() ?? null;
    this.lazyPages = from.lazyCount === 0 ? NO_LAZY_PAGES : from.lazyPages.slice();
    this.lazyCount = from.lazyCount;
    this.count = from.count;
  }

  static empty(): ChunkTable {
    return new ChunkTable(null);
  }

  static fromList(chunks: readonly (Chunk | undefined)[]): ChunkTable {
    const table = ChunkTable.empty();
    for (let block = 0; block < chunks.length; block += 1 << PAGE_SHIFT) {
      table.addOwned(table.pages.push(chunks.slice(block, block + (1 << PAGE_SHIFT))) - 1);
    }
    table.count = chunks.length;
    return table;
  }

  /** Creates a table with this number of blocks whose pages are created on demand. */
  static createLazy(provider: ChunkProvider, blocks: number): ChunkTable {
    const table = ChunkTable.empty();
    for (let block = 0; block < blocks; block += 1 << PAGE_SHIFT) {
      table.pages.push(undefined);
      table.lazyPages.push(new LazyPage(provider, block, Math.min(block + (1 << PAGE_SHIFT), blocks)));
    }
    table.lazyCount = table.lazyPages.length;
    table.count = blocks;
    return table;
  }

  copy(): ChunkTable {
    return new ChunkTable(this);
  }

  /** True if all chunks of the table were created. */
  get isWhole(): boolean {
    return this.lazyCount === 0;
  }

  /** True if a chunk was set since the table was created or copied. */
  get isChanged(): boolean {
    return this.changed;
  }

  /** Creates all missing pages, except pages that `other` shares. Pauses after each page or part of a page. */
  *makeInSteps(other: ChunkTable | null = null): Generator<void> {
    for (let number = 0; number < this.lazyPages.length; number++) {
      if (other !== null && this.sharesPage(other, number)) continue;
      // During a pause another reader may create the page.
      while (this.lazyPages[number]?.makePart() === false) yield;
      if (this.lazyPages[number] === undefined) continue;
      this.getPage(number);
      yield;
    }
  }

  /** Creates all missing pages. */
  makeAll(): void {
    for (let number = 0; number < this.lazyPages.length; number++) this.getPage(number);
  }

  /** Creates the missing pages that are made of chunks of other tables. */
  makeDependentPages(): void {
    for (let number = 0; number < this.lazyPages.length; number++)
      if (this.lazyPages[number]?.dependsOnTables) this.getPage(number);
  }

  /** The chunks that the table keeps in memory: existing chunks, and chunks from which others will be created. */
  *iterateChunksInMemory(): Generator<Chunk> {
    for (let number = 0; number < this.pages.length; number++) {
      for (const chunk of this.pages[number] ?? this.lazyPages[number]?.listChunksInMemory() ?? [])
        if (chunk !== undefined) yield chunk;
    }
  }

  private sharesPage(other: ChunkTable, number: number): boolean {
    return this.pages[number] === other.pages[number] && this.lazyPages[number] === other.lazyPages[number];
  }

  private getPage(number: number): ChunkPage | undefined {
    const late = this.lazyPages[number];
    if (late === undefined) return this.pages[number];
    const page = late.getPage();
    this.pages[number] = page;
    this.lazyPages[number] = undefined;
    this.lazyCount--;
    return page;
  }

  /** Returns a copy with this number of blocks. */
  resize(length: number): ChunkTable {
    if (length < this.count) return ChunkTable.fromList(this.toList().slice(0, length));
    const copy = this.copy();
    copy.count = length;
    copy.changed = true;
    return copy;
  }

  /** One past the last block. */
  get length(): number {
    return this.count;
  }

  at(block: number): Chunk | undefined {
    const page = this.pages[block >> PAGE_SHIFT];
    return page === undefined ? this.createAt(block) : page[block & PAGE_MASK];
  }

  /** The chunk of a block that is not in `pages`. */
  private createAt(block: number): Chunk | undefined {
    const lazyPage = this.lazyPages[block >> PAGE_SHIFT];
    if (lazyPage === undefined) return undefined;
    return lazyPage.createSingle(block) ?? this.getPage(block >> PAGE_SHIFT)?.[block & PAGE_MASK];
  }

  /** The places of the cells in a block's page; null if the page was not created yet. The table must be published. */
  placesAt(block: number): PagePlaces | null {
    return this.places?.[block >> PAGE_SHIFT] ?? this.createPlaces(block >> PAGE_SHIFT);
  }

  private createPlaces(number: number): PagePlaces | null {
    const page = this.pages[number];
    if (page === undefined) return null;
    this.places ??= new Array<PagePlaces | undefined>(this.pages.length).fill(undefined);
    const places = new PagePlaces(page);
    this.places[number] = places;
    return places;
  }

  /** The chunk of a block if it was created. */
  peek(block: number): Chunk | undefined {
    const page = this.pages[block >> PAGE_SHIFT];
    return page === undefined ? this.lazyPages[block >> PAGE_SHIFT]?.peek(block) : page[block & PAGE_MASK];
  }

  /**
   * Returns the first block, at `block` or later, that has a chunk; `length` if there is none. The time depends on the
   * number of pages, not of blocks.
   */
  nextBlockWithChunk(block: number): number {
    for (let at = block; at < this.count; ) {
      const filledEnd = this.lazyPages[at >> PAGE_SHIFT]?.endOfFilledBlocks ?? null;
      if (filledEnd !== null && at < filledEnd) return at;
      const page = filledEnd === null ? this.getPage(at >> PAGE_SHIFT) : undefined;
      const end = ((at >> PAGE_SHIFT) + 1) << PAGE_SHIFT;
      for (; page !== undefined && at < end; at++) if (page[at & PAGE_MASK] !== undefined) return at;
      at = end;
    }
    return this.count;
  }

  /** Returns the last block before `block` that has a chunk; -1 if there is none. */
  previousBlockWithChunk(block: number): number {
    for (let at = Math.min(block, this.count) - 1; at >= 0; ) {
      const filledEnd = this.lazyPages[at >> PAGE_SHIFT]?.endOfFilledBlocks ?? null;
      if (filledEnd !== null) return Math.min(at, filledEnd - 1);
      const page = this.getPage(at >> PAGE_SHIFT);
      const first = (at >> PAGE_SHIFT) << PAGE_SHIFT;
      for (; page !== undefined && at >= first; at--) if (page[at & PAGE_MASK] !== undefined) return at;
      at = first - 1;
    }
    return -1;
  }

  /** Extends the table to at least this number of blocks. */
  extendTo(length: number): void {
    if (length <= this.count) return;
    this.count = length;
    this.changed = true;
  }

  /** Sets a chunk and extends the table to its block if needed. */
  set(block: number, chunk: Chunk | undefined): void {
    this.changed = true;
    const page = this.ensureOwnPage(block >> PAGE_SHIFT);
    if (this.places !== null) this.places[block >> PAGE_SHIFT] = undefined;
    const at = block & PAGE_MASK;
    while (page.length < at) page.push(undefined);
    page[at] = chunk;
    this.count = Math.max(this.count, block + 1);
  }

  private ensureOwnPage(number: number): ChunkPage {
    const existingPage = this.getPage(number);
    if (existingPage !== undefined && this.isOwned(number)) return existingPage;
    while (this.pages.length < number) this.pages.push(undefined);
    const page = existingPage?.slice() ?? [];
    this.pages[number] = page;
    this.addOwned(number);
    return page;
  }

  private isOwned(number: number): boolean {
    if (number < MAX_BITS) return (this.ownedPages & (1 << number)) !== 0;
    return this.ownedFarPages?.[number - MAX_BITS] === true;
  }

  /** Records that no other table shares a page. */
  private addOwned(number: number): void {
    if (number < MAX_BITS) {
      this.ownedPages |= 1 << number;
      return;
    }
    this.ownedFarPages ??= [];
    while (this.ownedFarPages.length < number - MAX_BITS) this.ownedFarPages.push(false);
    this.ownedFarPages[number - MAX_BITS] = true;
  }

  /** Returns the blocks with other chunks than in an earlier table, in order. */
  findChangedBlocks(before: ChunkTable): readonly number[] {
    const blocks: number[] = [];
    const pages = Math.max(this.pages.length, before.pages.length);
    for (let number = 0; number < pages; number++) {
      if (this.sharesPage(before, number)) continue;
      const [is, was] = [this.getPage(number), before.getPage(number)];
      if (is === was) continue;
      const first = number << PAGE_SHIFT;
      const end = Math.max(is?.length ?? 0, was?.length ?? 0);
      for (let at = 0; at < end; at++) if (is?.[at] !== was?.[at]) blocks.push(first + at);
    }
    return blocks;
  }

  /** Returns all chunks by block; undefined for a block without a chunk. */
  toList(): (Chunk | undefined)[] {
    return Array.from({ length: this.count }, (_, block) => this.at(block));
  }
}
