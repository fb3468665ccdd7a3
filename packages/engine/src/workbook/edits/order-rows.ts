import { compareScalars } from '../../functions/order.ts';
import { runToEnd } from '../../grid/steps.ts';
import type { LocaleId } from '../../locale/index.ts';
import { sortAscending } from '../../records/radix-sort.ts';
import type { Scalar } from '../../value/scalar.ts';

/**
 * Orders rows by one key; the sort is stable. `keys`: the key of each row. Blank keys come last in both directions, as
 * in Excel.
 */
export function orderRowsByKey(
  rows: readonly number[],
  keys: readonly Scalar[],
  isDescending: boolean,
  locale: LocaleId,
): readonly number[] {
  const filled: number[] = [];
  const blank: number[] = [];
  let areNumbers = true;
  for (const row of rows) {
    const key = keys[row] ?? null;
    if (key === null) blank.push(row);
    else filled.push(row);
    areNumbers &&= key === null || typeof key === 'number';
  }
  const ranks = areNumbers ? null : rankValues(keys, locale);
  const sign = isDescending ? -1 : 1;
  const numbers = Float64Array.from(filled, (row) => {
    const key = keys[row] ?? null;
    // Adds 0 because the sort by bits distinguishes -0 from 0.
    return sign * (ranks === null ? (key as number) : ranks.get(key)!) + 0;
  });
  const ordered = runToEnd(sortAscending({ numbers, rows: Uint32Array.from(filled) })).rows;
  return [...ordered, ...blank];
}

/**
 * Returns the position of each distinct value in the sort order. Values that are equal in this order have the same
 * position.
 */
function rankValues(values: readonly Scalar[], locale: LocaleId): ReadonlyMap<Scalar, number> {
  const sorted = [...new Set(values)].sort((a, b) => compareScalars(a, b, locale));
  const ranks = new Map<Scalar, number>();
  let rank = 0;
  for (const [i, value] of sorted.entries()) {
    if (i > 0 && compareScalars(sorted[i - 1] ?? null, value, locale) !== 0) rank++;
    ranks.set(value, rank);
  }
  return ranks;
}
