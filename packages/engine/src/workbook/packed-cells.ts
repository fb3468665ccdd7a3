import { CHUNK_MASK, CHUNK_SHIFT, Chunk } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import type { Scalar } from '../value/scalar.ts';
import { TextMap } from '../value/text-map.ts';
import type { CellData } from './data.ts';

/** Of the chunks before a draft takes them over. */
const REVISION = 0;

/**
 * Values of one sheet on their way from a file into a document, held as documents hold them: a large file's cells are
 * packed once, as they come, and an import takes them over. Formulas and styles have no place here.
 */
export class PackedCells implements Iterable<CellData> {
  /** Cells put so far. */
  size = 0;
  private readonly columns: (Chunk | undefined)[][] = [];
  /** Number format codes by their ids in the chunks. */
  private readonly formats: string[] = [''];
  private readonly formatIds = new TextMap<number>();
  private readonly arena = new NumberArena();

  /** Puts a cell; those of a column come from above. `format`: a number format code, General by default. */
  put(row: number, column: number, value: Scalar, format?: string): void {
    const at = row & CHUNK_MASK;
    const chunk = this.chunkWith(column, row >> CHUNK_SHIFT, at + 1);
    chunk.set(at, value, 0);
    if (format !== undefined) chunk.setFormat(at, this.formatId(format));
    this.size++;
  }

  /** Column by column, each from above. */
  *[Symbol.iterator](): Generator<CellData> {
    for (const [column, chunks] of this.columns.entries()) {
      for (const [block, chunk] of chunks.entries()) {
        const rows = chunk?.filledRows() ?? 0;
        for (let at = 0; chunk && at < rows; at++) {
          const value = chunk.value(at);
          if (value === null) continue;
          const format = this.formats[chunk.format(at)];
          yield { row: (block << CHUNK_SHIFT) + at, column, value, ...(format && { format }) };
        }
      }
    }
  }

  /** Hands the cells over to a sheet of a draft that has no cells and no formats yet. Nothing is left here. */
  moveTo(draft: Draft, sheetId: number): void {
    const sheet = draft.ownSheet(sheetId);
    const ids = this.formats.map((code) => draft.formats.idOf(code));
    draft.hasNewFormats ||= ids.length > 1;
    this.columns.forEach((chunks, column) => {
      if (chunks.length === 0) return;
      chunks.at(-1)?.packAndSettle();
      const own = draft.ownColumn(sheet, column);
      for (const chunk of chunks) own.chunks.push(chunk?.inFormats(draft.revision, ids));
    });
    this.columns.length = 0;
    sheet.forgetExtent();
  }

  /** The chunk of a column's block, with room for so many rows. */
  private chunkWith(column: number, block: number, rows: number): Chunk {
    while (this.columns.length <= column) this.columns.push([]);
    const chunks = this.columns[column] as (Chunk | undefined)[];
    const held = chunks[block];
    if (held && held.rows >= rows) return held;
    if (held === undefined) {
      chunks.at(-1)?.packAndSettle();
      while (chunks.length < block) chunks.push(undefined);
    }
    // What comes after other blocks will likely be filled whole.
    const room = block === 0 ? rows : CHUNK_MASK + 1;
    const chunk = held?.copy(REVISION, rows, this.arena) ?? Chunk.empty(REVISION, room, GENERAL, this.arena);
    chunks[block] = chunk;
    return chunk;
  }

  private formatId(code: string): number {
    let id = this.formatIds.get(code);
    if (id === undefined) {
      id = this.formats.push(code) - 1;
      this.formatIds.set(code, id);
    }
    return id;
  }
}
