/** The median of some numbers. */
export function computeMedian(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The quantile of some numbers: 0.5 for the median, 1 for the maximum. */
export function computePercentile(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)];
}

/**
 * Creates a deterministic generator of numbers in [0, 1) (mulberry32), so that every engine and run has the same input.
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Formats milliseconds in a suitable unit. */
export function formatDuration(ms) {
  if (ms < 0.001) return `${formatSignificant(ms * 1e6)} ns`;
  if (ms < 1) return `${formatSignificant(ms * 1000)} µs`;
  if (ms < 10_000) return `${formatSignificant(ms)} ms`;
  return `${formatSignificant(ms / 1000)} s`;
}

/** Formats bytes in a suitable unit. */
export function formatBytes(count) {
  if (count < 10_000) return `${formatSignificant(count)} B`;
  if (count < 10_000_000) return `${formatSignificant(count / 1024)} KiB`;
  return `${formatSignificant(count / 1024 / 1024)} MiB`;
}

/** Formats a number with three significant digits and grouped thousands. */
export function formatSignificant(number) {
  if (number >= 100) return Math.round(number).toLocaleString('en-US');
  return String(Number(number.toPrecision(number >= 10 ? 3 : 2)));
}
