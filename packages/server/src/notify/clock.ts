/**
 * Clocks for notifications. Stored and shown times come from the wall clock, which may jump in both directions and
 * differs between machines. Durations are measured only by the monotonic clock.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  /** Monotonic clock, in milliseconds since an arbitrary start. */
  readonly steady: () => number;
  /** Calls `run` after `ms` milliseconds unless cancelled. Does not keep the process alive. */
  readonly after: (ms: number, run: () => void) => CancelTimer;
}

export type CancelTimer = () => void;

/** Maximum delay of a Node timer, in milliseconds. A longer delay would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createRealClock(now: () => number): Clock {
  return { now, steady: () => performance.now(), after: runAfter };
}

function runAfter(ms: number, run: () => void): CancelTimer {
  let timer: NodeJS.Timeout;
  const waitFor = (left: number): void => {
    const part = Math.min(left, MAX_TIMER_MS);
    timer = setTimeout(() => (left > part ? waitFor(left - part) : run()), part);
    timer.unref();
  };
  waitFor(ms);
  return () => clearTimeout(timer);
}
