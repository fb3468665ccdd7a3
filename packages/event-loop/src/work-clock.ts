/** What this thread has worked since its start, in milliseconds. */
export function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Of the time that is measured: what passes before counts as worked. */
const UNASKED_PART = 1 / 4;

/**
 * Time that this thread works, in milliseconds: on a busy machine, less than passes. The system is asked only from a
 * quarter of `milliseconds` on, since its answer takes twenty times as long as that of the clock, and most of what is
 * measured ends before.
 */
export function workClock(milliseconds: number): () => number {
  const start = performance.now();
  let asked: { readonly passed: number; readonly worked: number } | null = null;
  return () => {
    const passed = performance.now() - start;
    if (passed <= milliseconds * UNASKED_PART) return passed;
    asked ??= { passed, worked: worked() };
    return passed <= milliseconds ? passed : asked.passed + worked() - asked.worked;
  };
}
