import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure, Result } from './http.ts';

/** What a page waits for. While it is asked for again, what came before stays. */
export interface Loaded<T> {
  readonly value: T | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Asks when shown, whenever `key` changes, and on `reload`; an answer that comes too late is dropped. */
export function useLoad<T>(key: string, ask: () => Promise<Result<T>>): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ value: null, failure: null, isLoading: true });
  const latest = useRef(ask);
  latest.current = ask;
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
  const asked = useRef<string | null>(null);
  useEffect(() => {
    if (asked.current !== key) setState({ value: null, failure: null, isLoading: true });
    asked.current = key;
    reload();
  }, [key, reload]);
  return { ...state, reload };
}
