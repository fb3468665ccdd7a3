import {
  cellView,
  type Edit,
  type Input,
  isDateFormat,
  nearestMoment,
  type Region,
  type Snapshot,
} from '@cellwire/engine';
import type { Sheet } from '../ranges.ts';
import type { TypedCell } from '../typed-cells.ts';
import { RECORDS_A_STEP, type RecordFields } from './record-fields.ts';

/** Gathers what records' cells are to hold, and leaves out what they hold already. */
export class RowWriter {
  /** Cells that change. */
  cells = 0;
  private readonly snapshot: Snapshot;
  private readonly sheet: Sheet;
  private readonly region: Region;
  /** By row, then by column. */
  private readonly rows = new Map<number, Map<number, Exclude<Input, null>>>();

  constructor(snapshot: Snapshot, sheet: Sheet, region: Region) {
    this.snapshot = snapshot;
    this.sheet = sheet;
    this.region = region;
  }

  /** Sets fields of a row that is there; whether any of them changes. `except`: columns that stay as they are. */
  update(row: number, fields: RecordFields, except: readonly number[] = []): boolean {
    let isChanged = false;
    for (const [at, field] of fields) {
      const column = this.region.columns[at]?.column ?? 0;
      if (except.includes(at) || this.holds(row, column, field)) continue;
      isChanged = true;
      this.set(row, column, field.input);
    }
    return isChanged;
  }

  /** Sets the fields of a new row, which holds nothing yet. */
  append(row: number, fields: RecordFields): void {
    for (const [at, { input }] of fields) {
      if (input !== '') this.set(row, this.region.columns[at]?.column ?? 0, input);
    }
  }

  private set(row: number, column: number, input: Exclude<Input, null>): void {
    this.cells++;
    const cells = this.rows.get(row);
    if (cells === undefined) this.rows.set(row, new Map([[column, input]]));
    else cells.set(column, input);
  }

  /** Whether a cell holds a field's value as it is; what spilled into it cannot be cleared from here. */
  private holds(row: number, column: number, { scalar, formula, isDate }: TypedCell): boolean {
    const value = this.sheet.value(row, column);
    if (formula !== null) return cellView(this.snapshot, this.sheet.id, row, column)?.f === formula;
    if (!isDate || typeof value !== 'number' || typeof scalar !== 'number') return value === scalar;
    const format = this.snapshot.formats.code(this.sheet.format(row, column));
    return nearestMoment(value) === nearestMoment(scalar) && isDateFormat(format);
  }

  /** One edit for each stretch of rows that follow one another. Pauses now and then. */
  *edits(): Generator<void, readonly Edit[]> {
    const edits: Edit[] = [];
    const rows = [...this.rows.keys()].sort((a, b) => a - b);
    for (let from = 0; from < rows.length; ) {
      let end = from + 1;
      while (end < rows.length && rows[end] === (rows[end - 1] as number) + 1) end++;
      edits.push(yield* this.block(rows.slice(from, end)));
      from = end;
    }
    return edits;
  }

  private *block(rows: readonly number[]): Generator<void, Edit> {
    let left = Number.POSITIVE_INFINITY;
    for (const [i, row] of rows.entries()) {
      for (const column of this.cellsOf(row).keys()) left = Math.min(left, column);
      if (i % RECORDS_A_STEP === 0) yield;
    }
    const values: (readonly Input[])[] = [];
    for (const row of rows) {
      values.push(lineOf(this.cellsOf(row), left));
      if (values.length % RECORDS_A_STEP === 0) yield;
    }
    return { kind: 'setValues', sheet: this.sheet.id, row: rows[0] ?? 0, column: left, values, mode: 'raw' };
  }

  private cellsOf(row: number): RowCells {
    return this.rows.get(row) ?? NO_CELLS;
  }
}

/** By column. */
type RowCells = ReadonlyMap<number, Exclude<Input, null>>;
const NO_CELLS: RowCells = new Map();

/** A row's cells from a column to its last that is set; null for those that stay as they are. */
function lineOf(cells: RowCells, left: number): readonly Input[] {
  const line: Input[] = [];
  for (const [column, input] of cells) {
    while (line.length < column - left) line.push(null);
    line[column - left] = input;
  }
  return line;
}
