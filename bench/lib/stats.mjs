/** The middle of some numbers; of an even count the mean of the two in the middle. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The number that a share of the others does not exceed: 0.5 for the middle, 1 for the greatest. */
export function percentile(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)];
}

/** A deterministic source of numbers in [0, 1): the same inputs for every engine and every run (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Milliseconds in the unit a person would choose. */
export function duration(ms) {
  if (ms < 0.001) return `${significant(ms * 1e6)} ns`;
  if (ms < 1) return `${significant(ms * 1000)} µs`;
  if (ms < 10_000) return `${significant(ms)} ms`;
  return `${significant(ms / 1000)} s`;
}

/** Bytes in the unit a person would choose. */
export function bytes(count) {
  if (count < 10_000) return `${significant(count)} B`;
  if (count < 10_000_000) return `${significant(count / 1024)} KiB`;
  return `${significant(count / 1024 / 1024)} MiB`;
}

/** Three significant digits, thousands grouped. */
export function significant(number) {
  if (number >= 100) return Math.round(number).toLocaleString('en-US');
  return String(Number(number.toPrecision(number >= 10 ? 3 : 2)));
}
