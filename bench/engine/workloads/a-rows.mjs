import { createRandom } from '../../lib/stats.mjs';

/** Rows of five numbers and `=A1*B1+C1`; the middle row's first number is edited. */
export const workload = {
  id: 'a',
  title: '100k rows of 5 numbers and `=A1*B1+C1`',
  size: 100_000,
  growth: [10_000, 100_000, 1_000_000],
  measuresBuild: true,
  createRows(size) {
    const random = createRandom(1);
    const drawNumber = () => Math.floor(random() * 10_000) / 100;
    return Array.from({ length: size }, (_, i) => [
      ...Array.from({ length: 5 }, drawNumber),
      `=A${i + 1}*B${i + 1}+C${i + 1}`,
    ]);
  },
  getProbeCell: (size) => ({ row: size >> 1, column: 5 }),
  listEdits: (size) => ({ edit: { row: size >> 1, column: 0 } }),
  getWrittenValue: (i) => i + 0.5,
  createPlainLoops(rows) {
    const columns = Array.from({ length: 6 }, () => new Float64Array(rows.length));
    const [a, b, c, , , f] = columns;
    const at = rows.length >> 1;
    return {
      build() {
        for (let column = 0; column < 5; column++) {
          const numbers = columns[column];
          for (let row = 0; row < rows.length; row++) numbers[row] = rows[row][column];
        }
        for (let row = 0; row < rows.length; row++) f[row] = a[row] * b[row] + c[row];
        return f[at];
      },
      edits: {
        edit(value) {
          a[at] = value;
          b[at] = rows[at][1];
          c[at] = rows[at][2];
          f[at] = a[at] * b[at] + c[at];
          return f[at];
        },
      },
    };
  },
  targets: [
    { measure: 'build', peer: 'hyperformula', atLeast: 10 },
    { measure: 'edit', peer: 'hyperformula', atLeast: 10 },
  ],
};
