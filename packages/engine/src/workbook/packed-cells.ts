import type { AllocateBytes } from '../codec/bytes.ts';
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
import type { CellData } from './workbook-data.ts';

type PackedFormat = Pick<CellData, 'format' | 'style'>;

/** Formats and styles of the packed cells of a workbook by id; 0 is General without a style. */
export class PackedFormats {
  readonly list: PackedFormat[] = [{}];
  /** Ids by style, then by number format. */
  private readonly ids = new TextMap<TextMap<number>>();

  /** Returns the id of a format and style. `format`: a number format code. */
  ensureFormat(format = '', style = ''): number {
    if (format === '' && style === '') return GENERAL;
    let ids = this.ids.get(style);
    if (ids === undefined) {
      ids = new TextMap<number>();
      this.ids.set(style, ids);
    }
    let id = ids.get(format);
    if (id === undefined) {
      // A document has the same maximum. Further formats become General, with the same style if possible.
      if (this.list.length >= MAX_FORMATS) return ids.get('') ?? GENERAL;
      id = this.list.push({ ...(format !== '' && { format }), ...(style !== '' && { style }) }) - 1;
      ids.set(format, id);
    }
    return id;
  }

  /** Returns the formats in the form of stored documents, with the same ids. */
  storedFormats(): readonly StoredFormat[] {
    return this.list.map(({ format = '', style = '' }, id): StoredFormat => [id, format, 0, style]).slice(GENERAL + 1);
  }
}

/** Cells of a sheet that are not plain values. */
interface OtherCells extends Iterable<CellData> {
  /** Iterates over the cells once and removes each. */
  drain(): Iterable<CellData>;
}

/** A chunk in its stored form. Format numbers are ids of `PackedFormats`. */
type PackedChunk = Omit<StoredChunk, 'sheet'>;

/**
 * Receives a finished block; see `PackedOptions.give`. `chunk` encodes the block, by default in memory of its own. Call
 * it only if the block is accepted.
 */
export type GiveChunk = (chunk: (allocate?: AllocateBytes) => PackedChunk) => boolean;

const keepFormatId = (id: number): number => id;

interface PackedOptions {
  readonly packedFormats?: PackedFormats;
  /**
   * Returns the id of the format and style of unwritten cells of a column; General by default. Called before the
   * column's first cell.
   */
  readonly findColumnFormat?: (column: number) => number;
  /** Formulas and other cells that are not plain values. They are read after the values. */
  readonly others?: OtherCells;
  /**
   * Receives each block as soon as a later block of its column begins, so that a sheet of any length can be read with
   * only its last blocks in memory. Returns false to decline. Accepted cells are removed here. If formulas of an import
   * read them, they must be put back with `putBack`.
   */
  readonly give?: GiveChunk;
}

/**
 * The cells of one column by block of 256 rows. Each column has separate memory, because columns are released one by
 * one.
 */
interface PackedColumn {
  readonly chunks: ChunkTable;
  /** The current block and its builder. */
  block: number;
  maker: ChunkBuilder | null;
  readonly arena: NumberArena;
  /** Number of the format and style of unwritten rows. */
  readonly formatId: number;
}

/**
 * The values of one sheet between reading a file and creating a document. They have the same form as in documents, so
 * that the cells of a large file are packed only once. All cells must be put before any is read.
 */
export class PackedCells implements Iterable<CellData> {
  private readonly columns: (PackedColumn | undefined)[] = [];
  private readonly packedFormats: PackedFormats;
  private readonly findColumnFormat: (column: number) => number;
  private readonly others: OtherCells | undefined;
  private readonly give: GiveChunk | undefined;

  constructor({
    packedFormats = new PackedFormats(),
    findColumnFormat = () => GENERAL,
    others,
    give,
  }: PackedOptions = {}) {
    this.packedFormats = packedFormats;
    this.findColumnFormat = findColumnFormat;
    this.others = others;
    this.give = give;
  }

  /**
   * Puts a value. Within a column, blocks of 256 rows must be in ascending order; otherwise it stores nothing and
   * returns false.
   */
  put(row: number, column: number, value: Scalar, formatId: number = GENERAL): boolean {
    const maker = this.findBuilder(column, row);
    maker?.putValue(row & CHUNK_MASK, value, formatId);
    return maker !== null;
  }

  /** Puts a number as `put` does. */
  putNumber(row: number, column: number, number: number, formatId: number = GENERAL): boolean {
    const maker = this.findBuilder(column, row);
    maker?.putNumber(row & CHUNK_MASK, number, formatId);
    return maker !== null;
  }

  /** Puts numbers in consecutive rows of one block as `put` does. */
  putNumbers(row: number, column: number, numbers: Float64Array, formatId: number = GENERAL): boolean {
    const maker = this.findBuilder(column, row);
    maker?.putNumbers(row & CHUNK_MASK, numbers, formatId);
    return maker !== null;
  }

  /**
   * Puts a well-formed UTF-8 text as `put` does. Also returns false for a long text, which the caller must put as a
   * string.
   */
  putUtf8(row: number, column: number, bytes: Uint8Array, start: number, end: number): boolean {
    return this.findBuilder(column, row)?.putUtf8(row & CHUNK_MASK, bytes, start, end, GENERAL) ?? false;
  }

  /** Stores an accepted chunk at its position again. */
  putBack({ column, block, bytes }: PackedChunk): void {
    this.ensureColumn(column).chunks.set(block, decodeChunk(bytes, keepFormatId));
  }

  /** The values column by column from top to bottom, then the other cells. */
  *[Symbol.iterator](): Generator<CellData> {
    for (const [column, packedColumn] of this.columns.entries()) {
      if (packedColumn === undefined) continue;
      const { formatId: columnFormat } = packedColumn;
      for (const [block, chunk] of iterateChunks(packedColumn)) {
        for (let at = 0; at < chunk.rows; at++) {
          const [value, formatId] = [chunk.value(at), chunk.format(at)];
          if (value === null && formatId === columnFormat) continue;
          yield { row: (block << CHUNK_SHIFT) + at, column, value, ...this.packedFormats.list[formatId] };
        }
      }
    }
    yield* this.others ?? [];
  }

  /** Moves all values into a sheet of a draft that has no cells. Returns the other cells. */
  moveTo(draft: Draft, sheetId: number): Iterable<CellData> {
    const sheet = draft.ensureOwnSheet(sheetId);
    const ids = this.packedFormats.list.map(({ format = '', style }) =>
      draft.formats.ensureFormat(format, false, style),
    );
    draft.hasNewFormats ||= ids.some((id) => id !== GENERAL);
    this.columns.forEach((packedColumn, column) => {
      if (packedColumn === undefined) return;
      const ownColumn = draft.ensureOwnColumn(sheet, column);
      for (const [block, chunk] of iterateChunks(packedColumn))
        ownColumn.chunks.set(block, chunk.mapFormats(draft.revision, ids));
    });
    this.columns.length = 0;
    sheet.forgetExtent();
    return this.others?.drain() ?? [];
  }

  /** The packed cells of a column; creates an empty column if there is none. */
  private ensureColumn(column: number): PackedColumn {
    while (this.columns.length < column) this.columns.push(undefined);
    this.columns[column] ??= {
      chunks: ChunkTable.empty(),
      block: -1,
      maker: null,
      arena: new NumberArena(),
      formatId: this.findColumnFormat(column),
    };
    return this.columns[column];
  }

  /** Returns the builder for a row's block; null for a block before the current one. */
  private findBuilder(column: number, row: number): ChunkBuilder | null {
    const packedColumn = this.columns[column] ?? this.ensureColumn(column);
    const block = row >> CHUNK_SHIFT;
    if (packedColumn.block !== block && !this.beginBlock(packedColumn, column, row)) return null;
    return packedColumn.maker;
  }

  /** Finishes the current block of a column and begins a later one; returns false for an earlier block. */
  private beginBlock(packedColumn: PackedColumn, column: number, row: number): boolean {
    const { chunks, maker, arena, formatId } = packedColumn;
    const block = row >> CHUNK_SHIFT;
    if (block < Math.max(packedColumn.block, chunks.length - 1)) return false;
    if (maker === null) {
      // If a block follows others, it will probably be filled completely, and gets full capacity. Formats by row exist
      // only for rows of a chunk.
      packedColumn.maker = new ChunkBuilder(
        block === 0 && formatId === GENERAL ? row + 1 : CHUNK_ROWS,
        formatId,
        arena,
      );
    } else {
      const chunk = maker.finish();
      const isGiven =
        this.give?.((allocate) => ({
          column,
          block: packedColumn.block,
          bytes: encodeChunk(chunk, keepFormatId, allocate),
        })) ?? false;
      if (!isGiven) chunks.set(packedColumn.block, chunk);
      maker.startNextChunk(isGiven);
    }
    packedColumn.block = block;
    return true;
  }
}

/** The chunks of a column by block: the finished ones and the current one. There may be few, far apart. */
function* iterateChunks(packedColumn: PackedColumn): Generator<readonly [block: number, chunk: Chunk]> {
  const { chunks } = packedColumn;
  if (packedColumn.maker !== null) chunks.set(packedColumn.block, packedColumn.maker.finish());
  packedColumn.maker = null;
  for (const block of chunks.findChangedBlocks(ChunkTable.empty())) yield [block, chunks.at(block)!];
}
