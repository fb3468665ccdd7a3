import type { Worker } from 'node:worker_threads';

/** Processor time of this thread since its start, in milliseconds. */
export function readThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Processor time of another thread since its start, in milliseconds. Zero if the thread has not started, or has ended. */
export async function readWorkerCpuMs(thread: Worker): Promise<number> {
  try {
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}

/** First share of the measured time, in which elapsed time is used instead of processor time. */
const WALL_TIME_SHARE = 1 / 4;

/**
 * Returns a function that returns the processor time of this thread since the call, in milliseconds. On a busy machine
 * this is less than the elapsed time. Reading the processor time takes twenty times as long as reading the clock, and
 * most measured work is short. The first quarter of `milliseconds` is therefore measured by the clock.
 */
export function startWorkClock(milliseconds: number): () => number {
  const start = performance.now();
  let base: { readonly passed: number; readonly cpuMs: number } | null = null;
  return () => {
    const passed = performance.now() - start;
    if (passed <= milliseconds * WALL_TIME_SHARE) return passed;
    base ??= { passed, cpuMs: readThreadCpuMs() };
    return passed <= milliseconds ? passed : base.passed + readThreadCpuMs() - base.cpuMs;
  };
}
