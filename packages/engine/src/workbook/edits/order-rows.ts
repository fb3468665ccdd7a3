import { compareScalars } from '../../functions/order.ts';
import type { LocaleId } from '../../locale/index.ts';
import type { Scalar } from '../../value/scalar.ts';

/**
 * Orders rows by one key, stable. `keys`: the key of each row; blank keys come last in either direction, as in Excel.
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
  const sign = isDescending ? -1 : 1;
  const ordered = areNumbers
    ? orderRowsByNumber(filled, (row) => sign * (keys[row] as number))
    : filled.sort((a, b) => sign * compareScalars(keys[a] ?? null, keys[b] ?? null, locale));
  return blank.length === 0 ? ordered : [...ordered, ...blank];
}

/** Orders rows by numbers, stable. Sorting the numbers alone and searching them takes a fifth of comparing rows. */
function orderRowsByNumber(rows: readonly number[], getNumber: (row: number) => number): readonly number[] {
  const numbers = Float64Array.from(rows, getNumber);
  const sorted = numbers.slice().sort();
  const ordered = new Array<number>(rows.length).fill(0);
  /** By the first position of a number: how many rows with this number are in place. */
  const placed = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const first = findFirstPosition(sorted, numbers[i]!);
    ordered[first + placed[first]!++] = rows[i]!;
  }
  return ordered;
}

/** The position of the first number that is not less than `number`. */
function findFirstPosition(sorted: Float64Array, number: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
