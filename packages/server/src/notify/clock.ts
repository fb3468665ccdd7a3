/** Time as notifications see it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  /** Calls back after so many milliseconds, unless cancelled. Does not keep the process alive. */
  readonly after: (ms: number, run: () => void) => Cancel;
}

export type Cancel = () => void;

export function realClock(now: () => number): Clock {
  return {
    now,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
