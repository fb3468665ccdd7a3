import { useSyncExternalStore } from 'react';

/** Where the browser is. */
const navigation = new EventTarget();

export function navigate(path: string, replace = false): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  navigation.dispatchEvent(new Event('moved'));
}

/** The path with its query and fragment. */
export function usePageUrl(): URL {
  const href = useSyncExternalStore(subscribe, () => location.href);
  return new URL(href);
}

/**
 * Parameters of the address's query that a page keeps its state in, empty for those that are absent, and what changes
 * them: the address is replaced, and others of its parameters stay.
 */
export function useAddressParameters<Name extends string>(
  names: readonly Name[],
): readonly [values: Readonly<Record<Name, string>>, change: (values: Partial<Record<Name, string>>) => void] {
  const { searchParams } = usePageUrl();
  const values = Object.fromEntries(names.map((name) => [name, searchParams.get(name) ?? '']));
  const change = (changed: Partial<Record<Name, string>>) => {
    const place = new URL(location.href);
    for (const [name, value] of Object.entries<string | undefined>(changed)) {
      if (value === undefined || value === '') place.searchParams.delete(name);
      else place.searchParams.set(name, value);
    }
    navigate(place.pathname + place.search + place.hash, true);
  };
  return [values as Record<Name, string>, change];
}

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
