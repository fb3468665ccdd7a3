import { MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { BlockCount } from '../cells/block-count.ts';
import type { FileLimits } from '../limits/limits.ts';
import type { FieldHandler } from './fields.ts';

export type FieldVisitor = (
  row: number,
  column: number,
  bytes: Buffer,
  start: number,
  end: number,
  quoted: boolean,
) => void;

/** Counts rows and columns, and enforces the limits. */
export class FieldGrid implements FieldHandler {
  row = 0;
  problem: string | null = null;
  column = 0;
  private cells = 0;
  private readonly blocks = new BlockCount();
  private readonly limits: FileLimits;
  private readonly visit: FieldVisitor;

  constructor(limits: FileLimits, visit: FieldVisitor) {
    this.limits = limits;
    this.visit = visit;
  }

  /** Takes a field of the current row; ignores an empty one. Notes a problem if a limit is exceeded. */
  addField(bytes: Buffer, start: number, end: number, quoted: boolean): void {
    const column = this.column++;
    if (start === end || this.problem) return;
    const { textLength } = this.limits;
    if (end - start > textLength && bytes.toString('utf8', start, end).length > textLength) {
      this.problem = `Row ${this.row + 1} has a text of more than ${textLength} characters. Shorten it.`;
    } else if (column >= MAX_COLUMNS) {
      this.problem = `Row ${this.row + 1} has more than ${MAX_COLUMNS} fields, the columns of a sheet.`;
    } else if (this.row >= MAX_ROWS) {
      this.problem = `The file has more than ${MAX_ROWS} rows, the size of a sheet. Split it into several files.`;
    } else if (++this.cells > this.limits.cells) {
      this.problem = `The file has more than ${this.limits.cells} cells. Split it into several files.`;
    } else {
      this.countField(column);
      this.visit(this.row, column, bytes, start, end, quoted);
    }
  }

  /** False if the next field of the current row would exceed a limit, so that `addField` must report it. */
  canAddField(): boolean {
    return this.problem === null && this.column < MAX_COLUMNS && this.row < MAX_ROWS && this.cells < this.limits.cells;
  }

  /** Counts the next field of the current row, a number. Call it only if `canAddField`. */
  countNumberField(): void {
    this.cells++;
    this.countField(this.column++);
  }

  /** The largest number of rows of numbers that can follow without exceeding a limit. */
  countFreeRows(columns: number): number {
    if (this.problem !== null || columns > MAX_COLUMNS) return 0;
    return Math.min(MAX_ROWS - this.row, Math.floor((this.limits.cells - this.cells) / columns));
  }

  /** Counts rows of numbers. They must be in the same block of 256 rows, and at most as many as `countFreeRows` returns. */
  endNumberRows(rows: number, columns: number): void {
    this.cells += rows * columns;
    for (let column = 0; column < columns; column++) this.countField(column);
    this.row += rows;
  }

  /** Counts a filled field. Notes a problem if fields are too far apart. */
  private countField(column: number): void {
    const { blocks } = this.limits;
    this.blocks.addCell(this.row, column);
    if (this.blocks.total <= blocks) return;
    this.problem = `The file's fields are too far apart: in more than ${blocks} blocks of 256 rows of a column. Bring them together.`;
  }

  endRow(): void {
    this.row++;
    this.column = 0;
  }
}
