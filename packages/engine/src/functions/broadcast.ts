import { NA } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { Matrix } from './value.ts';

/** The rows and columns of what operands give together. */
export function commonSize(operands: readonly (Scalar | Matrix | undefined)[]): { rows: number; columns: number } {
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
 * An operand's elements for every place of a result, row by row: its own where the sizes agree. A single row, column
 * or element repeats; `#N/A` where it is too small.
 */
export function spreadOver(operand: Scalar | Matrix, rows: number, columns: number): readonly Scalar[] {
  if (!(operand instanceof Matrix)) return new Array<Scalar>(rows * columns).fill(operand);
  if (operand.rows === rows && operand.columns === columns) return operand.data;
  const data: Scalar[] = new Array(rows * columns);
  for (let at = 0, row = 0; row < rows; row++) {
    const r = operand.rows === 1 ? 0 : row;
    for (let column = 0; column < columns; column++) {
      const c = operand.columns === 1 ? 0 : column;
      data[at++] = r < operand.rows && c < operand.columns ? operand.get(r, c) : NA;
    }
  }
  return data;
}
