import type { WorkMeter } from '../context.ts';

/** Number of products that count as one cell of the budget, as a power of two. */
const PRODUCT_WORK_LOG2 = 3;
/** If the part of a column that the earlier columns do not explain is below this share, the column is redundant. */
const COLLINEAR = 1e-12;

/** A least-squares fit of y = Σ m[i] x[i] + b. */
export interface LeastSquaresFit {
  /** Slopes, one per predictor; 0 for a redundant predictor. */
  readonly slopes: readonly number[];
  readonly intercept: number;
  readonly slopeErrors: readonly number[];
  readonly interceptError: number;
  /** Residual degrees of freedom. */
  readonly df: number;
  readonly regressionSquares: number;
  readonly residualSquares: number;
}

/**
 * Fits by orthogonalising the predictors one after another (Gram–Schmidt, twice for full precision). If the fit has a
 * constant, their means are subtracted first. `xs`: one list per predictor.
 */
export function fitLeastSquares(
  context: WorkMeter,
  ys: readonly number[],
  xs: readonly (readonly number[])[],
  constant: boolean,
): LeastSquaresFit {
  const n = ys.length;
  const meanY = constant ? average(ys) : 0;
  const meansX = xs.map((x) => (constant ? average(x) : 0));
  const centred = xs.map((x, i) => {
    context.reportWork(n >> PRODUCT_WORK_LOG2);
    return x.map((value) => value - meansX[i]!);
  });
  const residual = ys.map((y) => y - meanY);
  const total = dotProduct(residual, residual);
  const { kept, triangle, basis } = orthogonalise(context, centred);
  const projections = basis.map((q) => {
    context.reportWork(n >> PRODUCT_WORK_LOG2);
    const projection = dotProduct(q, residual);
    for (let i = 0; i < n; i++) residual[i]! -= projection * q[i]!;
    return projection;
  });
  const inverse = invertTriangle(triangle);
  const residualSquares = dotProduct(residual, residual);
  const df = n - kept.length - (constant ? 1 : 0);
  const variance = df > 0 ? residualSquares / df : 0;
  const slopes = new Array<number>(xs.length).fill(0);
  const slopeErrors = new Array<number>(xs.length).fill(0);
  kept.forEach((column, i) => {
    const row = inverse[i]!;
    slopes[column] = dotProduct(row, projections);
    slopeErrors[column] = Math.sqrt(variance * dotProduct(row, row));
  });
  const keptMeans = kept.map((column) => meansX[column]!);
  const weights = kept.map((_, i) => keptMeans.reduce((sum, mean, k) => sum + mean * inverse[k]![i]!, 0));
  return {
    slopes,
    intercept: meanY - slopes.reduce((sum, slope, i) => sum + slope * meansX[i]!, 0),
    slopeErrors,
    interceptError: constant ? Math.sqrt(variance * (1 / n + dotProduct(weights, weights))) : 0,
    df,
    regressionSquares: Math.max(total - residualSquares, 0),
    residualSquares,
  };
}

function average(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

function dotProduct(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

interface OrthogonalBasis {
  /** Indexes of the predictors that are not redundant. */
  readonly kept: readonly number[];
  /** Upper triangle R of X = Q R, by rows, for the predictors in `kept`. */
  readonly triangle: readonly (readonly number[])[];
  /** Orthonormal columns Q. */
  readonly basis: readonly (readonly number[])[];
}

/** Orthogonalises the columns in order, and drops each column that depends on earlier columns. */
function orthogonalise(context: WorkMeter, columns: readonly (readonly number[])[]): OrthogonalBasis {
  const kept: number[] = [];
  const basis: number[][] = [];
  const factors: number[][] = [];
  for (const [index, column] of columns.entries()) {
    const rest = column.slice();
    const factor = new Array<number>(basis.length).fill(0);
    for (let pass = 0; pass < 2; pass++) {
      for (const [k, q] of basis.entries()) {
        context.reportWork(rest.length >> PRODUCT_WORK_LOG2);
        const projection = dotProduct(q, rest);
        factor[k]! += projection;
        for (let i = 0; i < rest.length; i++) rest[i]! -= projection * q[i]!;
      }
    }
    const length = Math.sqrt(dotProduct(rest, rest));
    if (length === 0 || length <= COLLINEAR * Math.sqrt(dotProduct(column, column))) continue;
    kept.push(index);
    basis.push(rest.map((value) => value / length));
    factors.push([...factor, length]);
  }
  const triangle = kept.map((_, row) => kept.map((_, column) => (column < row ? 0 : factors[column]![row]!)));
  return { kept, triangle, basis };
}

/** The inverse of an upper triangle. */
function invertTriangle(triangle: readonly (readonly number[])[]): number[][] {
  const n = triangle.length;
  const inverse = triangle.map(() => new Array<number>(n).fill(0));
  for (let c = 0; c < n; c++) {
    for (let r = c; r >= 0; r--) {
      let sum = r === c ? 1 : 0;
      for (let k = r + 1; k <= c; k++) sum -= triangle[r]![k]! * inverse[k]![c]!;
      inverse[r]![c] = sum / triangle[r]![r]!;
    }
  }
  return inverse;
}
