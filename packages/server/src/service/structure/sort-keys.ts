import { MAX_SORT_KEYS } from '../../limits/records.ts';

/** Removes keys whose column occurs earlier, which have no effect; null: more than `MAX_SORT_KEYS` remain. */
export function removeRepeatedSortKeys<K>(
  keys: readonly K[],
  getColumn: (key: K) => string | number,
): readonly K[] | null {
  const byColumn = new Map<string | number, K>();
  for (const key of keys) if (!byColumn.has(getColumn(key))) byColumn.set(getColumn(key), key);
  return byColumn.size > MAX_SORT_KEYS ? null : [...byColumn.values()];
}
