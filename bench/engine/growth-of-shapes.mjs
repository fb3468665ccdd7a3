import { parseArgs } from 'node:util';
import { formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';
import { SHAPES } from './shapes.mjs';

/** Number of runs. The fastest run counts, because other load on the machine only adds time. */
const RUNS = 3;
/** Tolerance above the expected exponent of a shape; times of a few milliseconds are not more precise. */
const TOLERATED = 0.5;

/** Measures hostile shapes of documents at n and 2n and prints how the time grows. Stores nothing. */
export async function run(args) {
  const { values: options } = parseArgs({ args, options: { only: { type: 'string' }, scale: { type: 'string' } } });
  const scale = Number(options.scale ?? 1);
  const chosen = SHAPES.filter(({ id }) => options.only === undefined || id.includes(options.only));
  const rows = chosen.map((shape) => measureShape(shape, shape.n * scale));
  console.log(formatMarkdownTable(['shape', 'n', 'takes', '2n takes', 'power', ''], rows));
}

/** Measures a shape at n and 2n. Returns its row of the table: the times, and the exponent of the growth. */
function measureShape(shape, n) {
  measureShortestTime(shape, Math.max(10, n >> 3));
  const single = measureShortestTime(shape, n);
  const two = measureShortestTime(shape, 2 * n);
  const power = Math.log2(two / single);
  const isMore = power > (shape.power ?? 1) + TOLERATED;
  return [
    shape.id,
    n,
    formatDuration(single),
    formatDuration(two),
    power.toFixed(1),
    isMore ? '**more than it should**' : '',
  ];
}

/** Returns the shortest time of several runs, in milliseconds. */
function measureShortestTime(shape, n) {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const document = shape.make(n);
    const start = performance.now();
    shape.run(document, n);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}
