import { useSyncExternalStore } from 'react';

/** Where the browser is. */
const moved = new EventTarget();

export function navigate(path: string, replace = false): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  moved.dispatchEvent(new Event('moved'));
}

/** The path with its query and fragment. */
export function usePlace(): URL {
  const href = useSyncExternalStore(subscribe, () => location.href);
  return new URL(href);
}

function subscribe(listener: () => void): () => void {
  moved.addEventListener('moved', listener);
  addEventListener('popstate', listener);
  addEventListener('hashchange', listener);
  return () => {
    moved.removeEventListener('moved', listener);
    removeEventListener('popstate', listener);
    removeEventListener('hashchange', listener);
  };
}
