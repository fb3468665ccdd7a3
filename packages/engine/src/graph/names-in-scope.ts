import { nameKey } from '../formula/index.ts';
import type { DefinedName } from '../sheet/snapshot.ts';

/** Returns the defined name that a word means on a sheet. Names of the sheet come before names of the workbook. */
export function findNameInScope(name: string, sheet: number, names: readonly DefinedName[]): DefinedName | undefined {
  if (names.length === 0) return undefined;
  const same = indexNamesByKey(names).get(nameKey(name));
  return (
    same?.find((definedName) => definedName.sheet === sheet) ??
    same?.find((definedName) => definedName.sheet === undefined)
  );
}

const BY_KEY = new WeakMap<readonly DefinedName[], ReadonlyMap<string, readonly DefinedName[]>>();

/** Returns defined names by key. The map is cached for the list, which never changes. */
function indexNamesByKey(names: readonly DefinedName[]): ReadonlyMap<string, readonly DefinedName[]> {
  const cached = BY_KEY.get(names);
  if (cached) return cached;
  const namesByKey = new Map<string, DefinedName[]>();
  for (const name of names) {
    const key = nameKey(name.name);
    const same = namesByKey.get(key);
    if (same) same.push(name);
    else namesByKey.set(key, [name]);
  }
  BY_KEY.set(names, namesByKey);
  return namesByKey;
}
