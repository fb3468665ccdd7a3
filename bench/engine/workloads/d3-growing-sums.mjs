import { createRandom } from '../../lib/stats.mjs';

/** `=SUM(A$1:A1)` filled down; the first number is edited. By hand: prefix sums. */
export const workload = {
  id: 'd3',
  title: 'growing `SUM(A$1:Ai)` over 20k rows, first cell edited',
  size: 20_000,
  createRows(size) {
    const random = createRandom(6);
    return Array.from({ length: size }, (_, i) => [Math.floor(random() * 1_000), `=SUM(A$1:A${i + 1})`]);
  },
  getProbeCell: (size) => ({ row: size - 1, column: 1 }),
  listEdits: () => ({ edit: { row: 0, column: 0 } }),
  getWrittenValue: (i) => i + 1,
  createPlainLoops(rows) {
    const numbers = Float64Array.from(rows, ([number]) => number);
    const sums = new Float64Array(rows.length);
    return {
      edits: {
        edit(value) {
          numbers[0] = value;
          let sum = 0;
          for (let row = 0; row < numbers.length; row++) {
            sum += numbers[row];
            sums[row] = sum;
          }
          return sums[sums.length - 1];
        },
      },
    };
  },
  targets: [{ measure: 'edit', peer: 'limit', atMost: 20 }],
};
