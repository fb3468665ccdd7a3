import {
  CHUNK_ROWS,
  ColumnReader,
  type ColumnTypes,
  findColumn,
  jsonNumberText,
  type Region,
  type Snapshot,
} from '@cellwire/engine';

interface ReaderColumn {
  /** The column's name as JSON text, and a colon. */
  readonly member: string;
  readonly reader: ColumnReader;
  readonly column: ReturnType<typeof findColumn>;
}

/** Reads records of one state in the form of responses. */
export class RecordReader {
  private readonly columns: readonly ReaderColumn[];

  /** `select`: column indexes in the region. */
  constructor(snapshot: Snapshot, region: Region, types: ColumnTypes, select: readonly number[]) {
    // A column that is selected twice is one member.
    this.columns = [...new Set(select)].map((at) => {
      const { name = '', column = -1 } = region.columns[at] ?? {};
      const reader = new ColumnReader(snapshot, column, types.get(at) ?? null);
      return { member: `${JSON.stringify(name)}:`, reader, column: findColumn(snapshot, region, at) };
    });
  }

  /** The selected fields of a zero-based row as JSON text; `null` for an empty cell. Yields regularly. */
  *formatRow(row: number): Generator<void, string> {
    if (this.columns.length <= FIELDS_PER_STEP) return `{${this.formatMembers(row, 0, this.columns.length)}}`;
    let text = '{';
    for (let first = 0; first < this.columns.length; first += FIELDS_PER_STEP) {
      text += first === 0 ? '' : ',';
      text += this.formatMembers(row, first, Math.min(first + FIELDS_PER_STEP, this.columns.length));
      yield;
    }
    return `${text}}`;
  }

  /** The fields from `first` to before `end` as JSON members. An object for each record would take twice the time. */
  private formatMembers(row: number, first: number, end: number): string {
    const block = Math.floor(row / CHUNK_ROWS);
    const at = row % CHUNK_ROWS;
    let text = '';
    for (let i = first; i < end; i++) {
      const { member, reader, column } = this.columns[i] as ReaderColumn;
      const field = reader.readField(column?.chunks.at(block), at);
      if (i > first) text += ',';
      text += member + (typeof field === 'number' ? jsonNumberText(field) : JSON.stringify(field));
    }
    return text;
  }
}

/** Fields written between two pauses. */
const FIELDS_PER_STEP = 2_048;
