import type { ColumnReader } from '../records/index.ts';
import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { PAGE_MASK } from '../sheet/chunk-table.ts';
import type { PagePlaces } from '../sheet/places/page-places.ts';
import type { Column } from '../sheet/snapshot.ts';

/** The type of cells that only `ColumnReader.readField` reads. */
const OTHER = TYPE_MASK + 1;

export interface RecordCellColumn {
  readonly reader: ColumnReader;
  /** Undefined if no cell of the column was ever written. */
  readonly column: Column | undefined;
}

const NO_UNITS = new Uint8Array(0);

/**
 * The cells of some rows and columns, read column by column. Cells of different chunks are far apart in memory. In a
 * short loop the processor waits for several of them at once; the cells are then written from these arrays.
 */
export class RecordCells {
  /** Number of rows. */
  rowCount = 0;
  /** The rows, and for each column a cell for each row: its type, number, format, and text. */
  rows = new Uint32Array(0);
  types = new Uint8Array(0);
  numbers = new Float64Array(0);
  formats = new Uint16Array(0);
  /** The position of a text in `units`. */
  starts = new Uint32Array(0);
  ends = new Uint32Array(0);
  units: (Uint8Array | Uint16Array)[] = [];
  /** For each row, the place of the current column's cell; null if the cell was read from its chunk. */
  private located: (PagePlaces | null)[] = [];
  private entries = new Int32Array(0);
  private readonly columns: readonly RecordCellColumn[];
  /** A sum without meaning. Without it, the compiler removes reads that only load memory into the cache. */
  private touched = 0;

  constructor(columns: readonly RecordCellColumn[]) {
    this.columns = columns;
  }

  /** Reads the cells of the rows with indexes `from` to `end - 1`, in the columns `first` to `last - 1`. */
  loadCells(rows: ArrayLike<number>, from: number, end: number, first: number, last: number): void {
    const rowCount = end - from;
    this.reserve(rowCount, rowCount * (last - first));
    this.rowCount = rowCount;
    for (let i = from; i < end; i++) this.rows[i - from] = rows[i]!;
    for (let i = first; i < last; i++) this.loadColumn(this.columns[i]!, (i - first) * rowCount);
  }

  private reserve(rows: number, cells: number): void {
    if (this.rows.length < rows) {
      this.rows = new Uint32Array(rows);
      this.entries = new Int32Array(rows);
      this.located = new Array<PagePlaces | null>(rows).fill(null);
    }
    if (this.types.length >= cells) return;
    this.types = new Uint8Array(cells);
    this.numbers = new Float64Array(cells);
    this.formats = new Uint16Array(cells);
    this.starts = new Uint32Array(cells);
    this.ends = new Uint32Array(cells);
    this.units = new Array<Uint8Array | Uint16Array>(cells).fill(NO_UNITS);
  }

  private loadColumn({ column, reader }: RecordCellColumn, firstCell: number): void {
    const { rows, rowCount } = this;
    if (column === undefined) {
      this.types.fill(EMPTY, firstCell, firstCell + rowCount);
      return;
    }
    const { chunks } = column;
    const { located, entries } = this;
    for (let i = 0; i < rowCount; i++) {
      const row = rows[i]!;
      const block = row >> CHUNK_SHIFT;
      const places = reader.type === null ? chunks.placesAt(block) : null;
      const entry = places === null ? -1 : places.findEntry(block & PAGE_MASK);
      located[i] = entry < 0 ? null : places;
      entries[i] = entry;
      if (places === null || entry < 0) this.loadFromChunk(chunks.at(block), row & CHUNK_MASK, firstCell + i);
      else this.types[firstCell + i] = places.kind(entry, row & CHUNK_MASK) & TYPE_MASK;
    }
    this.loadNumbers(firstCell);
    this.loadTexts(firstCell);
    if (reader.type === null) return;
    // The reader converts the cells of a column with a type. Their memory was read above, which takes the most time.
    for (let i = firstCell; i < firstCell + rowCount; i++) if (this.types[i] !== EMPTY) this.types[i] = OTHER;
  }

  private loadNumbers(firstCell: number): void {
    const { rows, rowCount, located, entries, types, numbers, formats } = this;
    for (let i = 0; i < rowCount; i++) {
      const type = types[firstCell + i];
      const places = located[i]!;
      const entry = entries[i]!;
      if (type === EMPTY || places === null) continue;
      const row = rows[i]! & CHUNK_MASK;
      numbers[firstCell + i] = places.number(entry, row);
      if (type === NUMBER) formats[firstCell + i] = places.format(entry, row);
    }
  }

  private loadTexts(firstCell: number): void {
    const { rowCount, located, entries, types, numbers, starts, ends, units } = this;
    for (let i = 0; i < rowCount; i++) {
      const cell = firstCell + i;
      const places = located[i]!;
      if (types[cell] !== TEXT || places === null) continue;
      const entry = entries[i]!;
      const number = numbers[cell]!;
      if (number >= places.packedTexts(entry)) {
        types[cell] = OTHER;
        continue;
      }
      units[cell] = places.textUnits(entry);
      starts[cell] = places.textStart(entry, number);
      ends[cell] = places.textStart(entry, number + 1);
    }
    for (let i = firstCell; i < firstCell + rowCount; i++) {
      if (types[i] === TEXT) this.touched += units[i]![starts[i]!]!;
    }
  }

  /** Reads a cell whose place is not known, from the objects of its chunk. */
  private loadFromChunk(chunk: Chunk | undefined, row: number, cell: number): void {
    const type = chunk === undefined ? EMPTY : chunk.kind(row) & TYPE_MASK;
    this.types[cell] = type;
    if (chunk === undefined || type === EMPTY) return;
    const number = chunk.number(row);
    this.numbers[cell] = number;
    if (type === NUMBER) this.formats[cell] = chunk.format(row);
    if (type !== TEXT) return;
    const { units, starts } = chunk.texts.parts();
    if (number >= starts.length - 1) {
      this.types[cell] = OTHER;
      return;
    }
    this.units[cell] = units;
    this.starts[cell] = starts[number]!;
    this.ends[cell] = starts[number + 1]!;
  }
}
