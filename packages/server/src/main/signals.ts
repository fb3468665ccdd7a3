/** Signals that end a command cleanly. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Calls `stop` at the first stop signal. Returns a function that removes the handlers. */
export function onStopSignal(stop: () => void): () => void {
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  };
}
