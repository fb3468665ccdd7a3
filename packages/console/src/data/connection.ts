import { useSyncExternalStore } from 'react';

/** Whether the browser has a network at all. */
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

/** The first wait before something is sent again, and the longest, in milliseconds. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** Comes when it is worth to send something again, the later the more often that failed; at once with a network. */
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
