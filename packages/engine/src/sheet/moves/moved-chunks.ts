import type { Span } from '../../grid/move.ts';
import {
  countFilledRopeRows,
  createRope,
  createRopeFromParts,
  findFromLast,
  listRopeParts,
  type Rope,
  type RopePart,
  sliceRope,
} from '../../grid/rope.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, Chunk } from '../chunk.ts';
import { type ChunkProvider, ChunkTable } from '../chunk-table.ts';
import { type ChunkRows, gatherChunk } from '../gather-chunk.ts';
import { NumberArena } from '../number-arena.ts';

/** The chunks of a column, or the data from which they are created. */
export type ChunkSource = ChunkTable | MovedChunks;

/**
 * The chunks of a column whose rows moved. They are created on demand, a page at a time: moving rows therefore takes a
 * time that does not depend on the number of cells, and reading some cells does not create all chunks. If rows move
 * again before all chunks exist, missing chunks are still created directly from the original ones.
 */
export class MovedChunks implements ChunkProvider {
  readonly isFromStore = false;
  private readonly revision: number;
  /** The rows of the original chunks. */
  private readonly rope: Rope<ChunkTable>;
  private readonly format: number;
  /**
   * Number of blocks of the column before the move. If such a block is empty after the move, it gets an empty chunk.
   */
  private readonly blocksBefore: number;
  private readonly similar: MovedChunks | null;
  private madeTable: ChunkTable | null = null;

  /**
   * `parts`: in the order of rows. `format`: the format of rows without a source. `blocksBefore`: number of blocks of
   * the column before the move. `similar`: the same parts of an almost equal column; its chunks are reused if they come
   * from the same source chunks.
   */
  constructor(
    parts: readonly RopePart<ChunkSource>[],
    {
      revision,
      format,
      blocksBefore,
    }: { readonly revision: number; readonly format: number; readonly blocksBefore: number },
    similar: MovedChunks | null = null,
  ) {
    this.revision = revision;
    this.format = format;
    this.blocksBefore = blocksBefore;
    this.rope = createRopeFromParts(parts, createSourceRope);
    this.similar = similar;
  }

  get blocks(): number {
    return (
      this.madeTable?.length ??
      Math.max((countFilledRopeRows(this.rope) + CHUNK_MASK) >> CHUNK_SHIFT, this.blocksBefore)
    );
  }

  /** True if it has no content. `blocksBefore` may still record that cells moved out of it. */
  get isBlank(): boolean {
    return countFilledRopeRows(this.rope) === 0;
  }

  makeTable(): ChunkTable {
    this.madeTable ??= ChunkTable.createLazy(this, this.blocks);
    return this.madeTable;
  }

  /** The table of moved chunks if all of them were created; else null. */
  private get completeTable(): ChunkTable | null {
    return this.madeTable?.isWhole ? this.madeTable : null;
  }

  /** One past the last row with a value or formula. */
  filledRows(): number {
    const { completeTable } = this;
    if (completeTable) return filledRows(completeTable, 0, completeTable.length << CHUNK_SHIFT);
    return findFromLast(this.rope, ({ source, from, to, count }) => {
      const rows = filledRows(source, from, from + count);
      return rows > 0 ? to - from + rows : 0;
    });
  }

  /**
   * Spans of rows between `first` and `end` (exclusive) that may have content, in order. The time depends on the number
   * of gaps between chunks, not on the number of rows.
   */
  *chunkRowSpans(first: number, end: number): Generator<Span> {
    const { completeTable } = this;
    if (completeTable) yield* iterateRowSpans(completeTable, first, end);
    else {
      for (const { source, from, to, count } of listRopeParts(this.rope, first, end)) {
        const by = to - from;
        for (const span of iterateRowSpans(source, Math.max(from, first - by), Math.min(from + count, end - by))) {
          yield { first: span.first + by, last: span.last + by };
        }
      }
    }
  }

  /** Returns a rope of some rows for another move. While chunks are missing, it consists of the original rows. */
  sliceRows(from: number, count: number, stays: boolean): Rope<ChunkTable> {
    const { completeTable } = this;
    return completeTable
      ? createTableRope(completeTable, from, count, stays)
      : sliceRope(this.rope, from, count, stays);
  }

  chunks(first: number, end: number): (Chunk | undefined)[] {
    const chunks: (Chunk | undefined)[] = [];
    const arena = new NumberArena();
    const parts = new PartsByBlock(this.listParts(first, end));
    const others = new PartsByBlock(this.similar?.listParts(first, end) ?? []);
    for (let block = first; block < end; block++) {
      const blockParts = parts.findParts(block);
      const isLike = this.similar !== null && haveSameRows(blockParts, others.findParts(block), block);
      chunks.push(isLike ? this.similar?.makeTable().at(block) : this.makeBlock(block, blockParts, arena));
    }
    return chunks;
  }

  sourceChunks(first: number, end: number): readonly Chunk[] {
    const top = first << CHUNK_SHIFT;
    const bottom = end << CHUNK_SHIFT;
    return this.listParts(first, end).flatMap(({ source, from, to, count }) => {
      const last = from + Math.min(count, bottom - to) - 1;
      const chunks: Chunk[] = [];
      for (let block = (from + Math.max(0, top - to)) >> CHUNK_SHIFT; block <= last >> CHUNK_SHIFT; block++) {
        const chunk = source.peek(block);
        if (chunk) chunks.push(chunk);
      }
      return chunks;
    });
  }

  /** Returns the parts of the rope that intersect the blocks from `first` to `end`, exclusive. */
  private listParts(first: number, end: number): readonly RopePart<ChunkTable>[] {
    return listRopeParts(this.rope, first << CHUNK_SHIFT, end << CHUNK_SHIFT);
  }

  /** Builds the chunk of a block from the parts of other chunks that moved there. */
  private makeBlock(block: number, parts: readonly RopePart<ChunkTable>[], arena: NumberArena): Chunk | undefined {
    const top = block << CHUNK_SHIFT;
    const rows: ChunkRows[] = [];
    for (const part of parts) {
      const { from, last } = clipRowsToBlock(part, top);
      for (let row = from; row <= last; row = (row | CHUNK_MASK) + 1) {
        const chunk = part.source.at(row >> CHUNK_SHIFT);
        const end = Math.min(last, row | CHUNK_MASK);
        if (!chunk) continue;
        if (end - row === CHUNK_MASK) return part.stays ? chunk : chunk.copyAtRevision(this.revision);
        rows.push({ chunk, from: row & CHUNK_MASK, to: part.to + row - part.from - top, count: end - row + 1 });
      }
    }
    const chunk = gatherChunk(rows, this.revision, this.format, arena);
    return chunk ?? (block < this.blocksBefore ? Chunk.createBlank(this.revision, this.format, arena) : undefined);
  }
}

/** Finds parts for blocks that are requested in order. */
class PartsByBlock {
  private readonly stretches: readonly RopePart<ChunkTable>[];
  private first = 0;

  constructor(stretches: readonly RopePart<ChunkTable>[]) {
    this.stretches = stretches;
  }

  /** The parts that intersect a block. Blocks must be requested in order. */
  findParts(block: number): readonly RopePart<ChunkTable>[] {
    const { stretches } = this;
    const top = block << CHUNK_SHIFT;
    for (let next = stretches[this.first]; next && next.to + next.count <= top; next = stretches[this.first]) {
      this.first++;
    }
    let end = this.first;
    while ((stretches[end]?.to ?? Number.POSITIVE_INFINITY) < top + CHUNK_ROWS) end++;
    return stretches.slice(this.first, end);
  }
}

/** True if a block consists of the same rows of the same chunks. */
function haveSameRows(
  parts: readonly RopePart<ChunkTable>[],
  others: readonly RopePart<ChunkTable>[],
  block: number,
): boolean {
  if (parts.length !== others.length) return false;
  return parts.every((part, i) => {
    const other = others[i]!;
    if (other.from !== part.from || other.to !== part.to) return false;
    const { from, last } = clipRowsToBlock(part, block << CHUNK_SHIFT);
    if (last !== clipRowsToBlock(other, block << CHUNK_SHIFT).last) return false;
    for (let sourceBlock = from >> CHUNK_SHIFT; sourceBlock <= last >> CHUNK_SHIFT; sourceBlock++) {
      if (part.source.at(sourceBlock) !== other.source.at(sourceBlock)) return false;
    }
    return true;
  });
}

/** The spans of rows that have chunks, in order. */
export function* iterateRowSpans(chunks: ChunkTable, from: number, end: number): Generator<Span> {
  const stop = Math.min(end, chunks.length << CHUNK_SHIFT);
  const next = (block: number) => chunks.nextBlockWithChunk(block);
  for (let block = next(from >> CHUNK_SHIFT); block << CHUNK_SHIFT < stop; block = next(block)) {
    const first = Math.max(from, block << CHUNK_SHIFT);
    for (block++; block << CHUNK_SHIFT < stop && next(block) === block; ) block++;
    yield { first, last: Math.min(stop, block << CHUNK_SHIFT) - 1 };
  }
}

/** One past the last row with a value or formula; 0 for none. */
export function filledRows(chunks: ChunkTable, first: number, end: number): number {
  const before = (block: number) => chunks.previousBlockWithChunk(block);
  const firstBlock = first >> CHUNK_SHIFT;
  for (let block = before((end + CHUNK_MASK) >> CHUNK_SHIFT); block >= firstBlock; block = before(block)) {
    const base = block << CHUNK_SHIFT;
    const rows = chunks.at(block)?.filledRows(end - base) ?? 0;
    if (rows > 0) return base + rows > first ? base + rows : 0;
  }
  return 0;
}

/**
 * Returns a rope of the source of a part. If some of its chunks were created meanwhile, creates all of them; otherwise
 * each move would wait for the moves before it. Chunks in the store are read later.
 */
function createSourceRope({ source, from, count, stays }: RopePart<ChunkSource>): Rope<ChunkTable> {
  if (source instanceof ChunkTable) source.makeDependentPages();
  return source instanceof MovedChunks
    ? source.sliceRows(from, count, stays)
    : createTableRope(source, from, count, stays);
}

/** Returns a rope of rows of a table. Rows after the end of the table have no source. */
function createTableRope(chunks: ChunkTable, from: number, count: number, stays: boolean): Rope<ChunkTable> {
  return createRope(chunks, from, Math.min(count, (chunks.length << CHUNK_SHIFT) - from), stays);
}

/** Returns the rows of a part's source that move into the block of rows from `top` on. */
function clipRowsToBlock({ from, to, count }: RopePart<ChunkTable>, top: number): { from: number; last: number } {
  const first = Math.max(to, top);
  const last = Math.min(to + count, top + CHUNK_ROWS) - 1;
  return { from: from + first - to, last: from + last - to };
}
