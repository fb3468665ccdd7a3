import { createRandom } from '../../lib/stats.mjs';
import { formatColumnName } from '../cell-text.mjs';

const ROWS = 1_000;
const COLUMNS = 26;
/** Number of pages that are read in turns if no page may be read twice. */
const PAGES = 60;

const KINDS = [
  { id: 'j1', name: 'numbers', cell: (random) => Math.floor(random() * 1_000_000) / 100 },
  { id: 'j2', name: 'numbers, texts and formulas', cell: createMixedCell },
];

/** Creates the content of a cell of a page with 26 columns: 16 of numbers, 6 of texts, 4 of formulas. */
function createMixedCell(random, row, column) {
  if (column % 13 < 8) return Math.floor(random() * 1_000_000) / 100;
  if (column % 13 < 11) return `customer ${Math.floor(random() * 100_000)}`;
  return `=${formatColumnName(column % 13 === 11 ? 0 : 13)}${row + 1}*2`;
}

/**
 * Pages of 1,000 rows and 26 columns as JSON bytes. The limits to compare with are `JSON.stringify` of objects that
 * exist already, and a copy of the bytes.
 */
function createPageWorkload({ id, name, cell }) {
  return {
    id,
    title: `a page of 1,000 × 26 ${name} as JSON`,
    size: ROWS * PAGES,
    engines: ['cellwire'],
    createRows(size) {
      const random = createRandom(13);
      return Array.from({ length: size }, (_, row) =>
        Array.from({ length: COLUMNS }, (_, column) => cell(random, row, column)),
      );
    },
    getProbeCell: () => ({ row: 0, column: 0 }),
    createPlainLoops(rows) {
      const objects = rows.slice(0, ROWS).map((row) => row.map(createCellObject));
      const bytes = Buffer.from(JSON.stringify(objects));
      return {
        steps: {
          cold: () => JSON.stringify(objects).length,
          warm: () => new Uint8Array(bytes).length,
          'after an edit in it': () => JSON.stringify(objects).length,
        },
      };
    },
    createSteps(engine, model) {
      return {
        cold: (i) => readColdPage(engine, model, i),
        warm: () => engine.readPage(model, 0, ROWS, COLUMNS),
        'after an edit in it'(i) {
          engine.edit(model, ROWS >> 1, 0, i);
          return engine.readPage(model, 0, ROWS, COLUMNS);
        },
      };
    },
    targets: [
      { measure: 'cold', peer: 'limit', atMost: 1 },
      { measure: 'warm', peer: 'limit', atMost: 5 },
    ],
  };
}

/** A different first row each time, so that the page is not cached. */
function readColdPage(engine, model, i) {
  return engine.readPage(model, (i * 251) % (ROWS * (PAGES - 1)), ROWS, COLUMNS);
}

/** Creates the JSON object that a page has for a value. */
function createCellObject(value) {
  if (typeof value === 'number') return { v: value, m: String(value) };
  return value.startsWith('=') ? { v: 1234.56, m: '1234.56', f: value } : { v: value, m: value };
}

export const pages = KINDS.map(createPageWorkload);
