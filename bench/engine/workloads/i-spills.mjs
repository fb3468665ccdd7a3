import { createRandom } from '../../lib/stats.mjs';

const ROWS = 100_000;

/** Dynamic array functions, and the same on plain arrays. `last` is the row of the spilled cell that is read. */
const KINDS = [
  {
    id: 'i1',
    name: '`FILTER`',
    formula: (n) => `=FILTER(A1:A${n},B1:B${n}>0.5)`,
    plain: (numbers, shares) => numbers.filter((_, i) => shares[i] > 0.5),
  },
  {
    id: 'i2',
    name: '`SORT`',
    formula: (n) => `=SORT(A1:A${n})`,
    plain: (numbers) => numbers.slice().sort((a, b) => a - b),
  },
  {
    id: 'i3',
    name: '`UNIQUE`',
    formula: (n) => `=UNIQUE(A1:A${n})`,
    plain: (numbers) => [...new Set(numbers)],
  },
  {
    id: 'i4',
    name: '`SEQUENCE`',
    formula: (n) => `=SEQUENCE(${n},1,A1)`,
    plain: (numbers) => Array.from({ length: numbers.length }, (_, i) => numbers[0] + i),
  },
];

/** Creates the workload of a function. `createPlainLoop(numbers, shares)` computes the same array without an engine. */
function createSpillWorkload({ id, name, formula, plain: createPlainLoop }) {
  return {
    id,
    title: `${name} of 100k rows, source edited`,
    size: ROWS,
    trait: 'arrays',
    growth: id === 'i4' ? undefined : [10_000, 100_000],
    createRows(size) {
      const random = createRandom(12);
      return Array.from({ length: size }, (_, i) => {
        const row = [Math.floor(random() * size), Math.floor(random() * 1_000) / 1_000];
        return i === 0 ? [row[0], 0.75, formula(size)] : row;
      });
    },
    getProbeCell: () => ({ row: 0, column: 2 }),
    listEdits: () => ({ edit: { row: 0, column: 0 } }),
    getWrittenValue: (i) => -i - 1,
    createPlainLoops(rows) {
      const numbers = rows.map(([number]) => number);
      const shares = rows.map(([, share]) => share);
      return {
        edits: {
          edit(value) {
            numbers[0] = value;
            return createPlainLoop(numbers, shares)[0];
          },
        },
      };
    },
    targets: [{ measure: 'edit', peer: 'limit', atMost: 5 }],
  };
}

export const spills = KINDS.map(createSpillWorkload);
