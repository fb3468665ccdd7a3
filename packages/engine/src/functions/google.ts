import type { FormatHint } from '../locale/format-class.ts';
import { toDateSerial } from '../locale/index.ts';
import { type CellError, DIV0, NUM, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { GOOGLE_CONDITIONAL } from './conditional.ts';
import { define, defineAlias, defineVariadic } from './define.ts';
import { passArgument, pickAt, pickElement, toFormattedMatrix } from './formats.ts';
import { OPERATORS } from './google/operators.ts';
import { SORTN } from './google/sortn.ts';
import { TEXTS } from './google/texts.ts';
import { POWER } from './math/elementary.ts';
import { buildMatrix, readFullMatrix } from './shape.ts';
import type { FunctionContext, FunctionSpec } from './spec.ts';
import { MARGIN_OF_ERROR } from './statistical/sampling.ts';
import type { Matrix, Value } from './value.ts';

const DAY_MS = 86_400_000;
/** Milliseconds of EPOCHTODATE's units: seconds, milliseconds, microseconds. */
const EPOCH_UNITS = [1000, 1, 0.001];

/** Defines a function that returns its number with another format. */
function defineFormatted(name: string, format: FormatHint): FunctionSpec {
  return define('google', name, ['scalar'], (_, value) => value, { format });
}

/** EPOCHTODATE: the serial number of a Unix time. `unit`: 1 for seconds, 2 for milliseconds, 3 for microseconds. */
function computeEpochDate(context: FunctionContext, timestamp: number, unit = 1): Scalar {
  const scale = EPOCH_UNITS[unit - 1];
  if (scale === undefined || timestamp < 0) return NUM;
  return toDateSerial(1970, 1, 1, context.dateSystem) + (timestamp * scale) / DAY_MS;
}

/** FLATTEN: the elements of all values in one column. */
function flatten(context: FunctionContext, values: readonly Value[]): Value {
  const parts: Matrix[] = [];
  for (const [i, value] of values.entries()) {
    const matrix = typeof value === 'number' ? toFormattedMatrix(context, value, i) : readFullMatrix(context, value);
    if (isError(matrix)) return matrix;
    parts.push(matrix);
  }
  let part = 0;
  let from = 0;
  return buildMatrix(
    context,
    parts.reduce((sum, { data }) => sum + data.length, 0),
    1,
    (place) => {
      while (place - from >= parts[part]!.length) from += parts[part++]!.length;
      return pickAt(context, parts[part]!, place - from);
    },
  );
}

/** ARRAY_CONSTRAIN: the first rows and columns of an array. */
function constrainArray(context: FunctionContext, value: Value, rows: number, columns: number): Value | CellError {
  const matrix = readFullMatrix(context, value);
  if (isError(matrix)) return matrix;
  if (rows < 1 || columns < 1) return VALUE;
  return buildMatrix(context, Math.min(rows, matrix.rows), Math.min(columns, matrix.columns), (r, c) =>
    pickElement(context, matrix, r, c),
  );
}

/** The mean of values, weighted by a range of the same shape. Omits pairs that do not consist of two numbers. */
function computeWeightedMean(context: FunctionContext, values: Value, weights: Value): Scalar {
  const amounts = readFullMatrix(context, values);
  if (isError(amounts)) return amounts;
  const shares = readFullMatrix(context, weights);
  if (isError(shares)) return shares;
  if (amounts.rows !== shares.rows || amounts.columns !== shares.columns) return VALUE;
  let sum = 0;
  let total = 0;
  for (const [i, amount] of amounts.data.entries()) {
    const share = shares.data[i] ?? null;
    if (isError(amount)) return amount;
    if (isError(share)) return share;
    if (typeof amount !== 'number' || typeof share !== 'number') continue;
    if (share < 0) return NUM;
    sum += amount * share;
    total += share;
  }
  return total === 0 ? DIV0 : sum / total;
}

export const GOOGLE: readonly FunctionSpec[] = [
  ...OPERATORS,
  ...TEXTS,
  SORTN,
  ...GOOGLE_CONDITIONAL,
  MARGIN_OF_ERROR,
  defineAlias('POW', POWER, 'google'),
  define('google', 'AVERAGE.WEIGHTED', ['value', 'value'], computeWeightedMean),
  // Arrays always spill in this engine, so ARRAYFORMULA has no effect.
  define('google', 'ARRAYFORMULA', ['value'], (context, value) => passArgument(context, value, 0), {
    picks: 'element',
    calculatesArrays: true,
  }),
  define('google', 'ARRAY_CONSTRAIN', ['value', 'integer', 'integer'], constrainArray, { picks: 'element' }),
  defineVariadic(
    'google',
    'FLATTEN',
    ['value'],
    ['value'],
    (context, first, rest) => flatten(context, [first, ...rest]),
    { picks: 'element' },
  ),
  define('google', 'EPOCHTODATE', ['number', 'integer??'], computeEpochDate, { format: 'datetime' }),
  define('google', 'TO_PURE_NUMBER', ['scalar'], (_, value) => value),
  defineFormatted('TO_DATE', 'date'),
  defineFormatted('TO_DOLLARS', 'currency'),
  defineFormatted('TO_PERCENT', 'percent'),
];
