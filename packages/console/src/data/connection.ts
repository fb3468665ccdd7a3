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

/** Statuses after which the same request may succeed. 0: the service was not reached. */
export const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([0, 408, 429, 502, 503, 504]);

/** First and longest wait before a retry, in milliseconds. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** Resolves when a retry makes sense: after a wait that doubles with each failure, or when the network is back. */
export function waitForRetry(failed: number): Promise<void> {
  return new Promise((resolve) => {
    const finishWait = () => {
      clearTimeout(timer);
      removeEventListener('online', finishWait);
      resolve();
    };
    const timer = setTimeout(finishWait, Math.min(FIRST_WAIT_MS * 2 ** failed, MAX_WAIT_MS));
    addEventListener('online', finishWait);
  });
}
