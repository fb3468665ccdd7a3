/** A seeded sequence of numbers, 0 ≤ x < 1 (mulberry32): the same seed gives the same numbers on every node. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  // 53 bits from two draws: RAND must not repeat its values after a few thousand cells.
  return () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
}
