import { createRandom } from '../../lib/stats.mjs';

/** A running total, `=B1+A2` filled down. Editing the first number changes every total. */
export const workload = {
  id: 'b',
  title: 'running total over 100k rows, first cell edited',
  size: 100_000,
  growth: [10_000, 100_000, 1_000_000],
  createRows(size) {
    const random = createRandom(2);
    return Array.from({ length: size }, (_, i) => [Math.floor(random() * 1_000), i === 0 ? '=A1' : `=B${i}+A${i + 1}`]);
  },
  getProbeCell: (size) => ({ row: size - 1, column: 1 }),
  listEdits: () => ({ edit: { row: 0, column: 0 } }),
  getWrittenValue: (i) => i + 1,
  createPlainLoops(rows) {
    const numbers = Float64Array.from(rows, ([number]) => number);
    const totals = new Float64Array(rows.length);
    return {
      edits: {
        edit(value) {
          numbers[0] = value;
          let total = 0;
          for (let row = 0; row < numbers.length; row++) {
            total += numbers[row];
            totals[row] = total;
          }
          return totals[totals.length - 1];
        },
      },
    };
  },
  targets: [
    { measure: 'edit', peer: 'limit', atMost: 8 },
    { measure: 'edit', peer: 'hyperformula', atLeast: 50 },
  ],
};
