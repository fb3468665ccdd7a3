import { useSyncExternalStore } from 'react';

/** True if the browser has a network. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener);
      addEventListener('offline', listener);
      return () => {
        removeEventListener('online', listener);
        removeEventListener('offline', listener);
      };
    },
    () => navigator.onLine,
  );
}

/** First and longest wait before a retry, in milliseconds. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** Resolves when a retry makes sense: after a wait that doubles with each failure, or when the network is back. */
export function waitForRetry(failed: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, Math.min(FIRST_WAIT_MS * 2 ** failed, MAX_WAIT_MS));
    addEventListener('online', go);
  });
}
