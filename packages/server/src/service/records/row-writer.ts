import {
  CHUNK_ROWS,
  ColumnReader,
  cellView,
  type Edit,
  formatClass,
  type Input,
  type Region,
  roundToMoment,
  type Snapshot,
} from '@cellwire/engine';
import type { TypedCell } from '../cells/typed-cells.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { FieldWarnings } from './field-warnings.ts';
import type { RecordFields, StartColumn } from './record-fields.ts';
import { ASCII } from './sent-records.ts';
import { type PlainField, type RecordField, recognizeForm, type TypedField } from './typed-fields.ts';
import { WrittenCells, type WrittenInput } from './written-cells.ts';

/** Collects the new contents of records' cells; cells that already have the same content are skipped. */
export class RowWriter {
  /** Number of cells that change. */
  cells = 0;
  readonly warnings = new FieldWarnings();
  private readonly snapshot: Snapshot;
  private readonly sheet: SnapshotSheet;
  private readonly region: Region;
  private readonly start: readonly StartColumn[];
  /** Readers by column index in the region; they read cells without types. */
  private readonly readers: readonly ColumnReader[];
  private readonly written = new WrittenCells();
  /** The row that is being written, and the index of its record in the request. */
  private row = 0;
  private record = 0;

  /** `start`: contents of the columns when the request started. */
  constructor(snapshot: Snapshot, sheet: SnapshotSheet, region: Region, start: readonly StartColumn[]) {
    this.snapshot = snapshot;
    this.sheet = sheet;
    this.region = region;
    this.start = start;
    this.readers = region.columns.map(({ column }) => new ColumnReader(snapshot, column, null));
  }

  /**
   * Sets fields of an existing row; returns true if one of them changes. `record`: the record's index in the request.
   * `keyColumns`: columns that are not written.
   */
  updateRow(row: number, fields: RecordFields, record: number, keyColumns: readonly number[] = []): boolean {
    this.row = row;
    this.record = record;
    let isChanged = false;
    const columns = fields.getColumns(record);
    const first = fields.getFirstField(record);
    for (let i = 0; i < columns.length; i++) {
      const at = columns[i] as number;
      if (keyColumns.includes(at)) continue;
      const isSet =
        fields.kinds[first + i] === ASCII
          ? this.updateAsciiText(at, fields, first + i)
          : this.updateField(at, fields.readField(first + i));
      isChanged ||= isSet;
    }
    return isChanged;
  }

  /** Writes an ASCII text unless the cell already reads the same. Returns true if it is written. */
  private updateAsciiText(columnIndex: number, fields: RecordFields, field: number): boolean {
    const { row } = this;
    const chunk = this.sheet.chunk(this.toGridColumn(columnIndex), Math.floor(row / CHUNK_ROWS));
    const start = fields.textStarts[field] as number;
    const end = fields.textEnds[field] as number;
    const reader = this.readers[columnIndex];
    const isSame = reader?.isAsciiText(chunk, row % CHUNK_ROWS, fields.bytes, start, end) ?? null;
    // A cell of another type may read as the same text, for example a date in a column of texts.
    if (isSame ?? this.readsAsField(columnIndex, fields.readField(field))) return false;
    this.setAsciiText(columnIndex, fields, field);
    return true;
  }

  /** Writes a field unless the cell already reads the same. Returns true if it is written. */
  private updateField(columnIndex: number, field: RecordField): boolean {
    if (this.readsAsField(columnIndex, field)) return false;
    if (typeof field !== 'object') {
      const isText = typeof field === 'string';
      if (!isText && this.sheet.value(this.row, this.toGridColumn(columnIndex)) === field) return false;
      this.setPlainField(columnIndex, field);
      return true;
    }
    const cell = this.chooseCellContent(columnIndex, field);
    if (this.holdsTypedCell(columnIndex, cell)) return false;
    this.setCell(columnIndex, cell, field);
    return true;
  }

  /** Sets the fields of a new, empty row. */
  appendRow(row: number, fields: RecordFields, record: number): void {
    this.row = row;
    this.record = record;
    const columns = fields.getColumns(record);
    const first = fields.getFirstField(record);
    for (let i = 0; i < columns.length; i++) {
      const at = columns[i] as number;
      if (fields.kinds[first + i] === ASCII) {
        this.setAsciiText(at, fields, first + i);
        continue;
      }
      const field = fields.readField(first + i);
      if (typeof field !== 'object') this.setPlainField(at, field);
      else if (isFilledField(field)) this.setCell(at, this.chooseCellContent(at, field), field);
    }
  }

  /** The index in the grid of the records' column with this index. */
  private toGridColumn(columnIndex: number): number {
    return this.region.columns[columnIndex]?.column ?? 0;
  }

  /** Writes a field that needs no conversion. Warns about a text in a column of another type. */
  private setPlainField(columnIndex: number, field: PlainField): void {
    this.cells++;
    this.written.addCell(this.row, this.toGridColumn(columnIndex), field);
    if (typeof field === 'string') this.warnOfText(columnIndex, field);
  }

  /** Writes an ASCII text. Warns if it is in a column of another type. */
  private setAsciiText(columnIndex: number, fields: RecordFields, field: number): void {
    this.cells++;
    const start = fields.textStarts[field] as number;
    const end = fields.textEnds[field] as number;
    this.written.addAsciiCell(this.row, this.toGridColumn(columnIndex), fields.bytes, start, end);
    const mayWarn = this.mayWarnOfText(columnIndex, fields.bytes[start] as number);
    if (mayWarn) this.warnOfText(columnIndex, String(fields.readField(field)));
  }

  /** Writes a converted field. Warns about a text in a column of another type. */
  private setCell(columnIndex: number, { input }: TypedCell, { plain }: TypedField): void {
    this.cells++;
    this.written.addCell(this.row, this.toGridColumn(columnIndex), toRawInput(input));
    if (typeof plain === 'string' && typeof input === 'object' && input.as === 'text')
      this.warnOfText(columnIndex, plain);
  }

  /**
   * False if `warnOfText` does nothing for texts that begin with this character: if the column contains only texts, or
   * if it is empty and the text cannot be a date or time.
   */
  private mayWarnOfText(columnIndex: number, first: number): boolean {
    const column = this.start[columnIndex];
    if (column === undefined || isAllText(column)) return false;
    return column.type !== null || !isLatinLetter(first);
  }

  /**
   * Warns of a text that looks like the other values of its column, or of a date or time in a column without values.
   */
  private warnOfText(columnIndex: number, text: string): void {
    const column = this.start[columnIndex];
    if (column === undefined || !this.mayWarnOfText(columnIndex, text.charCodeAt(0))) return;
    const form = recognizeForm(text, this.snapshot.settings);
    if (form === null) return;
    const isMoment = form === 'date' || form === 'time';
    if (column.contents[form] === 0 && !(isMoment && column.type === null)) return;
    const type = form === 'time' && column.contents.hasElapsed ? 'duration' : form;
    this.warnings.addWarning(this.record, this.region.columns[columnIndex]?.name ?? '', type);
  }

  /**
   * The new content of a cell: its number format decides if it is a date or time; otherwise the majority of its column.
   */
  private chooseCellContent(columnIndex: number, { cell, moment }: TypedField): TypedCell {
    if (moment === null) return cell;
    const format = this.sheet.format(this.row, this.toGridColumn(columnIndex));
    const shown = this.readers[columnIndex]?.findFormatKind(format) ?? null;
    if (shown === moment.moment) return moment;
    if (shown === null && formatClass(this.snapshot.formats.code(format)) !== 'general') return cell;
    return this.start[columnIndex]?.type === moment.moment ? moment : cell;
  }

  /** True if a cell reads the same as the sent value, also if a formula produces it. */
  private readsAsField(columnIndex: number, field: RecordField): boolean {
    const { row } = this;
    const plain = typeof field === 'object' ? field.plain : field;
    if (plain === undefined) return false;
    const chunk = this.sheet.chunk(this.toGridColumn(columnIndex), Math.floor(row / CHUNK_ROWS));
    const isSame = typeof plain === 'string' ? this.readers[columnIndex]?.isText(chunk, row % CHUNK_ROWS, plain) : null;
    if (isSame !== null && isSame !== undefined) return isSame;
    return this.readers[columnIndex]?.readField(chunk, row % CHUNK_ROWS) === plain;
  }

  /**
   * True if a cell holds exactly a typed value. A value that spilled into the cell counts, because it cannot be cleared
   * from here.
   */
  private holdsTypedCell(columnIndex: number, { scalar, formula, moment }: TypedCell): boolean {
    const { row } = this;
    const column = this.toGridColumn(columnIndex);
    if (formula === null && typeof scalar === 'string') {
      const chunk = this.sheet.chunk(column, Math.floor(row / CHUNK_ROWS));
      const isSame = this.readers[columnIndex]?.isText(chunk, row % CHUNK_ROWS, scalar) ?? null;
      if (isSame !== null) return isSame;
    }
    const value = this.sheet.value(row, column);
    if (formula !== null) return cellView(this.snapshot, this.sheet.id, row, column)?.f === formula;
    if (moment === null || typeof value !== 'number' || typeof scalar !== 'number') return value === scalar;
    const shown = this.readers[columnIndex]?.findFormatKind(this.sheet.format(row, column));
    return shown === moment && roundToMoment(value) === roundToMoment(scalar);
  }

  /** The edits that write the cells. Yields regularly. */
  listEdits(): Generator<void, readonly Edit[]> {
    return this.written.listEdits(this.sheet.id);
  }
}

/** True if the column has filled cells, and none of them is a number, a date, a time or a boolean. */
function isAllText({ type, contents: { number, date, time, boolean } }: StartColumn): boolean {
  return type !== null && number + date + time + boolean === 0;
}

function isLatinLetter(character: number): boolean {
  const lowerCase = character | LOWER_CASE;
  return lowerCase >= FIRST_LETTER && lowerCase <= LAST_LETTER;
}

/** The bit that distinguishes lower-case from upper-case letters. */
const LOWER_CASE = 32;
const [FIRST_LETTER, LAST_LETTER] = ['a'.charCodeAt(0), 'z'.charCodeAt(0)];

/** True if a field puts content into its cell. */
export function isFilledField(field: RecordField): boolean {
  return typeof field !== 'object' || field.cell.input !== '';
}

/** An input for an edit in `raw` mode, in which a text needs no type. */
function toRawInput(input: Exclude<Input, null>): WrittenInput {
  return typeof input === 'object' && input.as === 'text' ? input.value : input;
}
