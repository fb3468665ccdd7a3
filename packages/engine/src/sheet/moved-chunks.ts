import type { Span } from '../grid/move.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, Chunk, type ChunkRows } from './chunk.ts';
import { NumberArena } from './number-arena.ts';

type ChunkList = readonly (Chunk | undefined)[];

/** A column's chunks, or what they are made from once somebody asks. */
export type ChunkSource = ChunkList | MovedChunks;

/** Rows of a column that come from rows `from` on of an earlier one, to stand from row `to` on. */
export interface RowsPart<S = ChunkSource> {
  readonly source: S;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** They are where they were, in the same column. */
  readonly stays: boolean;
}

/** Parts that are put together from others before they are made: with more, looking through them takes too long. */
const MOST_PARTS = 64;

/**
 * The chunks of a column whose rows have moved. They are made when somebody looks at the column, so that moving the rows
 * of a large sheet takes no longer for its cells. Moved once more before that, they still come straight from what was.
 */
export class MovedChunks {
  private readonly revision: number;
  private readonly parts: readonly RowsPart<ChunkList>[];
  private readonly format: number;
  /** Blocks of the column before: one that holds nothing any more is told of as an empty chunk. */
  private readonly emptied: number;
  private readonly like: MovedChunks | null;
  private made: ChunkList | null = null;

  /**
   * `parts` by row; `format`: that of rows that come from nowhere; `emptied`: blocks of the column before. `like`: the same parts of an almost equal column,
   * whose chunks are taken where they come from the same ones.
   */
  constructor(
    parts: readonly RowsPart[],
    { revision, format, emptied }: { readonly revision: number; readonly format: number; readonly emptied: number },
    like: MovedChunks | null = null,
  ) {
    this.revision = revision;
    this.format = format;
    this.emptied = emptied;
    this.parts = flattened(parts);
    this.like = like;
  }

  get blocks(): number {
    return this.made?.length ?? Math.max(blocksOf(this.parts), this.emptied);
  }

  /** Nothing comes to it, and it tells at most that there was something. */
  get isBlank(): boolean {
    return this.parts.length === 0;
  }

  list(): ChunkList {
    this.made ??= this.make();
    return this.made;
  }

  /** One past the last row that holds a value or formula. */
  filledRows(): number {
    if (this.made) return filledRows(this.made, 0, this.made.length << CHUNK_SHIFT);
    for (let i = this.parts.length - 1; i >= 0; i--) {
      const { source, from, to, count } = this.parts[i] as RowsPart<ChunkList>;
      const rows = filledRows(source, from, from + count);
      if (rows > 0) return to - from + rows;
    }
    return 0;
  }

  /** Stretches of rows that may hold something, in order: as many as there are gaps between chunks, and not rows. */
  *heldRows(): Generator<Span> {
    if (this.made) yield* heldRows(this.made, 0, this.made.length << CHUNK_SHIFT);
    else {
      for (const { source, from, to, count } of this.parts) {
        for (const { first, last } of heldRows(source, from, from + count)) {
          yield { first: first + to - from, last: last + to - from };
        }
      }
    }
  }

  /** What it is made from, to be moved once more; itself where that would be too much to look through. */
  within(from: number, to: number, count: number, stays: boolean): readonly RowsPart<ChunkList>[] {
    if (this.made || this.parts.length > MOST_PARTS) return [{ source: this.list(), from, to, count, stays }];
    const last = from + count;
    return this.parts.flatMap((part) => {
      const first = Math.max(part.to, from);
      const rows = Math.min(part.to + part.count, last) - first;
      if (rows <= 0) return [];
      const at = part.from + first - part.to;
      return [{ source: part.source, from: at, to: to + first - from, count: rows, stays: stays && part.stays }];
    });
  }

  private make(): ChunkList {
    const chunks: (Chunk | undefined)[] = [];
    const arena = new NumberArena();
    const { blocks } = this;
    let first = 0;
    for (let block = 0; block < blocks; block++) {
      const top = block << CHUNK_SHIFT;
      for (let part = this.parts[first]; part && part.to + part.count <= top; part = this.parts[first]) first++;
      chunks.push(this.isLike(top, first) ? this.like?.list()[block] : this.block(block, first, arena));
    }
    return chunks;
  }

  private isLike(top: number, first: number): boolean {
    if (this.like === null) return false;
    for (let i = first; i < this.parts.length; i++) {
      const part = this.parts[i] as RowsPart<ChunkList>;
      const other = this.like.parts[i];
      if (part.to >= top + CHUNK_ROWS) break;
      if (other?.from !== part.from || other.to !== part.to) return false;
      const { from, last } = rowsInBlock(part, top);
      for (let block = from >> CHUNK_SHIFT; block <= last >> CHUNK_SHIFT; block++) {
        if (part.source[block] !== other.source[block]) return false;
      }
    }
    return true;
  }

  private block(block: number, first: number, arena: NumberArena): Chunk | undefined {
    const top = block << CHUNK_SHIFT;
    const rows: ChunkRows[] = [];
    for (let i = first; i < this.parts.length; i++) {
      const part = this.parts[i] as RowsPart<ChunkList>;
      if (part.to >= top + CHUNK_ROWS) break;
      const { from, last } = rowsInBlock(part, top);
      for (let row = from; row <= last; row = (row | CHUNK_MASK) + 1) {
        const chunk = part.source[row >> CHUNK_SHIFT];
        const end = Math.min(last, row | CHUNK_MASK);
        if (!chunk) continue;
        if (end - row === CHUNK_MASK) return part.stays ? chunk : chunk.at(this.revision);
        rows.push({ chunk, from: row & CHUNK_MASK, to: part.to + row - part.from - top, count: end - row + 1 });
      }
    }
    const chunk = Chunk.gathered(rows, this.revision, this.format, arena);
    return chunk ?? (block < this.emptied ? Chunk.nothing(this.revision, this.format, arena) : undefined);
  }
}

/** Of rows of chunks: the stretches without those where there are no chunks. */
export function* heldRows(chunks: ChunkList, from: number, end: number): Generator<Span> {
  let first = -1;
  const stop = Math.min(end, chunks.length << CHUNK_SHIFT);
  for (let block = from >> CHUNK_SHIFT; block << CHUNK_SHIFT < stop; block++) {
    const top = Math.max(from, block << CHUNK_SHIFT);
    if (chunks[block] !== undefined) first = first < 0 ? top : first;
    else if (first >= 0) {
      yield { first, last: top - 1 };
      first = -1;
    }
  }
  if (first >= 0) yield { first, last: stop - 1 };
}

/** One past the last of some rows that holds a value or formula; 0 for none. */
export function filledRows(chunks: ChunkList, first: number, end: number): number {
  for (
    let block = Math.min(chunks.length, (end + CHUNK_MASK) >> CHUNK_SHIFT) - 1;
    block >= first >> CHUNK_SHIFT;
    block--
  ) {
    const base = block << CHUNK_SHIFT;
    const rows = chunks[block]?.filledRows(end - base) ?? 0;
    if (rows > 0) return base + rows > first ? base + rows : 0;
  }
  return 0;
}

function flattened(parts: readonly RowsPart[]): readonly RowsPart<ChunkList>[] {
  return parts.flatMap(({ source, from, to, count, stays }) =>
    source instanceof MovedChunks ? source.within(from, to, count, stays) : [{ source, from, to, count, stays }],
  );
}

/** The source's rows of a part that come to lie in the block of rows from `top` on. */
function rowsInBlock({ from, to, count }: RowsPart<ChunkList>, top: number): { from: number; last: number } {
  const first = Math.max(to, top);
  const last = Math.min(to + count, top + CHUNK_ROWS) - 1;
  return { from: from + first - to, last: from + last - to };
}

function blocksOf(parts: readonly RowsPart<ChunkList>[]): number {
  let rows = 0;
  for (const { source, from, to, count } of parts) {
    const held = Math.min(count, (source.length << CHUNK_SHIFT) - from);
    if (held > 0) rows = Math.max(rows, to + held);
  }
  return (rows + CHUNK_MASK) >> CHUNK_SHIFT;
}
