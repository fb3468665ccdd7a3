import assert from 'node:assert/strict';

/** Resolution of processor time, in microseconds. */
const CLOCK_RESOLUTION_US = 5_000;
/** Number of runs of each size. The shortest run counts. */
const RUNS = 3;
/** The larger size divided by the smaller one. */
const SIZE_RATIO = 4;
/** Maximum ratio of the times: linear work has 4, quadratic work 16. */
const MAX_TIME_RATIO = 9;

/**
 * Asserts that the time of work grows linearly with its size. Compares the processor time of this thread at two sizes;
 * it does not depend on the load of the machine.
 * @param size the smaller size; quadratic work at four times this size should take at least 0.1 s
 */
export function assertLinear(size: number, work: (size: number) => void): void {
  work(size);
  const small = measureShortestTime(() => work(size));
  const large = measureShortestTime(() => work(size * SIZE_RATIO));
  assert.ok(
    large < MAX_TIME_RATIO * Math.max(small, CLOCK_RESOLUTION_US),
    `${SIZE_RATIO} times the size takes ${(large / small).toFixed(1)} times as long`,
  );
}

function measureShortestTime(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}
