import { type Edit, type Input, PlainColumnBuilder, SharedMemory } from '@cellwire/engine';
import { RECORDS_PER_STEP } from './record-fields.ts';

/** The new content of a cell in `raw` mode. */
export type WrittenInput = Exclude<Input, null>;

/** Fewer cells are written row by row: their columns would take more time to build than the cells. */
const MIN_CELLS_BY_COLUMN = 512;
/** Cells between two pauses. */
const CELLS_PER_STEP = 2_048;

/** Collects new contents of cells. A cell may be added once. */
export class WrittenCells {
  private readonly rows: number[] = [];
  private readonly columns: number[] = [];
  private readonly inputs: WrittenInput[] = [];

  add(row: number, column: number, input: WrittenInput): void {
    this.rows.push(row);
    this.columns.push(column);
    this.inputs.push(input);
  }

  /** The edits that write the cells of a sheet. Yields regularly. */
  *edits(sheet: number): Generator<void, readonly Edit[]> {
    if (this.rows.length < MIN_CELLS_BY_COLUMN) return yield* this.rowEdits(sheet, this.rows.keys());
    const builders = new Map<number, PlainColumnBuilder>();
    const others: number[] = [];
    for (let i = 0; i < this.rows.length; i++) {
      const input = this.inputs[i] as WrittenInput;
      const column = this.columns[i] as number;
      if (typeof input === 'object') others.push(i);
      else {
        let builder = builders.get(column);
        if (builder === undefined) {
          builder = new PlainColumnBuilder(column);
          builders.set(column, builder);
        }
        builder.put(this.rows[i] as number, input === '' ? null : input);
      }
      if (i % CELLS_PER_STEP === 0) yield;
    }
    const memory = new SharedMemory();
    const columns = [];
    for (const builder of builders.values()) {
      columns.push(builder.finish(memory));
      yield;
    }
    return [{ kind: 'putColumns', sheet, columns }, ...(yield* this.rowEdits(sheet, others))];
  }

  /** One edit for each run of consecutive rows. `cells`: indexes of cells. */
  private *rowEdits(sheet: number, cells: Iterable<number>): Generator<void, readonly Edit[]> {
    const byRow = new Map<number, number[]>();
    for (const i of cells) {
      const row = this.rows[i] as number;
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
      edits.push(yield* this.blockEdit(sheet, rows[from] as number, block));
      from = end;
    }
    return edits;
  }

  /** Writes consecutive rows. `block`: the indexes of each row's cells. */
  private *blockEdit(sheet: number, row: number, block: readonly (readonly number[])[]): Generator<void, Edit> {
    let left = Number.POSITIVE_INFINITY;
    for (const cells of block) for (const i of cells) left = Math.min(left, this.columns[i] as number);
    const values: (readonly Input[])[] = [];
    for (const cells of block) {
      values.push(this.rowOf(cells, left));
      if (values.length % RECORDS_PER_STEP === 0) yield;
    }
    return { kind: 'setValues', sheet, row, column: left, values, mode: 'raw' };
  }

  /** A row's cells from a column to its last written cell; null for other cells. */
  private rowOf(cells: readonly number[], left: number): readonly Input[] {
    const row: Input[] = [];
    for (const i of cells) {
      const at = (this.columns[i] as number) - left;
      while (row.length < at) row.push(null);
      row[at] = this.inputs[i] as WrittenInput;
    }
    return row;
  }
}
