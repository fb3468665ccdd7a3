import { type Interval, IntervalIndex, type IntervalVisitor } from '../grid/interval-index.ts';

/** Maximum width of a reference that is indexed in each of its columns. Wider references are in one list per sheet. */
const MAX_INDEXED_COLUMNS = 32;

/** Rows and columns that a formula reads. */
export interface AreaRead extends Interval {
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** The areas of one sheet that formulas read, as an index by their columns and rows. */
export class SheetIndex<T extends AreaRead> {
  private readonly columns: (IntervalIndex<T> | undefined)[] = [];
  private readonly wide = new IntervalIndex<T>();

  /** Adds a read to the indexes of its columns. */
  add(read: T): void {
    if (read.lastColumn - read.firstColumn >= MAX_INDEXED_COLUMNS) return this.wide.add(read);
    for (let column = read.firstColumn; column <= read.lastColumn; column++) this.ensureColumnIndex(column).add(read);
  }

  /** Removes a read from the indexes. */
  remove(read: T): void {
    if (read.lastColumn - read.firstColumn >= MAX_INDEXED_COLUMNS) return this.wide.remove(read);
    for (let column = read.firstColumn; column <= read.lastColumn; column++)
      this.ensureColumnIndex(column).remove(read);
  }

  /** Updates the index after the rows of reads were shifted in place. */
  refresh(): void {
    for (const index of this.columns) index?.refresh();
    this.wide.refresh();
  }

  /** The index of the reads of a column; creates it if there is none. */
  private ensureColumnIndex(column: number): IntervalIndex<T> {
    let index = this.columns[column];
    if (!index) {
      while (this.columns.length < column) this.columns.push(undefined);
      index = new IntervalIndex();
      this.columns[column] = index;
    }
    return index;
  }

  /** Passes the reads of cells in the area to `visitor`. May pass a read twice. */
  visitReads(top: number, left: number, bottom: number, right: number, visitor: IntervalVisitor<T>): void {
    const last = Math.min(right, this.columns.length - 1);
    for (let column = left; column <= last; column++) this.columns[column]?.visitIntersecting(top, bottom, visitor);
    if (this.wide.size === 0) return;
    const wide: T[] = [];
    this.wide.collectIntersecting(top, bottom, wide);
    for (const read of wide) if (read.firstColumn <= right && read.lastColumn >= left) visitor.visitInterval(read);
  }
}
