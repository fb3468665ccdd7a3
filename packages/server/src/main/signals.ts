/** Signals that ask a command to end in order. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Calls `stop` at the first signal to end. Returns what takes that back. */
export function onStopSignal(stop: () => void): () => void {
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  };
}
