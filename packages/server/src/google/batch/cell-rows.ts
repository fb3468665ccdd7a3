import { CELLS_PER_EDIT } from '../../limits/google.ts';

/** A matrix in which null leaves a cell as it is. */
type SparseMatrix<T> = readonly (readonly (T | null)[])[];

type WriteMatrix<T> = (row: number, column: number, matrix: SparseMatrix<T>) => void;

/**
 * Collects single cells that a request writes, and writes cells of consecutive rows together. A batch with one edit for
 * each cell would take longer to commit than to plan.
 */
export class CellRows<T> {
  private readonly write: WriteMatrix<T>;
  private top = 0;
  private rows: Map<number, T>[] = [];
  private left = 0;
  private right = 0;

  constructor(write: WriteMatrix<T>) {
    this.write = write;
  }

  /** Adds a cell. Cells must come in the order of rows. */
  addCell(row: number, column: number, value: T): void {
    const left = Math.min(this.left, column);
    const right = Math.max(this.right, column);
    const height = row - this.top + 1;
    const isNewRow = height > this.rows.length;
    if (isNewRow && (height > this.rows.length + 1 || height * (right - left + 1) > CELLS_PER_EDIT)) this.flushRows();
    if (this.rows.length === 0) {
      this.top = row;
      this.left = column;
      this.right = column;
    } else {
      this.left = left;
      this.right = right;
    }
    if (isNewRow) this.rows.push(new Map());
    this.rows.at(-1)?.set(column, value);
  }

  /** Writes the collected cells. Must be called after the last one. */
  flushRows(): void {
    const { top, left, rows } = this;
    if (rows.length === 0) return;
    const width = this.right - left + 1;
    this.write(
      top,
      left,
      rows.map((cells) => Array.from({ length: width }, (_, i) => cells.get(left + i) ?? null)),
    );
    this.rows = [];
  }
}
