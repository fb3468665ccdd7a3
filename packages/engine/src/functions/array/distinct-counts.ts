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

function addKeys(context: FunctionContext, keys: KeyMap<true>, value: Value): null {
  forEachValue(context, value, (scalar) => {
    context.reportWork(KEY_WORK);
    reserveMap(context, keys.size);
    if (scalar !== null) keys.set(createScalarKey(scalar), true);
  });
  return null;
}
