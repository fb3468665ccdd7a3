import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure, Result } from './http.ts';

/** Data of a page. A reload keeps the previous value until the answer arrives. */
export interface Loaded<T> {
  readonly value: T | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Interval between refreshes, in milliseconds. */
const FOLLOW_MS = 3_000;
/**
 * The interval is at least this many times the duration of the last request, so that slow lists are requested less
 * often.
 */
const MIN_INTERVAL_DURATIONS = 20;

interface LoadOptions {
  /** Refreshes every few seconds while the page is visible, and when it becomes visible. */
  readonly isFollowed?: boolean;
}

/** Loads when mounted, when `key` changes and on `reload`. An outdated answer is dropped. */
export function useLoad<T>(
  key: string,
  requestData: () => Promise<Result<T>>,
  { isFollowed = false }: LoadOptions = {},
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ value: null, failure: null, isLoading: true });
  const latest = useRef(requestData);
  latest.current = requestData;
  const turn = useRef(0);
  const reload = useCallback(() => {
    const own = ++turn.current;
    setState((before) => ({ ...before, isLoading: true }));
    void latest.current().then((result) => {
      if (own !== turn.current) return;
      if (result.ok) setState({ value: result.value, failure: null, isLoading: false });
      else setState((before) => ({ ...before, failure: result, isLoading: false }));
    });
  }, []);
  /** Refreshes without showing progress. A temporary failure changes nothing. */
  const look = useCallback(async () => {
    const own = turn.current;
    const result = await latest.current();
    if (own !== turn.current) return;
    if (!result.ok && (result.status === 0 || result.status === 429 || result.status >= 500)) return;
    setState((before) => {
      if (!result.ok) return { value: null, failure: result, isLoading: false };
      const isSame = JSON.stringify(before.value) === JSON.stringify(result.value);
      return isSame && before.failure === null ? before : { value: result.value, failure: null, isLoading: false };
    });
  }, []);
  const loadedKey = useRef<string | null>(null);
  useEffect(() => {
    if (loadedKey.current !== key) setState({ value: null, failure: null, isLoading: true });
    loadedKey.current = key;
    reload();
  }, [key, reload]);
  useEffect(() => (isFollowed ? refreshWhileVisible(look) : undefined), [isFollowed, look]);
  return { ...state, reload };
}

/** Calls `refresh` repeatedly while the page is visible. Returns a function that stops it. */
function refreshWhileVisible(refresh: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const isVisible = () => document.visibilityState === 'visible';
  const wait = (ms: number) => {
    clearTimeout(timer);
    if (!hasEnded) timer = setTimeout(() => void turn(), ms);
  };
  const turn = async () => {
    if (!isVisible()) return;
    const began = performance.now();
    await refresh();
    wait(Math.max(FOLLOW_MS, (performance.now() - began) * MIN_INTERVAL_DURATIONS));
  };
  const onVisible = () => {
    if (isVisible()) wait(0);
  };
  wait(FOLLOW_MS);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisible);
  };
}

/** Minimum time between two reloads while others edit the document, in milliseconds. */
const RELOAD_MS = 500;

/**
 * Reloads when `changeKey` changes. Waits for the answer of the previous request, and for `RELOAD_MS` after the last
 * reload.
 */
export function useReloadOnChange(
  { isLoading, reload }: Pick<Loaded<unknown>, 'isLoading' | 'reload'>,
  changeKey: string,
): void {
  const seen = useRef(changeKey);
  const reloadedAt = useRef(0);
  useEffect(() => {
    if (isLoading || changeKey === seen.current) return;
    const timer = setTimeout(
      () => {
        seen.current = changeKey;
        reloadedAt.current = performance.now();
        reload();
      },
      Math.max(0, reloadedAt.current + RELOAD_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [changeKey, isLoading, reload]);
}
