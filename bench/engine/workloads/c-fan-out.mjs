import { createRandom } from '../../lib/stats.mjs';

/** A rate that every row multiplies by, `=B1*$A$1`; the rate is edited. */
export const workload = {
  id: 'c',
  title: 'one cell with 100k dependants, edited',
  size: 100_000,
  growth: [10_000, 100_000, 1_000_000],
  createRows(size) {
    const random = createRandom(3);
    return Array.from({ length: size }, (_, i) => [
      i === 0 ? 1.5 : null,
      Math.floor(random() * 10_000) / 100,
      `=B${i + 1}*$A$1`,
    ]);
  },
  getProbeCell: (size) => ({ row: size - 1, column: 2 }),
  listEdits: () => ({ edit: { row: 0, column: 0 } }),
  getWrittenValue: (i) => i / 4 + 1,
  createPlainLoops(rows) {
    const numbers = Float64Array.from(rows, (row) => row[1]);
    const products = new Float64Array(rows.length);
    return {
      edits: {
        edit(value) {
          for (let row = 0; row < numbers.length; row++) products[row] = numbers[row] * value;
          return products[products.length - 1];
        },
      },
    };
  },
  targets: [
    { measure: 'edit', peer: 'limit', atMost: 10 },
    { measure: 'edit', peer: 'best', atLeast: 100 },
  ],
};
