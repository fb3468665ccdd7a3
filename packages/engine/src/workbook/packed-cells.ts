import type { StoredChunk } from '../codec/checkpoint.ts';
import { decodeChunk, encodeChunk } from '../codec/chunk-codec.ts';
import type { StoredFormat } from '../codec/document-codec.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { ChunkBuilder } from '../sheet/chunk-builder.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL, MAX_FORMATS } from '../sheet/formats.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import type { Scalar } from '../value/scalar.ts';
import { TextMap } from '../value/text-map.ts';
import type { CellData } from './data.ts';

type Look = Pick<CellData, 'format' | 'style'>;

/** Looks of a workbook's packed cells by id; 0 is General in no style. */
export class PackedLooks {
  readonly list: Look[] = [{}];
  /** By style, then by number format. */
  private readonly ids = new TextMap<TextMap<number>>();

  /** The id of a look; `format`: a number format code. */
  idOf(format = '', style = ''): number {
    if (format === '' && style === '') return GENERAL;
    let ids = this.ids.get(style);
    if (ids === undefined) {
      ids = new TextMap<number>();
      this.ids.set(style, ids);
    }
    let id = ids.get(format);
    if (id === undefined) {
      // More have no ids in a document either: those are General, if they can in the same style.
      if (this.list.length >= MAX_FORMATS) return ids.get('') ?? GENERAL;
      id = this.list.push({ ...(format !== '' && { format }), ...(style !== '' && { style }) }) - 1;
      ids.set(format, id);
    }
    return id;
  }

  /** As formats of a stored document, under the same numbers. */
  stored(): readonly StoredFormat[] {
    return this.list.map(({ format = '', style = '' }, id): StoredFormat => [id, format, 0, style]).slice(GENERAL + 1);
  }
}

/** Cells of a sheet that are more than a value. */
interface OtherCells extends Iterable<CellData> {
  /** The same once: nothing is left after. */
  drained(): Iterable<CellData>;
}

/** A chunk in its stored form, its formats numbered as looks are. */
export type PackedChunk = Omit<StoredChunk, 'sheet'>;

/** See `PackedOptions`; encodes the chunk where it is taken. */
export type GiveChunk = (chunk: () => PackedChunk) => boolean;

interface PackedOptions {
  readonly looks?: PackedLooks;
  /** What cells of a column look like that are never put; General by default. Asked before the column's first one is. */
  readonly columnLook?: (column: number) => number;
  /** Formulas and what else has no place among values; they come after them. */
  readonly others?: OtherCells;
  /**
   * Takes what a column is filled with as soon as a later block of it begins, so that a sheet of any length is read in the
   * memory that its last blocks take; false where it does not. Cells that were taken are not here: an import in which
   * formulas may read them needs them `putBack`.
   */
  readonly give?: GiveChunk;
}

/** The cells of one column by block of 256 rows, in memory that no other column has a part of: columns are let go one by one. */
interface PackedColumn {
  readonly chunks: ChunkTable;
  /** The block that is being filled, and what with. */
  block: number;
  maker: ChunkBuilder | null;
  readonly arena: NumberArena;
  /** The look of rows that were never put. */
  readonly look: number;
}

/**
 * Values of one sheet on their way from a file into a document, held as documents hold them: a large file's cells are
 * packed once, as they come, and an import takes them over. All are put before any is read.
 */
export class PackedCells implements Iterable<CellData> {
  private readonly columns: (PackedColumn | undefined)[] = [];
  private readonly looks: PackedLooks;
  private readonly columnLook: (column: number) => number;
  private readonly others: OtherCells | undefined;
  private readonly give: GiveChunk | undefined;

  constructor({ looks = new PackedLooks(), columnLook = () => GENERAL, others, give }: PackedOptions = {}) {
    this.looks = looks;
    this.columnLook = columnLook;
    this.others = others;
    this.give = give;
  }

  /**
   * Puts a value; of a column those of a block of 256 rows after those of the blocks above. False where it does not come
   * in that order: then it has no place here.
   */
  put(row: number, column: number, value: Scalar, look: number = GENERAL): boolean {
    const maker = this.makerOf(column, row);
    maker?.put(row & CHUNK_MASK, value, look);
    return maker !== null;
  }

  /** The same of a number. */
  putNumber(row: number, column: number, number: number, look: number = GENERAL): boolean {
    const maker = this.makerOf(column, row);
    maker?.putNumber(row & CHUNK_MASK, number, look);
    return maker !== null;
  }

  /** The same of a text in UTF-8, which is well-formed; also false for a long one: it is to be put as a string. */
  putUtf8(row: number, column: number, bytes: Uint8Array, start: number, end: number): boolean {
    return this.makerOf(column, row)?.putUtf8(row & CHUNK_MASK, bytes, start, end, GENERAL) ?? false;
  }

  /** Puts a chunk where it was taken from. */
  putBack({ column, block, bytes }: PackedChunk): void {
    this.columnAt(column).chunks.set(
      block,
      decodeChunk(bytes, (look) => look),
    );
  }

  /** Values that are here, column by column, each from above; then the others. */
  *[Symbol.iterator](): Generator<CellData> {
    for (const [column, held] of this.columns.entries()) {
      if (held === undefined) continue;
      const { look: columnLook } = held;
      for (const [block, chunk] of allChunks(held)) {
        for (let at = 0; at < chunk.rows; at++) {
          const [value, look] = [chunk.value(at), chunk.format(at)];
          if (value === null && look === columnLook) continue;
          yield { row: (block << CHUNK_SHIFT) + at, column, value, ...this.looks.list[look] };
        }
      }
    }
    yield* this.others ?? [];
  }

  /** Hands the values over to a sheet of a draft that has no cells yet; gives the others. Nothing is left here. */
  moveTo(draft: Draft, sheetId: number): Iterable<CellData> {
    const sheet = draft.ownSheet(sheetId);
    const ids = this.looks.list.map(({ format = '', style }) => draft.formats.idOf(format, false, style));
    draft.hasNewFormats ||= ids.some((id) => id !== GENERAL);
    this.columns.forEach((held, column) => {
      if (held === undefined) return;
      const own = draft.ownColumn(sheet, column);
      for (const [block, chunk] of allChunks(held)) own.chunks.set(block, chunk.mapFormats(draft.revision, ids));
    });
    this.columns.length = 0;
    sheet.forgetExtent();
    return this.others?.drained() ?? [];
  }

  private columnAt(column: number): PackedColumn {
    while (this.columns.length < column) this.columns.push(undefined);
    this.columns[column] ??= {
      chunks: ChunkTable.empty(),
      block: -1,
      maker: null,
      arena: new NumberArena(),
      look: this.columnLook(column),
    };
    return this.columns[column];
  }

  /** What the block of a column is filled with; null for one before the last. */
  private makerOf(column: number, row: number): ChunkBuilder | null {
    const held = this.columns[column] ?? this.columnAt(column);
    const block = row >> CHUNK_SHIFT;
    if (held.block !== block && !this.begin(held, column, row)) return null;
    return held.maker;
  }

  /** A later block of the column begins, and what was filled ends; false for an earlier one. */
  private begin(held: PackedColumn, column: number, row: number): boolean {
    const { chunks, maker, arena, look } = held;
    const block = row >> CHUNK_SHIFT;
    if (block < Math.max(held.block, chunks.length - 1)) return false;
    if (maker === null) {
      // What comes after other blocks will likely be filled whole; formats by row are those of rows that a chunk has.
      held.maker = new ChunkBuilder(block === 0 && look === GENERAL ? row + 1 : CHUNK_ROWS, look, arena);
    } else {
      const chunk = maker.finish();
      const isGiven =
        this.give?.(() => ({ column, block: held.block, bytes: encodeChunk(chunk, (id) => id) })) ?? false;
      if (!isGiven) chunks.set(held.block, chunk);
      maker.restart(isGiven);
    }
    held.block = block;
    return true;
  }
}

/** The chunks of a column with the one that was being filled, by their blocks: few may be there, and far apart. */
function* allChunks(held: PackedColumn): Generator<readonly [block: number, chunk: Chunk]> {
  const { chunks } = held;
  if (held.maker !== null) chunks.set(held.block, held.maker.finish());
  held.maker = null;
  for (const block of chunks.changedBlocks(ChunkTable.empty())) yield [block, chunks.at(block)!];
}
