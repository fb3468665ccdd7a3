import { NA } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { Matrix } from './value.ts';

/** Returns the size of the result of combining operands. */
export function computeCommonSize(operands: readonly (Scalar | Matrix | undefined)[]): {
  rows: number;
  columns: number;
} {
  let rows = 1;
  let columns = 1;
  for (const operand of operands) {
    if (!(operand instanceof Matrix)) continue;
    rows = Math.max(rows, operand.rows);
    columns = Math.max(columns, operand.columns);
  }
  return { rows, columns };
}

/**
 * An operand, addressed by the elements of the result, which are numbered row by row. A single row, column or element
 * repeats, and missing elements are `#N/A`. Nothing is copied, however large the result is.
 */
export class BroadcastOperand {
  private readonly operand: Matrix;
  private readonly columns: number;
  private readonly isSame: boolean;
  private readonly isSingle: boolean;

  constructor(operand: Scalar | Matrix, rows: number, columns: number) {
    this.operand = operand instanceof Matrix ? operand : new Matrix(1, 1, [operand]);
    this.columns = columns;
    this.isSame = this.operand.rows === rows && this.operand.columns === columns;
    this.isSingle = this.operand.length === 1;
  }

  getValue(elementIndex: number): Scalar {
    const index = this.findDataIndex(elementIndex);
    return index < 0 ? NA : (this.operand.data[index] ?? null);
  }

  /** The number format of the element; 0 for none. */
  getFormat(elementIndex: number): number {
    const { formats } = this.operand;
    if (typeof formats === 'number') return formats;
    return formats[this.findDataIndex(elementIndex)] ?? 0;
  }

  /** The common format of all elements; null if they differ. */
  get format(): number | null {
    return typeof this.operand.formats === 'number' ? this.operand.formats : null;
  }

  /** The index in the operand's data; -1 if the operand has no such element. */
  private findDataIndex(elementIndex: number): number {
    if (this.isSame) return elementIndex;
    if (this.isSingle) return 0;
    const { operand } = this;
    const line = Math.floor(elementIndex / this.columns);
    const row = operand.rows === 1 ? 0 : line;
    const column = operand.columns === 1 ? 0 : elementIndex - line * this.columns;
    return row < operand.rows && column < operand.columns ? row * operand.columns + column : -1;
  }
}
