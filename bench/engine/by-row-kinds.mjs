import { createRandom } from '../lib/stats.mjs';

/** Seed of the random data. `BENCH_SEED=7` measures the same workloads with other data. */
const SEED = Number(process.env.BENCH_SEED ?? 1) * 1_000;
const KEYS = 20;
const GROUPS = 12;
const EXACT_DIGITS = 1e6;

/** Rows of a key, a number, another key and another number; each kind adds one formula by row. */
function createDataRow(random, size) {
  return [
    `key ${Math.floor(random() * KEYS)}`,
    Math.floor(random() * EXACT_DIGITS),
    Math.floor(random() * GROUPS),
    Math.floor(random() * size),
  ];
}

/** Calls `visit` with each row from the first to `lastRow`, both inclusive. */
const visitRowsUpTo = (rows, lastRow, visit) => {
  for (let i = 0; i <= lastRow; i++) visit(rows[i]);
};

/** Returns the sum of `getTerm(row)` over the rows up to `lastRow`. */
const sumOverRows = (rows, lastRow, getTerm) => {
  let sum = 0;
  visitRowsUpTo(rows, lastRow, (row) => {
    sum += getTerm(row);
  });
  return sum;
};

/** Returns the first numbers of the rows up to `lastRow`, in ascending order. */
const sortNumbers = (rows, lastRow) => Float64Array.from(rows.slice(0, lastRow + 1), (row) => row[1]).sort();

/** Returns the greatest first number of the rows up to `lastRow`. */
const findMaximum = (rows, lastRow) => sortNumbers(rows, lastRow)[lastRow];

/** Returns the quantile of ascending values, interpolated as `PERCENTILE` does. `share`: from 0 to 1. */
const computeQuantile = (values, share) => {
  const position = share * (values.length - 1);
  const below = Math.floor(position);
  return values[below] + (position - below) * ((values[below + 1] ?? 0) - values[below]);
};

/** Returns the rank of a row by its first number; the greatest number has rank 1. */
const computeRank = (rows, row) => 1 + rows.filter((other) => other[1] > row[1]).length;

/** The nearest value that is not greater, in rows in any order. */
const findNearestNumberBelow = (rows, limit) =>
  rows.reduce((best, row) => (row[1] <= limit && (best === null || row[1] > best) ? row[1] : best), null) ?? '#N/A';

/** The standard deviation of a sample: the first numbers of the rows. */
const computeDeviation = (rows) => {
  if (rows.length < 2) return 0;
  const mean = sumOverRows(rows, rows.length - 1, (row) => row[1]) / rows.length;
  return Math.sqrt(sumOverRows(rows, rows.length - 1, (row) => (row[1] - mean) ** 2) / (rows.length - 1));
};

/** `formula(i, n)` in row `i` (from 1) of `n`; `wanted(rows, i)` its value by hand, of row `i` from 0. */
export const KINDS = [
  {
    id: 'sumifs',
    name: '`SUMIFS` by row, 20 keys',
    formula: (i, n) => `=SUMIFS($B$1:$B$${n},$A$1:$A$${n},A${i})`,
    wanted: (rows, i) => sumOverRows(rows, rows.length - 1, (row) => (row[0] === rows[i][0] ? row[1] : 0)),
  },
  {
    id: 'countif',
    name: '`COUNTIF` by row, 20 keys',
    formula: (i, n) => `=COUNTIF($A$1:$A$${n},A${i})`,
    wanted: (rows, i) => sumOverRows(rows, rows.length - 1, (row) => Number(row[0] === rows[i][0])),
  },
  {
    id: 'countifs-greater',
    name: '`COUNTIFS` with `>`',
    formula: (i, n) => `=COUNTIFS($B$1:$B$${n},">"&B${i})`,
    wanted: (rows, i) => computeRank(rows, rows[i]) - 1,
  },
  {
    id: 'countifs-group',
    name: '`COUNTIFS` with `=` and `>`',
    formula: (i, n) => `=COUNTIFS($A$1:$A$${n},A${i},$B$1:$B$${n},">"&B${i})`,
    wanted: (rows, i) =>
      computeRank(
        rows.filter((row) => row[0] === rows[i][0]),
        rows[i],
      ) - 1,
  },
  {
    id: 'sumifs-greater',
    name: '`SUMIFS` with `>`',
    formula: (i, n) => `=SUMIFS($D$1:$D$${n},$B$1:$B$${n},">"&B${i})`,
    wanted: (rows, i) => sumOverRows(rows, rows.length - 1, (row) => (row[1] > rows[i][1] ? row[3] : 0)),
  },
  {
    id: 'sumifs-growing',
    name: 'cumulative `SUMIFS`, two conditions',
    formula: (i) => `=SUMIFS($B$1:B${i},$A$1:A${i},A${i},$C$1:C${i},C${i})`,
    wanted: (rows, i) => sumOverRows(rows, i, (row) => (row[0] === rows[i][0] && row[2] === rows[i][2] ? row[1] : 0)),
  },
  {
    id: 'rank',
    name: '`RANK` over the column',
    formula: (i, n) => `=RANK(B${i},$B$1:$B$${n})`,
    wanted: (rows, i) => computeRank(rows, rows[i]),
  },
  {
    id: 'large',
    name: '`LARGE` by row',
    formula: (i, n) => `=LARGE($B$1:$B$${n},${i})`,
    wanted: (rows, i) => sortNumbers(rows, rows.length - 1).reverse()[i],
  },
  {
    id: 'percentile',
    name: '`PERCENTILE` by row',
    formula: (i, n) => `=PERCENTILE($B$1:$B$${n},${i}/${n})`,
    wanted: (rows, i) => computeQuantile(sortNumbers(rows, rows.length - 1), (i + 1) / rows.length),
  },
  {
    id: 'percentrank',
    name: '`PERCENTRANK` by row',
    formula: (i, n) => `=PERCENTRANK($B$1:$B$${n},B${i})`,
    // The result is truncated to three digits.
    wanted: (rows, i) =>
      Math.floor(((rows.length - countRowsNotBelow(rows, rows[i])) / (rows.length - 1)) * 1000) / 1000,
  },
  {
    id: 'median-growing',
    name: '`MEDIAN` over a growing range',
    formula: (i) => `=MEDIAN($B$1:B${i})`,
    wanted: (rows, i) => computeQuantile(sortNumbers(rows, i), 0.5),
  },
  {
    id: 'max-growing',
    name: '`MAX` over a growing range',
    formula: (i) => `=MAX($B$1:B${i})`,
    wanted: findMaximum,
  },
  {
    id: 'count-growing',
    name: '`COUNT` over a growing range',
    formula: (i) => `=COUNT($B$1:B${i})`,
    wanted: (_rows, i) => i + 1,
  },
  {
    id: 'average-growing',
    name: '`AVERAGE` over a growing range',
    formula: (i) => `=AVERAGE($B$1:B${i})`,
    wanted: (rows, i) => sumOverRows(rows, i, (row) => row[1]) / (i + 1),
  },
  {
    id: 'sumproduct-growing',
    name: '`SUMPRODUCT` over growing ranges',
    formula: (i) => `=SUMPRODUCT($B$1:B${i},$D$1:D${i})`,
    wanted: (rows, i) => sumOverRows(rows, i, (row) => row[1] * row[3]),
  },
  {
    id: 'subtotal-growing',
    name: '`SUBTOTAL` over a growing range',
    formula: (i) => `=SUBTOTAL(9,$B$1:B${i})`,
    wanted: (rows, i) => sumOverRows(rows, i, (row) => row[1]),
  },
  {
    id: 'xlookup-below',
    name: '`XLOOKUP(…;-1)`, unsorted',
    formula: (i, n) => `=XLOOKUP(D${i},$B$1:$B$${n},$B$1:$B$${n},"#N/A",-1)`,
    wanted: (rows, i) => findNearestNumberBelow(rows, rows[i][3]),
  },
  {
    id: 'match-descending',
    name: '`MATCH(…;-1)`, descending',
    data: (_random, i, size) => [`key ${i % KEYS}`, size - i, i % GROUPS, (i * 7_919) % size],
    formula: (i, n) => `=MATCH(D${i},$B$1:$B$${n},-1)`,
    wanted: (rows, i) => rows.length - Math.max(rows[i][3], 1) + 1,
  },
  {
    id: 'match-repeated',
    name: '`MATCH(…;1)`, 20 values',
    data: (_random, i, size) => [`key ${i % KEYS}`, Math.floor((i * KEYS) / size), i % GROUPS, i % KEYS],
    formula: (i, n) => `=MATCH(D${i},$B$1:$B$${n},1)`,
    wanted: (rows, i) => rows.findLastIndex((row) => row[1] <= rows[i][3]) + 1,
  },
  {
    id: 'stdev-growing',
    name: '`STDEV` over a growing range',
    formula: (i) => `=IFERROR(STDEV($B$1:B${i}),0)`,
    wanted: (rows, i) => computeDeviation(rows.slice(0, i + 1)),
  },
  {
    id: 'sum-shrinking',
    name: '`SUM` over a shrinking range',
    formula: (i, n) => `=SUM(B${i}:$B$${n})`,
    wanted: (rows, i) => sumOverRows(rows.slice(i), rows.length - i - 1, (row) => row[1]),
  },
  {
    id: 'countifs-two-columns',
    name: '`COUNTIFS` with `>` and `<=` in two columns',
    formula: (i, n) => `=COUNTIFS($B$1:$B$${n},">"&B${i},$D$1:$D$${n},"<="&D${i})`,
    wanted: (rows, i) =>
      sumOverRows(rows, rows.length - 1, (row) => Number(row[1] > rows[i][1] && row[3] <= rows[i][3])),
  },
  {
    id: 'sumifs-growing-two-columns',
    name: 'cumulative `SUMIFS` with `=`, `>` and `<=`',
    formula: (i) => `=SUMIFS($B$1:B${i},$A$1:A${i},A${i},$B$1:B${i},">"&B${i},$D$1:D${i},"<="&D${i})`,
    wanted: (rows, i) =>
      sumOverRows(rows, i, (row) =>
        row[0] === rows[i][0] && row[1] > rows[i][1] && row[3] <= rows[i][3] ? row[1] : 0,
      ),
  },
  {
    id: 'countifs-shrinking',
    name: '`COUNTIFS` with `=` and `>`, shrinking ranges',
    formula: (i, n) => `=COUNTIFS(A${i}:$A$${n},A${i},B${i}:$B$${n},">"&B${i})`,
    wanted: (rows, i) =>
      sumOverRows(rows.slice(i), rows.length - i - 1, (row) => Number(row[0] === rows[i][0] && row[1] > rows[i][1])),
  },
  {
    id: 'sumproduct-conditions',
    name: '`SUMPRODUCT((A=x)*(B>y)*D)`',
    formula: (i, n) => `=SUMPRODUCT(($A$1:$A$${n}=A${i})*($B$1:$B$${n}>B${i})*$D$1:$D$${n})`,
    wanted: (rows, i) =>
      sumOverRows(rows, rows.length - 1, (row) => (row[0] === rows[i][0] && row[1] > rows[i][1] ? row[3] : 0)),
  },
  {
    id: 'match-two-criteria',
    name: '`MATCH(1;(A=x)*(D=y);0)`',
    formula: (i, n) => `=MATCH(1,($A$1:$A$${n}=A${i})*($D$1:$D$${n}=D${i}),0)`,
    wanted: (rows, i) => 1 + rows.findIndex((row) => row[0] === rows[i][0] && row[3] === rows[i][3]),
  },
  {
    id: 'lookup-last',
    name: '`LOOKUP(2;1/(D=x);B)`',
    formula: (i, n) => `=LOOKUP(2,1/($D$1:$D$${n}=D${i}),$B$1:$B$${n})`,
    wanted: (rows, i) => rows.findLast((row) => row[3] === rows[i][3])[1],
  },
];

/** Counts the rows whose first number is not below that of `row`. */
function countRowsNotBelow(rows, row) {
  return rows.filter((other) => other[1] >= row[1]).length;
}

/** Creates the workload of a kind. Its `createPlainLoops` computes the results only. */
export function createWorkload(id) {
  const kind = KINDS.find((each) => each.id === id);
  const { name, formula, wanted: expected } = kind;
  return {
    createRows(rows) {
      const random = createRandom(SEED + name.length);
      const data = kind.data ?? (() => createDataRow(random, rows));
      return Array.from({ length: rows }, (_, i) => [...data(random, i, rows), formula(i + 1, rows)]);
    },
    getProbeCell: (rows) => ({ row: rows - 2, column: 4 }),
    listEdits: (rows) => ({ 'edit in the middle': { row: rows >> 1, column: 1 } }),
    getWrittenValue: (i) => ((i + SEED) * 7_919) % EXACT_DIGITS,
    createPlainLoops(rows) {
      const values = rows.map((row) => row.slice(0, 4));
      const probe = rows.length - 2;
      return {
        build: () => expected(values, probe),
        edits: {
          'edit in the middle'(value) {
            values[rows.length >> 1][1] = value;
            return kind.data ? undefined : expected(values, probe);
          },
        },
      };
    },
  };
}
