/** What this thread has worked since its start, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Of the time that is measured: what passes before counts as worked. */
const WALL_TIME_SHARE = 1 / 4;

/**
 * Time that this thread works, in milliseconds: on a busy machine, less than passes. The system is asked only from a
 * quarter of `milliseconds` on, since its answer takes twenty times as long as that of the clock, and most of what is
 * measured ends before.
 */
export function startWorkClock(milliseconds: number): () => number {
  const start = performance.now();
  let asked: { readonly passed: number; readonly worked: number } | null = null;
  return () => {
    const passed = performance.now() - start;
    if (passed <= milliseconds * WALL_TIME_SHARE) return passed;
    asked ??= { passed, worked: threadCpuMs() };
    return passed <= milliseconds ? passed : asked.passed + threadCpuMs() - asked.worked;
  };
}
