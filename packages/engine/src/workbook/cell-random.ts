/** Number of rounds that distribute the seed over the whole state. */
const WARM_UP = 12;

/**
 * Creates a generator of the random numbers of one cell, 0 ≤ x < 1 (sfc32). The same seed gives the same numbers on
 * every node, in any order of calculation.
 */
export function createRandom(seed: number, sheet: number, row: number, column: number): () => number {
  let [a, b, c, counter] = [seed | 0, sheet | 0, row | 0, column | 0];
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < WARM_UP; i++) next();
  // Combines two draws to 53 bits. With fewer bits, values of RAND would repeat after a few thousand cells.
  return () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
}
