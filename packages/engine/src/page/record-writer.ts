import { ColumnReader, type ColumnTypes, type FieldValue, findColumn, type Region } from '../records/index.ts';
import { BOOLEAN, EMPTY, NUMBER, TEXT } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { encodeJson, type JsonWriter } from './json-writer.ts';
import { type RecordCellColumn, RecordCells } from './record-cells.ts';

interface WrittenColumn extends RecordCellColumn {
  /** The column's name as JSON, and a colon. */
  readonly member: Uint8Array;
}

/** Fields written between two pauses. */
const FIELDS_PER_STEP = 2_048;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const COMMA = 44;
const HEAD = encodeJson('{"row":');
const FIELDS = encodeJson(',"fields":');
const NULL = encodeJson('null');
const TRUE = encodeJson('true');
const FALSE = encodeJson('false');

/** Writes records of one state in the form of responses, directly from the memory of their cells. */
export class RecordJsonWriter {
  private readonly columns: readonly WrittenColumn[];
  private readonly out: JsonWriter;
  private readonly cells: RecordCells;
  /** Index of the next record among the loaded rows. */
  private next = 0;

  /** `select`: column indexes in the region. */
  constructor(
    snapshot: Snapshot,
    region: Region,
    { types, select }: { readonly types: ColumnTypes; readonly select: readonly number[] },
    out: JsonWriter,
  ) {
    this.out = out;
    // A column that is selected twice is one member.
    this.columns = [...new Set(select)].map((at) => {
      const { name = '', column = -1 } = region.columns[at] ?? {};
      return {
        member: encodeJson(`${JSON.stringify(name)}:`),
        reader: new ColumnReader(snapshot, column, types.get(at) ?? null),
        column: findColumn(snapshot, region, at),
      };
    });
    this.cells = new RecordCells(this.columns);
  }

  /** Reads the cells of the rows with indexes `from` to `end - 1`, for `writeRecord` in this order. */
  loadRows(rows: ArrayLike<number>, from: number, end: number): void {
    this.next = 0;
    // The cells of a wide record are loaded when they are written.
    if (this.columns.length <= FIELDS_PER_STEP) this.cells.loadCells(rows, from, end, 0, this.columns.length);
  }

  /**
   * Writes the number and the selected fields of a zero-based row; `null` for an empty cell. A record with many fields is
   * written by the returned steps, which yield regularly. Other records need none, because a generator for each record
   * takes as long as writing several fields.
   */
  writeRecord(row: number): Generator<void, void> | null {
    const { length } = this.columns;
    if (length > FIELDS_PER_STEP) return this.writeWideRecord(row);
    if (this.next >= this.cells.rowCount || this.cells.rows[this.next] !== row) this.loadRows([row], 0, 1);
    this.beginRecord(row);
    this.writeMembers(row, this.next, 0, length);
    this.endRecord();
    this.next++;
    return null;
  }

  private *writeWideRecord(row: number): Generator<void, void> {
    this.beginRecord(row);
    for (let first = 0; first < this.columns.length; first += FIELDS_PER_STEP) {
      if (first > 0) yield;
      const end = Math.min(first + FIELDS_PER_STEP, this.columns.length);
      this.cells.loadCells([row], 0, 1, first, end);
      this.writeMembers(row, 0, first, end);
    }
    this.endRecord();
  }

  private beginRecord(row: number): void {
    const { out } = this;
    out.writeBytes(HEAD);
    out.writeWholeNumber(row + 1);
    out.writeBytes(FIELDS);
    out.writeByte(OPEN_OBJECT);
  }

  private endRecord(): void {
    this.out.writeByte(CLOSE_OBJECT);
    this.out.writeByte(CLOSE_OBJECT);
  }

  /** Writes the fields from `first` to before `end` of the loaded row with this index. The columns are loaded from `first` on. */
  private writeMembers(row: number, index: number, first: number, end: number): void {
    const { out, columns } = this;
    const { rowCount } = this.cells;
    let cell = index;
    for (let i = first; i < end; i++, cell += rowCount) {
      const column = columns[i]!;
      if (i > 0) out.writeByte(COMMA);
      out.writeBytes(column.member);
      this.writeField(column, row, cell);
    }
  }

  private writeField({ reader, column }: WrittenColumn, row: number, cell: number): void {
    const { out, cells } = this;
    switch (cells.types[cell]) {
      case EMPTY:
        return out.writeBytes(NULL);
      case TEXT:
        return out.writeUnits(cells.units[cell]!, cells.starts[cell]!, cells.ends[cell]!);
      case NUMBER:
        return this.writeNumber(reader, cells.numbers[cell]!, cells.formats[cell]!);
      case BOOLEAN:
        return out.writeBytes(cells.numbers[cell] === 0 ? FALSE : TRUE);
      default:
        return this.writeOther(reader.readField(column?.chunks.at(row >> CHUNK_SHIFT), row & CHUNK_MASK));
    }
  }

  private writeNumber(reader: ColumnReader, number: number, format: number): void {
    if (reader.findFormatKind(format) === null) this.out.writeNumber(number);
    else this.writeOther(reader.toField(number, format));
  }

  private writeOther(field: FieldValue): void {
    const { out } = this;
    if (typeof field === 'number') out.writeNumber(field);
    else if (typeof field === 'string') out.writeString(field);
    else out.writeJson(JSON.stringify(field));
  }
}
