import { createRandom } from '../../lib/stats.mjs';
import { formatColumnName } from '../cell-text.mjs';

const COLUMNS = 10;

/** Ten columns of formulas filled down, each on the column before: `=A1*1.5+1`, `=B1*1.5+2`, … */
export const workload = {
  id: 'g',
  title: '1M formulas in 10 filled-down columns',
  size: 1_000_000,
  growth: [10_000, 100_000, 1_000_000],
  measuresBuild: true,
  createRows(size) {
    const random = createRandom(10);
    return Array.from({ length: size / COLUMNS }, (_, i) => [
      Math.floor(random() * 1_000),
      ...Array.from({ length: COLUMNS }, (_, j) => `=${formatColumnName(j)}${i + 1}*1.5+${j + 1}`),
    ]);
  },
  getProbeCell: (size) => ({ row: size / COLUMNS - 1, column: COLUMNS }),
  createPlainLoops(rows) {
    const columns = Array.from({ length: COLUMNS + 1 }, () => new Float64Array(rows.length));
    return {
      build() {
        for (let row = 0; row < rows.length; row++) columns[0][row] = rows[row][0];
        for (let j = 0; j < COLUMNS; j++) {
          const from = columns[j];
          const to = columns[j + 1];
          for (let row = 0; row < rows.length; row++) to[row] = from[row] * 1.5 + (j + 1);
        }
        return columns[COLUMNS][rows.length - 1];
      },
    };
  },
  countCells: (size) => size,
  targets: [
    { measure: 'build', peer: 'hyperformula', atLeast: 15 },
    { measure: 'memory', bytesAtMost: 24 },
  ],
};
