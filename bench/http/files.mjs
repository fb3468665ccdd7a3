import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createRandom } from '../lib/stats.mjs';

/** A CSV file of numbers with two decimals, with a header line. */
export async function writeNumbers(file, rows, columns) {
  await pipeline(generateCsvLines(rows, columns), createWriteStream(file));
}

/** Generates a header and rows of random numbers. */
function* generateCsvLines(rows, columns) {
  const random = createRandom(21);
  yield `${Array.from({ length: columns }, (_, i) => `measure ${i + 1}`).join(',')}\n`;
  for (let row = 1; row < rows; row++) {
    yield `${Array.from({ length: columns }, () => (Math.floor(random() * 1_000_000) / 100).toFixed(2)).join(',')}\n`;
  }
}
