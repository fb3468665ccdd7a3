import { MAX_SORT_KEYS } from '../../limits/records.ts';

/** Keys without those whose column was named before, which say nothing more; null: more than `MAX_SORT_KEYS` are left. */
export function distinctSortKeys<K>(keys: readonly K[], columnOf: (key: K) => string | number): readonly K[] | null {
  const byColumn = new Map<string | number, K>();
  for (const key of keys) if (!byColumn.has(columnOf(key))) byColumn.set(columnOf(key), key);
  return byColumn.size > MAX_SORT_KEYS ? null : [...byColumn.values()];
}
