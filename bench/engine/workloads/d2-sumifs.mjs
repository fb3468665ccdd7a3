import { createRandom } from '../../lib/stats.mjs';

const SUMS = 1_000;
const EDITED_ROW = 500;

/**
 * A thousand `SUMIFS` over one pair of columns, with one criterion each. By hand: an edit in the columns groups them
 * again (one pass with a map) and looks up every criterion; an edited criterion is one pass over the criteria column.
 */
export const workload = {
  id: 'd2',
  title: '1,000 `SUMIFS` over 100k rows',
  size: 100_000,
  growth: [10_000, 100_000],
  createRows(size) {
    const random = createRandom(5);
    return Array.from({ length: size }, (_, i) => {
      const row = [`key ${Math.floor(random() * SUMS)}`, Math.floor(random() * 10_000)];
      return i < SUMS ? [...row, `key ${i}`, `=SUMIFS($B$1:$B$${size},$A$1:$A$${size},C${i + 1})`] : row;
    });
  },
  getProbeCell: () => ({ row: EDITED_ROW, column: 3 }),
  listEdits: (size) => ({
    'edit summed': { row: size >> 1, column: 1 },
    'edit criteria column': { row: size >> 1, column: 0 },
    'edit criterion': { row: EDITED_ROW, column: 2 },
  }),
  getWrittenValue(i, edit) {
    return edit === 'edit summed' ? i + 1 : `key ${edit === 'edit criterion' ? (i * 7) % SUMS : EDITED_ROW + (i % 2)}`;
  },
  createPlainLoops(rows) {
    const keys = rows.map(([key]) => key);
    const numbers = Float64Array.from(rows, ([, number]) => number);
    const criteria = rows.slice(0, SUMS).map((row) => row[2]);
    const results = new Float64Array(SUMS);
    const at = rows.length >> 1;
    const calculateAll = () => {
      const sums = new Map();
      for (let row = 0; row < keys.length; row++) sums.set(keys[row], (sums.get(keys[row]) ?? 0) + numbers[row]);
      for (let i = 0; i < SUMS; i++) results[i] = sums.get(criteria[i]) ?? 0;
      return results[EDITED_ROW];
    };
    return {
      edits: {
        'edit summed'(value) {
          numbers[at] = value;
          return calculateAll();
        },
        'edit criteria column'(value) {
          keys[at] = value;
          return calculateAll();
        },
        'edit criterion'(value) {
          let sum = 0;
          for (let row = 0; row < keys.length; row++) if (keys[row] === value) sum += numbers[row];
          results[EDITED_ROW] = sum;
          return sum;
        },
      },
    };
  },
  targets: ['edit summed', 'edit criteria column', 'edit criterion'].map((measure) => ({
    measure,
    peer: 'limit',
    atMost: 10,
  })),
};
