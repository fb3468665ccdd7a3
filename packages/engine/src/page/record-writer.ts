import { ColumnReader, type ColumnTypes, findColumn, type Region } from '../records/index.ts';
import { BOOLEAN, EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { encodeJson, type JsonWriter } from './json-writer.ts';

interface WrittenColumn {
  /** The column's name as JSON, and a colon. */
  readonly member: Uint8Array;
  readonly reader: ColumnReader;
  readonly column: ReturnType<typeof findColumn>;
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

/** Writes records of one state in the form of responses, directly from the chunks. */
export class RecordJsonWriter {
  private readonly columns: readonly WrittenColumn[];
  private readonly out: JsonWriter;

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
  }

  /**
   * Reads the cells of some rows, column by column, before they are written. Cells of different chunks are far apart in
   * memory. In a short loop the processor waits for several of them at once, and the writer then finds them in its cache.
   * Returns a number without meaning, so that the compiler keeps the loop.
   */
  loadRows(rows: ArrayLike<number>, from: number, end: number): number {
    let sum = 0;
    for (const { column } of this.columns) {
      if (column === undefined) continue;
      const { chunks } = column;
      for (let i = from; i < end; i++) {
        const row = rows[i]!;
        const chunk = chunks.at(row >> CHUNK_SHIFT);
        if (chunk === undefined) continue;
        const at = row & CHUNK_MASK;
        if ((chunk.kind(at) & TYPE_MASK) === TEXT) sum += chunk.texts.readFirstUnit(chunk.number(at));
        else if (at < chunk.rows) sum += chunk.number(at);
      }
    }
    return sum;
  }

  /**
   * Writes the number and the selected fields of a zero-based row; `null` for an empty cell. A record with many fields is
   * written by the returned steps, which yield regularly. Other records need none, because a generator for each record
   * takes as long as writing several fields.
   */
  writeRecord(row: number): Generator<void, void> | null {
    if (this.columns.length > FIELDS_PER_STEP) return this.writeWideRecord(row);
    this.beginRecord(row);
    this.writeMembers(row, 0, this.columns.length);
    this.endRecord();
    return null;
  }

  private *writeWideRecord(row: number): Generator<void, void> {
    this.beginRecord(row);
    for (let first = 0; first < this.columns.length; first += FIELDS_PER_STEP) {
      if (first > 0) yield;
      this.writeMembers(row, first, Math.min(first + FIELDS_PER_STEP, this.columns.length));
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

  /** Writes the fields from `first` to before `end`. */
  private writeMembers(row: number, first: number, end: number): void {
    const { out, columns } = this;
    const block = row >> CHUNK_SHIFT;
    for (let i = first; i < end; i++) {
      const { member, reader, column } = columns[i]!;
      if (i > 0) out.writeByte(COMMA);
      out.writeBytes(member);
      this.writeField(reader, column?.chunks.at(block), row & CHUNK_MASK);
    }
  }

  private writeField(reader: ColumnReader, chunk: Chunk | undefined, blockRow: number): void {
    const { out } = this;
    const type = chunk === undefined ? EMPTY : chunk.kind(blockRow) & TYPE_MASK;
    if (chunk === undefined || type === EMPTY) return out.writeBytes(NULL);
    if (reader.type === null && type === TEXT) return this.writeText(chunk, chunk.number(blockRow));
    if (reader.type === null && type === NUMBER && reader.findFormatKind(chunk.format(blockRow)) === null)
      return out.writeNumber(chunk.number(blockRow));
    if (reader.type === null && type === BOOLEAN) return out.writeBytes(chunk.number(blockRow) === 0 ? FALSE : TRUE);
    const field = reader.readField(chunk, blockRow);
    if (typeof field === 'number') out.writeNumber(field);
    else out.writeJson(JSON.stringify(field));
  }

  private writeText({ texts }: Chunk, index: number): void {
    const { units, starts, extra } = texts.parts();
    const packed = starts.length - 1;
    if (index < packed) this.out.writeUnits(units, starts[index]!, starts[index + 1]!);
    else this.out.writeString(extra[index - packed]!);
  }
}
