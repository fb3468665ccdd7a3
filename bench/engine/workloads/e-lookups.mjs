import { createRandom } from '../../lib/stats.mjs';

const EDITED_ROW = 7;

/** The lookup of each kind, and its formula in row `i` (from 1) of `n`. */
const KINDS = [
  { id: 'e1', name: '`VLOOKUP` exact', formula: (i, n) => `=VLOOKUP(C${i},$A$1:$B$${n},2,0)`, gives: 'value' },
  { id: 'e2', name: '`XLOOKUP` exact', formula: (i, n) => `=XLOOKUP(C${i},$A$1:$A$${n},$B$1:$B$${n})`, gives: 'value' },
  { id: 'e3', name: '`MATCH` exact', formula: (i, n) => `=MATCH(C${i},$A$1:$A$${n},0)`, gives: 'place' },
];

/**
 * Creates a table of distinct text keys and numbers; every row looks up a different key. One key of the table is
 * edited.
 */
function createExactLookupWorkload({ id, name, formula, gives }) {
  return {
    id,
    title: `20k ${name} over 20k rows`,
    size: 20_000,
    trait: 'lookups',
    measuresBuild: true,
    createRows(size) {
      const order = shuffle(size);
      return Array.from({ length: size }, (_, i) => [
        formatKey(i),
        i * 3 + 1,
        formatKey(order[i]),
        formula(i + 1, size),
      ]);
    },
    getProbeCell: (size) => ({ row: shuffle(size).indexOf(EDITED_ROW), column: 3 }),
    listEdits: () => ({ edit: { row: EDITED_ROW, column: 0 } }),
    // Alternates between another key and the original one. After every second edit, the tested lookup finds its key.
    getWrittenValue: (i) => (i % 2 === 0 ? `gone ${i}` : formatKey(EDITED_ROW)),
    createPlainLoops(rows) {
      const keys = rows.map((row) => row[0]);
      const numbers = Float64Array.from(rows, (row) => row[1]);
      const searchedKeys = rows.map((row) => row[2]);
      const results = new Float64Array(rows.length);
      const probe = searchedKeys.indexOf(formatKey(EDITED_ROW));
      const lookUpAll = () => {
        const places = new Map();
        for (let row = 0; row < keys.length; row++) if (!places.has(keys[row])) places.set(keys[row], row);
        for (let row = 0; row < searchedKeys.length; row++) {
          const tableRow = places.get(searchedKeys[row]);
          if (tableRow === undefined) results[row] = Number.NaN;
          else results[row] = gives === 'place' ? tableRow + 1 : numbers[tableRow];
        }
        return Number.isNaN(results[probe]) ? '#N/A' : results[probe];
      };
      return {
        build() {
          for (let row = 0; row < rows.length; row++) {
            keys[row] = rows[row][0];
            numbers[row] = rows[row][1];
            searchedKeys[row] = rows[row][2];
          }
          return lookUpAll();
        },
        edits: {
          edit(value) {
            keys[EDITED_ROW] = value;
            return lookUpAll();
          },
        },
      };
    },
    targets: [
      { measure: 'build', peer: 'limit', atMost: 15 },
      { measure: 'edit', peer: 'limit', atMost: 5 },
    ],
  };
}

/** Sorted numbers with gaps; every row looks up the last number that is not greater. By hand: binary search. */
const sorted = {
  id: 'e4',
  title: '20k `MATCH` sorted, approximate, over 20k rows',
  size: 20_000,
  trait: 'lookups',
  measuresBuild: true,
  createRows(size) {
    const random = createRandom(8);
    return Array.from({ length: size }, (_, i) => [
      i * 10,
      null,
      Math.floor(random() * size * 10),
      `=MATCH(C${i + 1},$A$1:$A$${size},1)`,
    ]);
  },
  getProbeCell: () => ({ row: EDITED_ROW, column: 3 }),
  listEdits: () => ({ edit: { row: EDITED_ROW, column: 0 } }),
  // Always differs from the current value, and always lies between the neighbouring values.
  getWrittenValue: (i) => EDITED_ROW * 10 + 1 + (i % 9),
  createPlainLoops(rows) {
    const sortedKeys = new Float64Array(rows.length);
    const searched = new Float64Array(rows.length);
    const results = new Float64Array(rows.length);
    const lookUpAll = () => {
      for (let row = 0; row < searched.length; row++) results[row] = findLastNotAbove(sortedKeys, searched[row]) + 1;
      return results[EDITED_ROW];
    };
    const build = () => {
      for (let row = 0; row < rows.length; row++) {
        sortedKeys[row] = rows[row][0];
        searched[row] = rows[row][2];
      }
      return lookUpAll();
    };
    build();
    return {
      build,
      edits: {
        edit(value) {
          sortedKeys[EDITED_ROW] = value;
          return lookUpAll();
        },
      },
    };
  },
  targets: [
    { measure: 'build', peer: 'limit', atMost: 15 },
    { measure: 'edit', peer: 'limit', atMost: 5 },
  ],
};

export const lookups = [...KINDS.map(createExactLookupWorkload), sorted];

/** Formats the key of a row of the table. */
function formatKey(i) {
  return `SKU-${String(i).padStart(6, '0')}`;
}

/** The numbers below `size` in a fixed pseudo-random order. */
function shuffle(size) {
  const random = createRandom(7);
  const order = Array.from({ length: size }, (_, i) => i);
  for (let i = size - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** Returns the index of the last of ascending numbers that is not greater than `limit`; -1 for none. */
function findLastNotAbove(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
