import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, Chunk } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL, MAX_FORMATS } from '../sheet/formats.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import type { Scalar } from '../value/scalar.ts';
import { TextMap } from '../value/text-map.ts';
import type { CellData } from './data.ts';

/** Of the chunks before a draft takes them over. */
const REVISION = 0;
/** Of cells that look as their column does. */
const AS_COLUMN = 0;

type Look = Pick<CellData, 'format' | 'style'>;

/** Cells of a sheet that are more than a value. */
interface OtherCells extends Iterable<CellData> {
  /** The same once: nothing is left after. */
  drained(): Iterable<CellData>;
}

/** The cells of one column by block of 256 rows, in memory that no other column has a part of: columns are let go one by one. */
interface PackedColumn {
  readonly chunks: (Chunk | undefined)[];
  readonly arena: NumberArena;
}

/**
 * Values of one sheet on their way from a file into a document, held as documents hold them: a large file's cells are
 * packed once, as they come, and an import takes them over.
 */
export class PackedCells implements Iterable<CellData> {
  /** The look of cells that have none, whatever their column has. */
  static readonly PLAIN = 1;
  /** Values put so far. */
  size = 0;
  private readonly columns: PackedColumn[] = [];
  /** By their ids in the chunks. */
  private readonly looks: Look[] = [{}, {}];
  /** By style, then by number format. */
  private readonly lookIds = new TextMap<TextMap<number>>();
  private readonly others: OtherCells | null;

  /** `others`: formulas and what else has no place here; they come after the values. */
  constructor(others: OtherCells | null = null) {
    this.others = others;
  }

  /** The id of a look, for `put`; `format`: a number format code. */
  lookOf(format = '', style = ''): number {
    if (format === '' && style === '') return AS_COLUMN;
    let ids = this.lookIds.get(style);
    if (ids === undefined) {
      ids = new TextMap<number>();
      this.lookIds.set(style, ids);
    }
    let id = ids.get(format);
    if (id === undefined) {
      // More have no ids in a document either: those are General, if they can in the same style.
      if (this.looks.length >= MAX_FORMATS) return ids.get('') ?? AS_COLUMN;
      id = this.looks.push({ ...(format !== '' && { format }), ...(style !== '' && { style }) }) - 1;
      ids.set(format, id);
    }
    return id;
  }

  /** Puts a value. False where it comes after those of a later block of its column: then it has no place here. */
  put(row: number, column: number, value: Scalar, look = AS_COLUMN): boolean {
    const at = row & CHUNK_MASK;
    const chunk = this.chunkWith(column, row >> CHUNK_SHIFT, at + 1);
    if (chunk === null) return false;
    chunk.set(at, value, 0);
    if (look !== AS_COLUMN) chunk.setFormat(at, look);
    this.size++;
    return true;
  }

  /** Values column by column, each from above; then the others. */
  *[Symbol.iterator](): Generator<CellData> {
    for (const [column, { chunks }] of this.columns.entries()) {
      for (const [block, chunk] of chunks.entries()) {
        for (let at = 0; chunk && at < chunk.rows; at++) {
          const [value, look] = [chunk.value(at), chunk.format(at)];
          if (value === null && look === AS_COLUMN) continue;
          yield { row: (block << CHUNK_SHIFT) + at, column, value, ...this.looks[look] };
        }
      }
    }
    yield* this.others ?? [];
  }

  /** Hands the values over to a sheet of a draft that has no cells yet; gives the others. Nothing is left here. */
  moveTo(draft: Draft, sheetId: number): Iterable<CellData> {
    const sheet = draft.ownSheet(sheetId);
    const ids = this.looks.map(({ format = '', style }) => draft.formats.idOf(format, false, style));
    draft.hasNewFormats ||= ids.some((id) => id !== GENERAL);
    this.columns.forEach(({ chunks, arena }, column) => {
      if (chunks.length === 0) return;
      chunks.at(-1)?.packAndSettle();
      const own = draft.ownColumn(sheet, column);
      ids[AS_COLUMN] = own.format;
      for (const chunk of chunks)
        own.chunks.push(chunk && whole(chunk, own.format, arena).inFormats(draft.revision, ids));
    });
    this.columns.length = 0;
    sheet.forgetExtent();
    return this.others?.drained() ?? [];
  }

  /** The chunk of a column's block, with room for so many rows; null for one before the last. */
  private chunkWith(column: number, block: number, rows: number): Chunk | null {
    while (this.columns.length <= column) this.columns.push({ chunks: [], arena: new NumberArena() });
    const { chunks, arena } = this.columns[column] as PackedColumn;
    if (block < chunks.length - 1) return null;
    const held = chunks[block];
    if (held && held.rows >= rows) return held;
    if (held === undefined) {
      chunks.at(-1)?.packAndSettle();
      while (chunks.length < block) chunks.push(undefined);
    }
    // What comes after other blocks will likely be filled whole.
    const room = block === 0 ? rows : CHUNK_ROWS;
    const chunk = held?.copy(REVISION, rows, arena) ?? Chunk.empty(REVISION, room, GENERAL, arena);
    chunks[block] = chunk;
    return chunk;
  }
}

/** With all the rows that another format than General fills: formats by row are those of rows that a chunk has. */
function whole(chunk: Chunk, columnFormat: number, arena: NumberArena): Chunk {
  if (columnFormat === GENERAL || typeof chunk.formats === 'number' || chunk.rows === CHUNK_ROWS) return chunk;
  const grown = chunk.copy(REVISION, CHUNK_ROWS, arena);
  grown.settle();
  return grown;
}
