import type { CellError } from '../../value/errors.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { findEquality } from '../criteria.ts';
import { readGrowingRange } from '../growing-range.ts';
import { reserveMap } from '../reserve-memory.ts';
import { forEachValue } from '../shape.ts';
import type { FunctionContext } from '../spec.ts';
import type { Value } from '../value.ts';
import { createScalarKey, KeyMap } from './keys.ts';

/** The cost of a value, in cells. */
const KEY_WORK = 4;

/** Owner of the values of growing ranges; see `FunctionContext.getRangeState`. */
const DISTINCT_VALUES = {};

/** The number of distinct values without blanks. Reads the rows of a growing range only once. */
export function countDistinct(context: FunctionContext, values: readonly Value[]): number {
  const growing = countGrowingDistinct(context, values);
  if (growing !== null) return growing;
  const keys = new KeyMap<true>();
  for (const value of values) addKeys(context, keys, value);
  return keys.size;
}

/** The number of distinct values of a long range of one column without blanks; null for other values. */
export function countGrowingDistinct(context: FunctionContext, values: readonly Value[]): number | null {
  const keys = readGrowingRange(
    context,
    DISTINCT_VALUES,
    values,
    () => new KeyMap<true>(),
    (known, rows) => addKeys(context, known, rows),
  );
  return keys instanceof KeyMap ? keys.size : null;
}

/** Owner of the numbers of growing ranges. */
const DISTINCT_NUMBERS = {};

/** The number of distinct numbers of a long range of one column; null for other values, and if a cell is an error. */
export function countDistinctNumbers(context: FunctionContext, range: Value): number | null {
  const read = readGrowingRange(
    context,
    DISTINCT_NUMBERS,
    [range],
    () => new Set<number>(),
    (known, rows) => {
      let error: CellError | null = null;
      forEachValue(context, rows, (scalar) => {
        context.reportWork(KEY_WORK);
        reserveMap(context, known.size);
        if (typeof scalar === 'number') known.add(scalar);
        else if (isError(scalar)) error ??= scalar;
      });
      return error;
    },
  );
  return read instanceof Set ? read.size : null;
}

/** Distinct values of a range, as COUNTIF distinguishes them. */
class DistinctCriteria {
  readonly keys = new KeyMap<true>();
  /** True if COUNTIF with each of the values counts exactly the cells with the same key. */
  isPlain = true;
}

/** Owner of the values of growing ranges, as COUNTIF distinguishes them. */
const DISTINCT_CRITERIA = {};

/**
 * The number of distinct values of a long range of one column, which is the sum of `1/COUNTIF(range;range)`. Null for
 * other values, and if a cell is blank or an error, or if COUNTIF reads a text as a number, a pattern or a comparison.
 */
export function countDistinctCriteria(context: FunctionContext, range: Value): number | null {
  const read = readGrowingRange(
    context,
    DISTINCT_CRITERIA,
    [range],
    () => new DistinctCriteria(),
    (known, rows) => {
      // Blank cells below the last filled cell are not visited.
      let blanks = rows.areas[0].bottom - rows.areas[0].top + 1;
      forEachValue(context, rows, (scalar) => {
        context.reportWork(KEY_WORK);
        reserveMap(context, known.keys.size);
        blanks--;
        known.isPlain &&= isPlainCriterion(context, scalar);
        if (known.isPlain) known.keys.set(createScalarKey(scalar), true);
      });
      known.isPlain &&= blanks === 0;
      return null;
    },
  );
  return read instanceof DistinctCriteria && read.isPlain ? read.keys.size : null;
}

function isPlainCriterion(context: FunctionContext, value: Scalar): boolean {
  if (typeof value !== 'string') return value !== null && !isError(value);
  return value !== '' && findEquality(value, context) === value && foldCase(value).length === value.length;
}

function addKeys(context: FunctionContext, keys: KeyMap<true>, value: Value): null {
  forEachValue(context, value, (scalar) => {
    context.reportWork(KEY_WORK);
    reserveMap(context, keys.size);
    if (scalar !== null) keys.set(createScalarKey(scalar), true);
  });
  return null;
}
