import { type CellError, DIV0, NA, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import { define, defineVariadic, withTraits } from '../define.ts';
import { toTerms } from '../elements/typed-arrays.ts';
import { type CellBlock, forEachNumber, gatherPairs, readBlock } from '../gather-numbers.ts';
import { computeFromChunks } from '../range-statistics.ts';
import { measureLongColumns } from '../row-figures/row-tree.ts';
import { createPairSumMeasure } from '../row-figures/sums.ts';
import { findSameShapeAreas, sliceRowsFrom } from '../selection/selection-states.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Lambda, Matrix, Reference, type Value } from '../value.ts';

/** SUM of arguments and ranges. */
function computeSum(context: FunctionContext, args: readonly Value[]): Value {
  let sum = 0;
  for (const arg of args) {
    if (arg instanceof Reference) {
      const part = context.computeTotals(arg);
      if (isError(part.error)) return part.error;
      sum += part.sum;
    } else if (arg instanceof Matrix && arg.elements?.hasErrors === false) {
      for (const term of toTerms(context, arg.elements)) sum += term;
    } else if (arg instanceof Matrix) {
      for (const value of arg.data) {
        if (typeof value === 'number') sum += value;
        else if (isError(value)) return value;
      }
    } else {
      const value = arg instanceof Lambda ? VALUE : toNumber(arg, context);
      if (isError(value)) return value;
      sum += value;
    }
  }
  return sum;
}

function computeProduct(context: FunctionContext, args: readonly Value[]): Value {
  const combined = computeFromChunks(context, args, ({ count, product }) => (count === 0 ? 0 : product));
  if (combined !== null) return combined;
  let result = 1;
  let any = false;
  const error = forEachNumber(context, args, (value) => {
    result *= value;
    any = true;
  });
  return error ?? (any ? result : 0);
}

function computeSumOfSquares(context: FunctionContext, args: readonly Value[]): Value {
  const combined = computeFromChunks(context, args, ({ squares }) => squares);
  if (combined !== null) return combined;
  let result = 0;
  const error = forEachNumber(context, args, (value) => {
    result += value * value;
  });
  return error ?? result;
}

/** SUMPRODUCT: cells without a number count as 0; ranges of different shapes are `#VALUE!`. */
export function sumProduct(context: FunctionContext, args: readonly Value[]): Value {
  const areas = findSameShapeAreas(args);
  const [shape] = areas ?? [];
  if (areas === null || shape === undefined || shape.left !== shape.right) return computeSumProduct(context, args);
  const state = context.getRangeState(PRODUCTS, areas, () => new ProductState());
  if (state === null) return computeSumProduct(context, args);
  const rows = shape.bottom - shape.top + 1;
  const products = state.computeProductsUpTo(rows);
  if (products.rows < rows) {
    addProducts(
      context,
      products,
      areas.map((area) => sliceRowsFrom(area, products.rows)),
    );
    products.rows = rows;
  }
  return products.errors.find((error) => error !== undefined) ?? products.sum;
}

const PRODUCTS = {};

/** For each column product: the sum over the rows read so far. */
class RunningProducts {
  rows = 0;
  sum = 0;
  /** The first error of each column. */
  readonly errors: (CellError | undefined)[] = [];
}

/** The products that an earlier formula summed over a shorter range. A longer range continues from them. */
class ProductState {
  private products = new RunningProducts();

  /** The products summed so far, or new ones if the existing sums cover more than `rows` rows. */
  computeProductsUpTo(rows: number): RunningProducts {
    if (this.products.rows > rows) this.products = new RunningProducts();
    return this.products;
  }
}

/** Adds the products of `columns`, which are the rows that `products` does not contain yet. */
function addProducts(context: FunctionContext, products: RunningProducts, columns: readonly Reference[]): void {
  const matrices = columns.map((column) => context.readReference(column));
  for (const [i, { data }] of matrices.entries()) {
    products.errors[i] ??= data.find((value): value is CellError => isError(value));
  }
  products.sum = addTerms(context, products.sum, matrices);
}

/** SUMPRODUCT of arguments of equal size, calculated from all their elements; `#VALUE!` for other arguments. */
function computeSumProduct(context: FunctionContext, args: readonly Value[]): Value {
  const blocks: CellBlock[] = [];
  for (const arg of args) {
    const block = readBlock(context, arg);
    if (isError(block)) return block;
    blocks.push(block);
  }
  const [first] = blocks;
  if (!first || blocks.some((b) => b.rows !== first.rows || b.columns !== first.columns)) return VALUE;
  const matrices = blocks.map(({ matrix }) => matrix);
  return findFirstError(matrices) ?? addTerms(context, 0, matrices);
}

/** Adds the products of the elements of matrices to `start`, row by row. */
function addTerms(context: FunctionContext, start: number, matrices: readonly Matrix[]): number {
  const rows = Math.min(...matrices.map((matrix) => matrix.rows));
  const columns = Math.min(...matrices.map((matrix) => matrix.columns));
  const typed = columns === 1 ? listTerms(context, matrices) : null;
  if (typed !== null) return addTypedTerms(start, typed, rows);
  let sum = start;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      let term = 1;
      for (const matrix of matrices) {
        const value = matrix.data[r * matrix.columns + c];
        term *= typeof value === 'number' ? value : 0;
      }
      sum += term;
    }
  }
  return sum;
}

/** The terms of columns of typed elements; null if a matrix has other elements. */
function listTerms(context: FunctionContext, matrices: readonly Matrix[]): readonly Float64Array[] | null {
  const terms: Float64Array[] = [];
  for (const { elements } of matrices) {
    if (elements === null) return null;
    terms.push(toTerms(context, elements));
  }
  return terms;
}

function addTypedTerms(start: number, columns: readonly Float64Array[], rows: number): number {
  let sum = start;
  for (let r = 0; r < rows; r++) {
    let term = 1;
    for (const column of columns) term *= column[r]!;
    sum += term;
  }
  return sum;
}

function findFirstError(matrices: readonly Matrix[]): CellError | undefined {
  for (const matrix of matrices) {
    if (matrix.elements?.hasErrors === false) continue;
    for (const value of matrix.data) if (isError(value)) return value;
  }
  return undefined;
}

/**
 * Defines SUMX2MY2 and similar functions: the sum of a term of each pair. `#N/A` for ranges of different sizes,
 * `#DIV/0!` if there are no pairs.
 */
function definePairwise(name: string, term: (x: number, y: number) => number): FunctionSpec {
  const measure = createPairSumMeasure(term);
  return define('math', name, ['value', 'value'], (context, first, second) => {
    const sum = measureLongColumns(context, measure, [first, second]);
    if (isError(sum)) return sum;
    if (sum !== null) return sum.count === 0 ? DIV0 : sum.total;
    const pairs = gatherPairs(context, first, second, NA);
    if (isError(pairs)) return pairs;
    if (pairs.xs.length === 0) return DIV0;
    return pairs.xs.reduce((sum, x, i) => sum + term(x, pairs.ys[i]!), 0);
  });
}

export const AGGREGATES: readonly FunctionSpec[] = [
  defineVariadic('math', 'SUM', ['value'], ['value'], (context, first, rest) => computeSum(context, [first, ...rest]), {
    carries: 0,
    total: 'sum',
    omits: 'nonNumbers',
    comparisons: 'summed',
  }),
  defineVariadic(
    'math',
    'PRODUCT',
    ['value'],
    ['value'],
    (context, first, rest) => computeProduct(context, [first, ...rest]),
    { carries: 0, omits: 'nonNumbers' },
  ),
  defineVariadic('math', 'SUMSQ', ['value'], ['value'], (context, first, rest) =>
    computeSumOfSquares(context, [first, ...rest]),
  ),
  defineVariadic(
    'math',
    'SUMPRODUCT',
    ['value'],
    ['value'],
    (context, first, rest) => sumProduct(context, [first, ...rest]),
    { calculatesArrays: true, comparisons: 'multiplied' },
  ),
  withTraits(
    definePairwise('SUMX2MY2', (x, y) => x * x - y * y),
    { calculatesArrays: true },
  ),
  withTraits(
    definePairwise('SUMX2PY2', (x, y) => x * x + y * y),
    { calculatesArrays: true },
  ),
  withTraits(
    definePairwise('SUMXMY2', (x, y) => (x - y) ** 2),
    { calculatesArrays: true },
  ),
];
