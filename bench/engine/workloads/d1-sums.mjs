import { createRandom } from '../../lib/stats.mjs';

const SUMS = 1_000;

/** A thousand sums of one column, of which one cell is edited. By hand: one sum for all formulas. */
export const workload = {
  id: 'd1',
  title: '1,000 `SUM` over 100k rows, one cell edited',
  size: 100_000,
  growth: [10_000, 100_000, 1_000_000],
  createRows(size) {
    const random = createRandom(4);
    return Array.from({ length: size }, (_, i) => {
      const number = Math.floor(random() * 10_000);
      return i < SUMS ? [number, `=SUM($A$1:$A$${size})`] : [number];
    });
  },
  getProbeCell: () => ({ row: SUMS - 1, column: 1 }),
  listEdits: (size) => ({ edit: { row: size >> 1, column: 0 } }),
  getWrittenValue: (i) => i + 1,
  createPlainLoops(rows) {
    const numbers = Float64Array.from(rows, ([number]) => number);
    const sums = new Float64Array(SUMS);
    return {
      edits: {
        edit(value) {
          numbers[numbers.length >> 1] = value;
          let sum = 0;
          for (let row = 0; row < numbers.length; row++) sum += numbers[row];
          sums.fill(sum);
          return sums[SUMS - 1];
        },
      },
    };
  },
  targets: [{ measure: 'edit', peer: 'limit', atMost: 2 }],
};
