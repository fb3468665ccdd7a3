import { nameKey } from '../formula/index.ts';
import type { Draft } from '../sheet/draft.ts';
import type { DefinedName } from '../sheet/snapshot.ts';
import { groupBy } from '../value/group-by.ts';

type NamesByKey = Map<string, readonly DefinedName[]>;

const BY_SCOPE = new WeakMap<readonly DefinedName[], NamesByKey>();

/**
 * Returns the key of a name within its scope: the name `rate` of a sheet and the name `rate` of the document have
 * different keys.
 */
export function createScopedKey(name: string, scope: number | undefined): string {
  return `${scope ?? ''}!${nameKey(name)}`;
}

/** Returns the index of a list of names, which is built once per list. */
export function indexNamesByScope(names: readonly DefinedName[]): ReadonlyMap<string, readonly DefinedName[]> {
  return buildIndex(names);
}

/**
 * Replaces the names of a key; the new names are at the end of the list. The index is updated for the new list, so that
 * a batch that sets a thousand names builds it once.
 */
export function replaceNames(draft: Draft, key: string, newNames: readonly DefinedName[]): void {
  const { names } = draft;
  const index = buildIndex(names);
  const definedNames = index.get(key) ?? [];
  const others = definedNames.reduce((list, one) => list.toSpliced(list.indexOf(one), 1), names);
  BY_SCOPE.delete(names);
  if (newNames.length === 0) index.delete(key);
  else index.set(key, newNames);
  draft.names = [...others, ...newNames];
  BY_SCOPE.set(draft.names, index);
}

/** Builds the index of a list of names. */
function buildIndex(names: readonly DefinedName[]): NamesByKey {
  const cached = BY_SCOPE.get(names);
  if (cached !== undefined) return cached;
  const index = groupBy(names, ({ name, sheet }) => createScopedKey(name, sheet));
  BY_SCOPE.set(names, index);
  return index;
}
