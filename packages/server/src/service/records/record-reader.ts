import {
  CHUNK_ROWS,
  ColumnReader,
  type ColumnTypes,
  columnOf,
  type FieldValue,
  jsonText,
  type Region,
  type Snapshot,
} from '@cellwire/engine';

interface ReaderColumn {
  readonly name: string;
  readonly reader: ColumnReader;
  readonly column: ReturnType<typeof columnOf>;
}

/** Reads records of one state in the form of responses. */
export class RecordReader {
  private readonly columns: readonly ReaderColumn[];

  /** `select`: column indexes in the region. */
  constructor(snapshot: Snapshot, region: Region, types: ColumnTypes, select: readonly number[]) {
    this.columns = select.map((at) => {
      const { name = '', column = -1 } = region.columns[at] ?? {};
      const reader = new ColumnReader(snapshot, column, types.get(at) ?? null);
      return { name, reader, column: columnOf(snapshot, region, at) };
    });
  }

  /** The selected fields of a zero-based row by their names; `null` for an empty cell. */
  fields(row: number): Readonly<Record<string, FieldValue>> {
    return this.fieldsOf(row, 0, this.columns.length);
  }

  /** The fields as JSON text. Yields regularly. */
  *text(row: number): Generator<void, string> {
    if (this.columns.length <= FIELDS_PER_STEP) return jsonText(this.fields(row));
    let text = '';
    for (let first = 0; first < this.columns.length; first += FIELDS_PER_STEP) {
      const part = jsonText(this.fieldsOf(row, first, first + FIELDS_PER_STEP));
      text += first === 0 ? part.slice(0, -1) : `,${part.slice(1, -1)}`;
      yield;
    }
    return `${text}}`;
  }

  private fieldsOf(row: number, first: number, end: number): Readonly<Record<string, FieldValue>> {
    const block = Math.floor(row / CHUNK_ROWS);
    return Object.fromEntries(
      this.columns
        .slice(first, end)
        .map(({ name, reader, column }) => [name, reader.field(column?.chunks.at(block), row % CHUNK_ROWS)]),
    );
  }
}

/** Fields written between two pauses. */
const FIELDS_PER_STEP = 2_048;
