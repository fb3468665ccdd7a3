import { useSyncExternalStore } from 'react';

/** Dispatches `moved` when the address changes. */
const navigation = new EventTarget();

/** Shows another address without a reload. `replacesEntry`: replaces the current entry of the browser's history. */
export function navigate(path: string, replacesEntry = false): void {
  if (replacesEntry) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  navigation.dispatchEvent(new Event('moved'));
}

/** Returns the current address. */
export function usePageUrl(): URL {
  const href = useSyncExternalStore(subscribe, () => location.href);
  return new URL(href);
}

/**
 * Keeps state of a page in query parameters. Absent parameters are empty. A change replaces the address and keeps its
 * other parameters.
 */
export function useAddressParameters<Name extends string>(
  names: readonly Name[],
): readonly [values: Readonly<Record<Name, string>>, change: (values: Partial<Record<Name, string>>) => void] {
  const { searchParams } = usePageUrl();
  const values = Object.fromEntries(names.map((name) => [name, searchParams.get(name) ?? '']));
  const change = (parameters: Partial<Record<Name, string>>) => {
    const place = new URL(location.href);
    for (const [name, value] of Object.entries<string | undefined>(parameters)) {
      if (value === undefined || value === '') place.searchParams.delete(name);
      else place.searchParams.set(name, value);
    }
    navigate(place.pathname + place.search + place.hash, true);
  };
  return [values as Record<Name, string>, change];
}

/** Calls `listener` when the address changes. Returns a function that ends this. */
function subscribe(listener: () => void): () => void {
  navigation.addEventListener('moved', listener);
  addEventListener('popstate', listener);
  addEventListener('hashchange', listener);
  return () => {
    navigation.removeEventListener('moved', listener);
    removeEventListener('popstate', listener);
    removeEventListener('hashchange', listener);
  };
}
