import { type CellError, DIV0, NA, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import { define, defineVariadic, withTraits } from '../define.ts';
import { type CellBlock, eachNumber, gatherPairs, readBlock } from '../gather.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Lambda, Matrix, Reference, type Value } from '../value.ts';

function total(context: FunctionContext, args: readonly Value[]): Value {
  let sum = 0;
  for (const arg of args) {
    if (arg instanceof Reference) {
      const part = context.total(arg);
      if (isError(part.error)) return part.error;
      sum += part.sum;
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

function productOf(context: FunctionContext, args: readonly Value[]): Value {
  let result = 1;
  let any = false;
  const error = eachNumber(context, args, (value) => {
    result *= value;
    any = true;
  });
  return error ?? (any ? result : 0);
}

function sumOfSquares(context: FunctionContext, args: readonly Value[]): Value {
  let result = 0;
  const error = eachNumber(context, args, (value) => {
    result += value * value;
  });
  return error ?? result;
}

/** SUMPRODUCT: cells without a number count as 0; ranges of different shapes are `#VALUE!`. */
function sumProduct(context: FunctionContext, args: readonly Value[]): Value {
  const blocks: CellBlock[] = [];
  for (const arg of args) {
    const block = readBlock(context, arg);
    if (isError(block)) return block;
    blocks.push(block);
  }
  const [first] = blocks;
  if (!first || blocks.some((b) => b.rows !== first.rows || b.columns !== first.columns)) return VALUE;
  const error = firstError(blocks);
  if (error) return error;
  const rows = Math.min(...blocks.map((b) => b.matrix.rows));
  const columns = Math.min(...blocks.map((b) => b.matrix.columns));
  let sum = 0;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      let term = 1;
      for (const { matrix } of blocks) {
        const value = matrix.data[r * matrix.columns + c];
        term *= typeof value === 'number' ? value : 0;
      }
      sum += term;
    }
  }
  return sum;
}

function firstError(blocks: readonly CellBlock[]): CellError | undefined {
  for (const { matrix } of blocks) {
    for (const value of matrix.data) if (isError(value)) return value;
  }
  return undefined;
}

/** SUMX2MY2 and similar functions: the sum of a term of each pair; `#N/A` for ranges of different sizes, `#DIV/0!` without a pair. */
function pairwise(name: string, term: (x: number, y: number) => number): FunctionSpec {
  return define('math', name, ['value', 'value'], (context, first, second) => {
    const pairs = gatherPairs(context, first, second, NA);
    if (isError(pairs)) return pairs;
    if (pairs.xs.length === 0) return DIV0;
    return pairs.xs.reduce((sum, x, i) => sum + term(x, pairs.ys[i]!), 0);
  });
}

export const AGGREGATES: readonly FunctionSpec[] = [
  defineVariadic('math', 'SUM', ['value'], ['value'], (context, first, rest) => total(context, [first, ...rest]), {
    carries: 0,
    total: 'sum',
  }),
  defineVariadic(
    'math',
    'PRODUCT',
    ['value'],
    ['value'],
    (context, first, rest) => productOf(context, [first, ...rest]),
    { carries: 0 },
  ),
  defineVariadic('math', 'SUMSQ', ['value'], ['value'], (context, first, rest) =>
    sumOfSquares(context, [first, ...rest]),
  ),
  defineVariadic(
    'math',
    'SUMPRODUCT',
    ['value'],
    ['value'],
    (context, first, rest) => sumProduct(context, [first, ...rest]),
    { calculatesArrays: true },
  ),
  withTraits(
    pairwise('SUMX2MY2', (x, y) => x * x - y * y),
    { calculatesArrays: true },
  ),
  withTraits(
    pairwise('SUMX2PY2', (x, y) => x * x + y * y),
    { calculatesArrays: true },
  ),
  withTraits(
    pairwise('SUMXMY2', (x, y) => (x - y) ** 2),
    { calculatesArrays: true },
  ),
];
