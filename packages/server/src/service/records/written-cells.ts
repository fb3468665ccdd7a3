import { type Edit, type Input, type PlainColumn, PlainColumnBuilder, SharedMemory } from '@cellwire/engine';
import { RECORDS_PER_STEP } from './record-fields.ts';

/** The new content of a cell in `raw` mode. */
export type WrittenInput = Exclude<Input, null>;

/** Fewer cells are written row by row: their columns would take more time to build than the cells. */
const MIN_CELLS_BY_COLUMN = 512;
/** Cells between two pauses. */
const CELLS_PER_STEP = 2_048;

/** Collects new contents of cells. A cell may be added once. */
export class WrittenCells {
  /** Cells that are written row by row. */
  private readonly rows: number[] = [];
  private readonly columns: number[] = [];
  private readonly inputs: WrittenInput[] = [];
  /** The other cells by column. Null while there are few cells. */
  private builders: Map<number, PlainColumnBuilder> | null = null;

  /** Records a value for a cell: in a list at first, by column once there are many. */
  addCell(row: number, column: number, input: WrittenInput): void {
    if (this.builders !== null && typeof input !== 'object')
      return getColumnBuilder(this.builders, column).put(row, input === '' ? null : input);
    this.rows.push(row);
    this.columns.push(column);
    this.inputs.push(input);
    if (this.builders === null && this.rows.length === MIN_CELLS_BY_COLUMN) this.moveToColumns();
  }

  /** Records a text of ASCII characters for a cell, given as bytes. */
  addAsciiCell(row: number, column: number, bytes: Buffer, start: number, end: number): void {
    if (this.builders === null) this.addCell(row, column, bytes.toString('latin1', start, end));
    else getColumnBuilder(this.builders, column).putAscii(row, bytes, start, end);
  }

  /** Moves the collected cells to column builders, which need less memory for many cells. */
  private moveToColumns(): void {
    const [rows, columns, inputs] = [this.rows, this.columns, this.inputs].map((list) => list.splice(0)) as [
      number[],
      number[],
      WrittenInput[],
    ];
    this.builders = new Map();
    for (const [i, input] of inputs.entries()) this.addCell(rows[i] as number, columns[i] as number, input);
  }

  /** The edits that write the cells of a sheet. Yields regularly. */
  *listEdits(sheet: number): Generator<void, readonly Edit[]> {
    const rowEdits = yield* this.listRowEdits(sheet);
    if (this.builders === null) return rowEdits;
    const memory = new SharedMemory();
    const columns: PlainColumn[] = [];
    for (const builder of this.builders.values()) {
      columns.push(builder.finish(memory));
      yield;
    }
    return [{ kind: 'putColumns', sheet, columns }, ...rowEdits];
  }

  /** One edit for each run of consecutive rows. */
  private *listRowEdits(sheet: number): Generator<void, readonly Edit[]> {
    const byRow = new Map<number, number[]>();
    for (const [i, row] of this.rows.entries()) {
      const others = byRow.get(row);
      if (others === undefined) byRow.set(row, [i]);
      else others.push(i);
      if (i % CELLS_PER_STEP === 0) yield;
    }
    const edits: Edit[] = [];
    const rows = [...byRow.keys()].sort((a, b) => a - b);
    for (let from = 0; from < rows.length; ) {
      let end = from + 1;
      while (end < rows.length && rows[end] === (rows[end - 1] as number) + 1) end++;
      const block = rows.slice(from, end).map((row) => byRow.get(row) as readonly number[]);
      edits.push(yield* this.createBlockEdit(sheet, rows[from] as number, block));
      from = end;
    }
    return edits;
  }

  /** Writes consecutive rows. `block`: the indexes of each row's cells. */
  private *createBlockEdit(sheet: number, row: number, block: readonly (readonly number[])[]): Generator<void, Edit> {
    let left = Number.POSITIVE_INFINITY;
    for (const cells of block) for (const i of cells) left = Math.min(left, this.columns[i] as number);
    const values: (readonly Input[])[] = [];
    for (const cells of block) {
      values.push(this.buildRowInputs(cells, left));
      if (values.length % RECORDS_PER_STEP === 0) yield;
    }
    return { kind: 'setValues', sheet, row, column: left, values, mode: 'raw' };
  }

  /** A row's cells from a column to its last written cell; null for other cells. */
  private buildRowInputs(cells: readonly number[], firstColumn: number): readonly Input[] {
    const row: Input[] = [];
    for (const i of cells) {
      const at = (this.columns[i] as number) - firstColumn;
      while (row.length < at) row.push(null);
      row[at] = this.inputs[i] as WrittenInput;
    }
    return row;
  }
}

function getColumnBuilder(builders: Map<number, PlainColumnBuilder>, column: number): PlainColumnBuilder {
  let builder = builders.get(column);
  if (builder === undefined) {
    builder = new PlainColumnBuilder(column);
    builders.set(column, builder);
  }
  return builder;
}
