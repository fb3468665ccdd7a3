/** What this thread has worked since its start, in milliseconds. */
export function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Time that this thread works, in milliseconds: on a busy machine, less than passes. The system is asked only once
 * `milliseconds` have passed, since its answer takes ten times as long as that of the clock.
 */
export function workClock(milliseconds: number): () => number {
  const start = performance.now();
  const before = worked();
  return () => {
    const passed = performance.now() - start;
    return passed <= milliseconds ? passed : worked() - before;
  };
}
