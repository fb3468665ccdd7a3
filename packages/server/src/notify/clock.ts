/**
 * Time as notifications see it. What is stored and shown is of the wall clock, which may jump by any amount in either
 * direction, and differs from machine to machine; how long something has lasted is of the steady clock alone.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  /** Milliseconds since some moment of this process; only ever goes forward. */
  readonly steady: () => number;
  /** Calls back after so many milliseconds, unless cancelled. Does not keep the process alive. */
  readonly after: (ms: number, run: () => void) => Cancel;
}

export type Cancel = () => void;

/** The longest wait of one timer; a longer one would run out at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function realClock(now: () => number): Clock {
  return { now, steady: () => performance.now(), after };
}

function after(ms: number, run: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const part = Math.min(left, MAX_TIMER_MS);
    timer = setTimeout(() => (left > part ? wait(left - part) : run()), part);
    timer.unref();
  };
  wait(ms);
  return () => clearTimeout(timer);
}
