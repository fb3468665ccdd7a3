import assert from 'node:assert/strict';

/** Microseconds below which processor time is not told apart. */
const FLOOR = 5_000;
/** Times that each size is worked on: the least time is the one that the machine disturbed least. */
const RUNS = 3;
/** How much more work the larger size is. */
const FACTOR = 4;
/** Between the 4 of linear and the 16 of quadratic work. */
const MOST = 9;

/**
 * Asserts that work grows about as its size, by processor time of this thread at two sizes: how busy the machine is
 * makes no difference to that.
 * @param size the smaller size; quadratic work of four times as much should take a tenth of a second at least
 */
export function assertLinear(size: number, work: (size: number) => void): void {
  work(size);
  const small = leastTime(() => work(size));
  const large = leastTime(() => work(size * FACTOR));
  assert.ok(
    large < MOST * Math.max(small, FLOOR),
    `${FACTOR} times the size takes ${(large / small).toFixed(1)} times as long`,
  );
}

function leastTime(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}
