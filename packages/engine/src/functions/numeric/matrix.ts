import type { WorkMeter } from '../context.ts';

/** Number of products that count as one cell of the budget, as a power of two. */
const PRODUCT_WORK_LOG2 = 4;

/** A row-major list of rows of equal length. */
type MatrixRows = readonly (readonly number[])[];

export function multiplyMatrices(a: MatrixRows, b: MatrixRows, context: WorkMeter): number[][] {
  const width = b[0]?.length ?? 0;
  return a.map((row) => {
    const out = new Array<number>(width).fill(0);
    for (let k = 0; k < row.length; k++) {
      const factor = row[k]!;
      const line = b[k]!;
      context.reportWork(1 + (width >> PRODUCT_WORK_LOG2));
      for (let c = 0; c < width; c++) out[c]! += factor * line[c]!;
    }
    return out;
  });
}

function transposeRows(a: MatrixRows): number[][] {
  const width = a[0]?.length ?? 0;
  return Array.from({ length: width }, (_, c) => a.map((row) => row[c]!));
}

/**
 * An LU factorisation: both triangles in one table, the order of the rows after exchanges, and the sign of the
 * exchanges.
 */
interface LuFactors {
  readonly table: readonly (readonly number[])[];
  readonly order: readonly number[];
  readonly sign: number;
}

/** Factorises a matrix into L and U with partial pivoting; null for a singular matrix. */
function factoriseMatrix(a: MatrixRows, context: WorkMeter): LuFactors | null {
  const n = a.length;
  const table = a.map((row) => row.slice());
  const order = Array.from({ length: n }, (_, i) => i);
  let sign = 1;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let r = k + 1; r < n; r++) {
      if (Math.abs((table[r] as number[])[k]!) > Math.abs((table[pivot] as number[])[k]!)) pivot = r;
    }
    const row = table[pivot]!;
    if (row[k] === 0) return null;
    if (pivot !== k) {
      table[pivot] = table[k]!;
      table[k] = row;
      const kept = order[pivot]!;
      order[pivot] = order[k]!;
      order[k] = kept;
      sign = -sign;
    }
    for (let r = k + 1; r < n; r++) {
      context.reportWork(1 + ((n - k) >> PRODUCT_WORK_LOG2));
      const line = table[r]!;
      const factor = line[k]! / row[k]!;
      line[k] = factor;
      if (factor === 0) continue;
      for (let c = k + 1; c < n; c++) line[c]! -= factor * row[c]!;
    }
  }
  return { table, order, sign };
}

/** The determinant of a square matrix. */
export function computeDeterminant(a: MatrixRows, context: WorkMeter): number {
  const factors = factoriseMatrix(a, context);
  if (!factors) return 0;
  return factors.table.reduce((product, row, i) => product * row[i]!, factors.sign);
}

/** The inverse of a square matrix; null if there is none. */
export function invertMatrix(a: MatrixRows, context: WorkMeter): number[][] | null {
  const factors = factoriseMatrix(a, context);
  if (!factors) return null;
  const n = a.length;
  const columns = Array.from({ length: n }, (_, c) =>
    solveByFactors(
      factors,
      factors.order.map((from) => (from === c ? 1 : 0)),
      context,
    ),
  );
  return transposeRows(columns);
}

function solveByFactors(factors: LuFactors, rightSide: readonly number[], context: WorkMeter): number[] {
  const { table } = factors;
  const n = table.length;
  const x = rightSide.slice();
  for (let r = 0; r < n; r++) {
    context.reportWork(1 + (n >> PRODUCT_WORK_LOG2));
    const row = table[r]!;
    for (let c = 0; c < r; c++) x[r]! -= row[c]! * x[c]!;
  }
  for (let r = n - 1; r >= 0; r--) {
    const row = table[r]!;
    for (let c = r + 1; c < n; c++) x[r]! -= row[c]! * x[c]!;
    x[r]! /= row[r]!;
  }
  return x;
}
