import { type CellError, NA, NUM, REF, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import type { AllocationMeter } from '../context.ts';
import { define, withTraits } from '../define.ts';
import { OPERATIONS_PER_CELL } from '../limits.ts';
import { fitLeastSquares, type LeastSquaresFit } from '../numeric/regression.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix } from '../value.ts';

/** The layout of the predictors of one observation: a column, a row, or all numbers as one predictor. */
type PredictorLayout = 'columns' | 'rows' | 'single';

interface RegressionData {
  readonly ys: readonly number[];
  /** One list for each predictor. */
  readonly xs: readonly (readonly number[])[];
  readonly layout: PredictorLayout;
}

/** The numbers of a matrix; an error if it contains anything else. */
function readNumbers(context: AllocationMeter, matrix: Matrix): number[] | CellError {
  context.checkMemory(matrix.length);
  const numbers: number[] = [];
  for (const value of matrix.data) {
    context.reportWork(1);
    if (isError(value)) return value;
    if (typeof value !== 'number') return VALUE;
    numbers.push(value);
  }
  return numbers;
}

/** Splits a matrix of predictors by layout. */
function splitPredictors(context: AllocationMeter, matrix: Matrix, layout: PredictorLayout): number[][] | CellError {
  const all = readNumbers(context, matrix);
  if (isError(all)) return all;
  if (layout === 'single') return [all];
  const { rows, columns } = matrix;
  if (layout === 'rows') return Array.from({ length: rows }, (_, r) => all.slice(r * columns, (r + 1) * columns));
  return Array.from({ length: columns }, (_, c) => Array.from({ length: rows }, (_, r) => all[r * columns + c]!));
}

/** Reads known y and known x. Known x default to 1, 2, 3, …; ranges whose sizes do not fit give `#REF!`. */
function readData(context: AllocationMeter, knownY: Matrix, knownX: Matrix | undefined): RegressionData | CellError {
  const ys = readNumbers(context, knownY);
  if (isError(ys)) return ys;
  if (!knownX) return { ys, xs: [ys.map((_, i) => i + 1)], layout: 'single' };
  const layout = findLayout(knownY, knownX);
  if (!layout) return REF;
  const xs = splitPredictors(context, knownX, layout);
  return isError(xs) ? xs : { ys, xs, layout };
}

/** The layout of known x for known y; null if their sizes do not fit. */
function findLayout(knownY: Matrix, knownX: Matrix): PredictorLayout | null {
  if (knownX.rows === knownY.rows && knownX.columns === knownY.columns) return 'single';
  if (knownY.columns === 1 && knownX.rows === knownY.rows) return 'columns';
  if (knownY.rows === 1 && knownX.columns === knownY.columns) return 'rows';
  return null;
}

function takeLogarithms(data: RegressionData): RegressionData | CellError {
  if (data.ys.some((y) => y <= 0)) return NUM;
  return { ...data, ys: data.ys.map(Math.log) };
}

/** Builds LINEST's table: coefficients from the last predictor to the first, then b; below them the statistics. */
function buildStatisticsTable(
  result: LeastSquaresFit,
  statistics: boolean,
  constant: boolean,
  coefficient: (value: number) => number,
): Matrix {
  const { slopes, slopeErrors, df, regressionSquares, residualSquares } = result;
  const width = slopes.length + 1;
  const first = [...slopes.toReversed().map(coefficient), coefficient(result.intercept)];
  if (!statistics) return new Matrix(1, width, first.map(toFinite));
  const errors = [...slopeErrors.toReversed(), constant ? result.interceptError : NA];
  const total = regressionSquares + residualSquares;
  const used = slopes.filter((slope) => slope !== 0).length || slopes.length;
  const deviation = df > 0 ? Math.sqrt(residualSquares / df) : 0;
  const f = df > 0 ? regressionSquares / used / (residualSquares / df) : Number.NaN;
  const rows: Scalar[][] = [
    first.map(toFinite),
    errors.map(toFinite),
    [toFinite(total === 0 ? 1 : regressionSquares / total), toFinite(deviation)],
    [toFinite(f), df],
    [toFinite(regressionSquares), toFinite(residualSquares)],
  ];
  return new Matrix(
    rows.length,
    width,
    rows.flatMap((row) => Array.from({ length: width }, (_, c) => row[c] ?? NA)),
  );
}

/** The value; `#NUM!` if it is infinite or not a number. */
function toFinite(value: number | CellError): Scalar {
  return isError(value) || Number.isFinite(value) ? value : NUM;
}

/** The kind of a fit: how the data are converted before it, and the fitted values and coefficients after it. */
interface Model {
  readonly prepare: (data: RegressionData) => RegressionData | CellError;
  readonly restore: (value: number) => number;
}

interface Fit {
  readonly data: RegressionData;
  readonly result: LeastSquaresFit;
}

/** The arguments of a fit. */
interface FitRequest {
  readonly model: Model;
  readonly knownY: Matrix;
  readonly knownX: Matrix | undefined;
  readonly constant: boolean;
}

/** A fit, or the error of its data. */
interface KeptFit {
  readonly request: FitRequest;
  readonly fit: Fit | CellError;
}

/** The last fit by the matrix of known y. Formulas of a column share the matrices of ranges that all of them read. */
const keptFits = new WeakMap<Matrix, KeptFit>();

function fitModel(context: FunctionContext, request: FitRequest): Fit | CellError {
  const kept = keptFits.get(request.knownY);
  if (kept !== undefined && isSameRequest(kept.request, request)) return kept.fit;
  const fit = computeFit(context, request);
  keptFits.set(request.knownY, { request, fit });
  return fit;
}

function isSameRequest(a: FitRequest, b: FitRequest): boolean {
  return a.model === b.model && a.knownY === b.knownY && a.knownX === b.knownX && a.constant === b.constant;
}

function computeFit(context: FunctionContext, { model, knownY, knownX, constant }: FitRequest): Fit | CellError {
  const raw = readData(context, knownY, knownX);
  const data = isError(raw) ? raw : model.prepare(raw);
  if (isError(data)) return data;
  context.spendCells((data.ys.length * data.xs.length * data.xs.length) / OPERATIONS_PER_CELL);
  return { data, result: fitLeastSquares(context, data.ys, data.xs, constant) };
}

/** Defines LINEST or LOGEST. */
function defineEstimate(name: string, model: Model): FunctionSpec {
  return define(
    'statistical',
    name,
    ['matrix', 'matrix??', 'boolean??', 'boolean?'],
    (context, knownY, knownX, constant = true, statistics = false) => {
      const fit = fitModel(context, { model, knownY, knownX, constant });
      return isError(fit) ? fit : buildStatisticsTable(fit.result, statistics, constant, model.restore);
    },
  );
}

/** TREND and GROWTH: the fitted values at new x, in the shape of new x (or of known y). */
function definePrediction(name: string, model: Model): FunctionSpec {
  return define(
    'statistical',
    name,
    ['matrix', 'matrix??', 'matrix??', 'boolean??'],
    (context, knownY, knownX, newX, constant = true) => {
      const fit = fitModel(context, { model, knownY, knownX, constant });
      if (isError(fit)) return fit;
      const { data, result } = fit;
      const at = newX ? splitPredictors(context, newX, data.layout) : data.xs;
      if (isError(at)) return at;
      if (at.length !== data.xs.length) return REF;
      const count = at[0]?.length ?? 0;
      context.spendElements(count);
      const values = Array.from({ length: count }, (_, i) =>
        toFinite(model.restore(at.reduce((sum, x, k) => sum + result.slopes[k]! * x[i]!, result.intercept))),
      );
      return arrangeLike(values, newX ?? (data.layout === 'single' ? (knownX ?? knownY) : knownY), data.layout);
    },
  );
}

/** Arranges values in a column, a row or the shape of `shape`, by the layout of the predictors. */
function arrangeLike(values: readonly Scalar[], shape: Matrix, layout: PredictorLayout): Matrix {
  if (layout === 'rows') return new Matrix(1, values.length, values);
  if (layout === 'columns') return new Matrix(values.length, 1, values);
  return new Matrix(shape.rows, shape.columns, values);
}

const LINEAR: Model = { prepare: (data) => data, restore: (value) => value };
const EXPONENTIAL: Model = { prepare: takeLogarithms, restore: Math.exp };

export const REGRESSION: readonly FunctionSpec[] = [
  withTraits(defineEstimate('LINEST', LINEAR), { manyCells: true, calculatesArrays: true }),
  withTraits(defineEstimate('LOGEST', EXPONENTIAL), { manyCells: true, calculatesArrays: true }),
  withTraits(definePrediction('TREND', LINEAR), { manyCells: true, calculatesArrays: true }),
  withTraits(definePrediction('GROWTH', EXPONENTIAL), { manyCells: true, calculatesArrays: true }),
];
