import type { StoredChunk } from '../codec/checkpoint.ts';
import { decodeChunk, encodeChunk } from '../codec/chunk-codec.ts';
import type { StoredFormat } from '../codec/document-codec.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, Chunk } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL, MAX_FORMATS } from '../sheet/formats.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import type { Scalar } from '../value/scalar.ts';
import { TextMap } from '../value/text-map.ts';
import type { CellData } from './data.ts';

/** Of the chunks before a draft takes them over. */
const REVISION = 0;

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
  readonly chunks: (Chunk | undefined)[];
  readonly arena: NumberArena;
  /** The look of rows that were never put. */
  readonly look: number;
}

/**
 * Values of one sheet on their way from a file into a document, held as documents hold them: a large file's cells are
 * packed once, as they come, and an import takes them over.
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
    const at = row & CHUNK_MASK;
    const chunk = this.chunkWith(column, row >> CHUNK_SHIFT, at + 1);
    if (chunk === null) return false;
    chunk.set(at, value, 0);
    chunk.setFormat(at, look);
    return true;
  }

  /** Puts a chunk where it was taken from. */
  putBack({ column, block, bytes }: PackedChunk): void {
    this.columnAt(column).chunks[block] = decodeChunk(bytes, (look) => look);
  }

  /** Values that are here, column by column, each from above; then the others. */
  *[Symbol.iterator](): Generator<CellData> {
    for (const [column, held] of this.columns.entries()) {
      if (held === undefined) continue;
      const { chunks, look: columnLook } = held;
      for (const [block, chunk] of chunks.entries()) {
        for (let at = 0; chunk && at < chunk.rows; at++) {
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
      const { chunks } = held;
      chunks.at(-1)?.packAndSettle();
      const own = draft.ownColumn(sheet, column);
      chunks.forEach((chunk, block) => {
        own.chunks.set(block, chunk?.inFormats(draft.revision, ids));
      });
    });
    this.columns.length = 0;
    sheet.forgetExtent();
    return this.others?.drained() ?? [];
  }

  private columnAt(column: number): PackedColumn {
    while (this.columns.length < column) this.columns.push(undefined);
    this.columns[column] ??= { chunks: [], arena: new NumberArena(), look: this.columnLook(column) };
    return this.columns[column];
  }

  /** The chunk of a column's block, with room for so many rows; null for one before the last. */
  private chunkWith(column: number, block: number, rows: number): Chunk | null {
    const { chunks, arena, look } = this.columnAt(column);
    if (block < chunks.length - 1) return null;
    const held = chunks[block];
    if (held && held.rows >= rows) return held;
    if (held === undefined) {
      this.endLast(column, chunks);
      while (chunks.length < block) chunks.push(undefined);
    }
    // What comes after other blocks will likely be filled whole; formats by row are those of rows that a chunk has.
    const room = block === 0 && look === GENERAL ? rows : CHUNK_ROWS;
    const chunk = held?.copy(REVISION, rows, arena) ?? Chunk.empty(REVISION, room, look, arena);
    chunks[block] = chunk;
    return chunk;
  }

  /** A later block of the column begins. */
  private endLast(column: number, chunks: (Chunk | undefined)[]): void {
    const block = chunks.length - 1;
    const last = chunks[block];
    last?.packAndSettle();
    if (last === undefined || this.give === undefined) return;
    const isGiven = this.give(() => ({ column, block, bytes: encodeChunk(last, (look) => look) }));
    if (isGiven) chunks[block] = undefined;
  }
}
