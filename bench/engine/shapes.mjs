import {
  applyDelta,
  encodeCheckpoint,
  encodeDelta,
  exportData,
  pageBytes,
  restoreCheckpoint,
  Workbook,
} from '../../packages/engine/src/index.ts';

/*
 * Shapes of documents that an ordinary user can create and that were once too expensive. Each is a document of size n
 * and an action on it. The benchmark checks how the time grows from n to 2n.
 */

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' };
const CONTEXT = {
  now: Date.UTC(2026, 0, 15, 12),
  seed: 1,
  budget: { cells: 1e12, milliseconds: 600_000, clock: () => performance.now() },
};

/** A document with the operations that the shapes below use. */
export class Document {
  workbook = Workbook.create(SETTINGS, 'Sheet1');
  lastBatch = null;

  /** Applies edits as one batch; throws if they are refused. */
  apply(edits) {
    const outcome = this.workbook.apply(edits, CONTEXT);
    if (outcome.kind !== 'applied') throw new Error(`refused: ${outcome.reason}`);
    this.lastBatch = outcome;
    return this;
  }

  /** Writes one or several columns, starting at a cell. */
  set(row, column, values, { sheet = 1, mode = 'user' } = {}) {
    const rows = values.map((value) => (Array.isArray(value) ? value : [value]));
    return this.apply([{ kind: 'setValues', sheet, row, column, values: rows, mode }]);
  }

  /** Imports cells, names and sheets as from a file. */
  static import({ names = [], sheets }) {
    const document = new Document();
    const data = sheets.map(({ name, cells }) => ({
      name,
      hidden: false,
      color: null,
      hiddenRows: [],
      columnFormats: new Map(),
      cells,
    }));
    const workbook = Workbook.import({ settings: SETTINGS, names, tables: [], sheets: data }, CONTEXT);
    if (!(workbook instanceof Workbook)) throw new Error(`refused: ${workbook.reason}`);
    document.workbook = workbook;
    return document;
  }

  /** Reopens the document, as another process does. */
  reopen() {
    const { meta, chunks } = encodeCheckpoint(this.workbook.head, -1);
    this.workbook = Workbook.open(restoreCheckpoint(meta, chunks));
    return this;
  }
}

/** Returns `value(i)` for each `i` below `n`. */
const createList = (n, value) => Array.from({ length: n }, (_, i) => value(i));
/** Returns a distinct text of many characters. */
const createLongText = (i) => 'x'.repeat(20_000) + String(i).padStart(8, '0');
/** Formulas with different templates. */
const createDistinctFormula = (i) => `=$A$${(i % 900) + 1}+${i}`;
/** Returns edits that add `n` sheets. */
const createSheetEdits = (n) => createList(n, (i) => ({ kind: 'addSheet', name: `Sheet ${i}` }));

/** Loops to compare. Only `run` is timed, not `make`. `n` is large enough for a run of some milliseconds. */
export const SHAPES = [
  {
    id: 'long texts written',
    n: 500,
    make: () => new Document(),
    run: (d, n) => d.set(0, 0, createList(n, createLongText), { mode: 'raw' }),
  },
  {
    id: 'long texts counted once each',
    n: 500,
    make: (n) => new Document().set(0, 0, createList(n, createLongText), { mode: 'raw' }),
    run: (d, n) => d.set(0, 1, [`=ROWS(UNIQUE(A1:A${n}))`, `=COUNTUNIQUE(A1:A${n})`]),
  },
  {
    id: 'long texts looked up',
    n: 300,
    make: (n) => new Document().set(0, 0, createList(n, createLongText), { mode: 'raw' }),
    run: (d, n) =>
      d.set(
        0,
        1,
        createList(n, (i) => `=MATCH(A${i + 1};A$1:A$${n};0)`),
      ),
  },
  {
    id: 'an indexed value replaced by another',
    n: 20_000,
    make: (n) =>
      new Document()
        .set(
          0,
          0,
          createList(n, () => 'a'),
        )
        .set(0, 2, ['=COUNTIF(A:A;"a")', '=COUNTIF(A:A;"b")', '=COUNTIF(A:A;"c")', '=COUNTIF(A:A;"d")']),
    run: (d, n) =>
      d.set(
        0,
        0,
        createList(n, () => 'b'),
      ),
  },
  {
    id: 'MATCH next to INDIRECT',
    n: 2_000,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(n, (i) => i),
      ),
    run: (d, n) =>
      d.set(
        0,
        1,
        createList(n, (i) => `=MATCH(${i};A$1:A$${n};0)+INDIRECT("A${i + 1}")`),
      ),
  },
  {
    id: 'distinct formulas with INDIRECT',
    n: 2_000,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(n, (i) => i),
      ),
    run: (d, n) =>
      d.set(
        0,
        1,
        createList(n, (i) => `=INDIRECT("A${i + 1}")+${i}*B$${n + 5}`),
      ),
  },
  {
    id: 'INDIRECT down a column that reads the whole of another such',
    n: 500,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(n, (i) => `=INDIRECT("D${i + 1}")`),
      ),
    run: (d, n) =>
      d.set(
        0,
        1,
        createList(n, (i) => `=SUM(INDIRECT("A1:A${n}"))+${i}`),
      ),
    /** Every formula reads all cells. */
    power: 2,
  },
  {
    id: 'columns looked up in turn',
    n: 60,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(400, (r) => createList(n, (c) => r * c)),
      ),
    run: (d, n) =>
      d.set(
        500,
        0,
        createList(10, (r) =>
          createList(n, (c) => `=MATCH(${r * c};${formatColumnName(c)}$1:${formatColumnName(c)}$400;0)`),
        ),
      ),
  },
  {
    id: 'one edit among distinct formulas',
    n: 20_000,
    make: (n) =>
      new Document()
        .set(
          0,
          0,
          createList(900, (i) => i),
        )
        .set(0, 1, createList(n, createDistinctFormula)),
    run: (d, n) => d.set(n >> 1, 1, ['=A1*7']),
    power: 0,
  },
  {
    id: 'a delta of one edit among distinct formulas',
    n: 20_000,
    make: (n) =>
      new Document()
        .set(
          0,
          0,
          createList(900, (i) => i),
        )
        .set(0, 1, createList(n, createDistinctFormula))
        .set(n >> 1, 1, ['=A1*7']),
    run: (d) => encodeDelta(d.lastBatch.change),
  },
  {
    id: 'a delta of one edit, followed',
    n: 20_000,
    make: (n) => {
      const d = new Document()
        .set(
          0,
          0,
          createList(900, (i) => i),
        )
        .set(0, 1, createList(n, createDistinctFormula));
      d.before = d.workbook.head;
      d.set(n >> 1, 1, ['=A1*7']);
      d.delta = encodeDelta(d.lastBatch.change);
      return d;
    },
    run: (d) => applyDelta(d.before, d.delta),
  },
  {
    id: 'distinct formulas entered',
    n: 5_000,
    make: () =>
      new Document().set(
        0,
        0,
        createList(900, (i) => i),
      ),
    run: (d, n) => d.set(0, 1, createList(n, createDistinctFormula)),
  },
  {
    id: 'distinct formulas entered one by one',
    n: 1_000,
    make: () =>
      new Document().set(
        0,
        0,
        createList(900, (i) => i),
      ),
    run: (d, n) => {
      for (let i = 0; i < n; i++) d.set(i, 1, [createDistinctFormula(i)]);
    },
  },
  {
    id: 'every second of one filled-down column taken out',
    n: 5_000,
    make: (n) =>
      new Document().set(
        0,
        1,
        createList(n, (i) => `=A${i + 1}*2`),
      ),
    run: (d, n) =>
      d.apply(
        createList(n >> 1, (i) => ({
          kind: 'clear',
          sheet: 1,
          area: { top: 2 * i, left: 1, bottom: 2 * i, right: 1 },
        })),
      ),
  },
  {
    id: 'sheets added',
    n: 300,
    make: () => new Document(),
    run: (d, n) => d.apply(createSheetEdits(n)),
  },
  {
    id: 'formulas that each name another sheet',
    n: 300,
    make: (n) => new Document().apply(createSheetEdits(n)),
    run: (d, n) =>
      d.set(
        0,
        0,
        createList(n, (i) => `='Sheet ${i}'!A1+1`),
      ),
  },
  {
    id: 'formulas that name sheets which come later',
    n: 150,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(n, (i) => `='Sheet ${i}'!A1+1`),
      ),
    run: (d, n) => d.apply(createSheetEdits(n)),
  },
  {
    id: 'a cell of each sheet written',
    n: 300,
    make: (n) => new Document().apply(createSheetEdits(n)),
    run: (d, n) =>
      d.apply(
        createList(n, (i) => ({ kind: 'setValues', sheet: i + 2, row: 0, column: 0, values: [[1]], mode: 'raw' })),
      ),
  },
  {
    id: 'INDIRECT to a sheet of each name',
    n: 300,
    make: (n) => new Document().apply(createSheetEdits(n)),
    run: (d, n) =>
      d.set(
        0,
        0,
        createList(n, (i) => `=INDIRECT("'Sheet ${i}'!A1")`),
      ),
  },
  {
    id: 'sheets renamed',
    n: 150,
    make: (n) =>
      new Document().apply(createSheetEdits(n)).set(
        0,
        0,
        createList(n, (i) => `='Sheet ${i}'!A1+1`),
      ),
    run: (d, n) => d.apply(createList(n, (i) => ({ kind: 'renameSheet', sheet: i + 2, name: `Renamed ${i}` }))),
  },
  {
    id: 'names, each used once',
    n: 1_000,
    make: () => null,
    run: (_, n) =>
      Document.import({
        names: createList(n, (i) => ({ name: `name_${i}`, formula: `Sheet1!$A$${i + 1}` })),
        sheets: [
          {
            name: 'Sheet1',
            cells: createList(n, (i) => ({ row: i, column: 1, value: null, formula: `name_${i}+1` })),
          },
        ],
      }),
  },
  {
    id: 'names that lead to names',
    n: 200,
    make: () => null,
    run: (_, n) =>
      Document.import({
        names: createList(n, (i) => ({ name: `name_${i}`, formula: i === 0 ? 'Sheet1!$A$1' : `name_${i - 1}+1` })),
        sheets: [
          {
            name: 'Sheet1',
            cells: createList(20, (i) => ({ row: i, column: 1, value: null, formula: `name_${n - 1}+${i}` })),
          },
        ],
      }),
  },
  {
    id: 'adjacent spills',
    n: 2_000,
    make: () => new Document(),
    run: (d, n) =>
      d.set(
        0,
        0,
        createList(n, (i) => `=SEQUENCE(1;2)+${i}`),
      ),
  },
  {
    id: 'spills, each written into',
    n: 1_000,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(n, (i) => `=SEQUENCE(1;2)+${i}`),
      ),
    run: (d, n) =>
      d.set(
        0,
        1,
        createList(n, () => 'x'),
      ),
  },
  {
    id: 'blocked spills next to edits',
    n: 1_000,
    make: (n) =>
      new Document()
        .set(
          0,
          1,
          createList(n, () => 'x'),
        )
        .set(
          0,
          0,
          createList(n, (i) => `=SEQUENCE(1;2)+${i}`),
        ),
    run: (d, n) =>
      d
        .set(
          0,
          5,
          createList(n, (i) => `=E${i + 1}+${i}`),
        )
        .set(
          0,
          4,
          createList(n, (i) => i),
        ),
  },
  {
    id: 'blocked spills given free',
    n: 1_000,
    make: (n) =>
      new Document()
        .set(
          0,
          1,
          createList(n, () => 'x'),
        )
        .set(
          0,
          0,
          createList(n, (i) => `=SEQUENCE(1;2)+${i}`),
        ),
    run: (d, n) =>
      d.set(
        0,
        1,
        createList(n, () => ''),
      ),
  },
  {
    id: 'one spill among many entered again',
    n: 2_000,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(n, (i) => `=SEQUENCE(1;2)+${i}+$E$1*(ROW()=1)`),
      ),
    run: (d) => {
      d.set(0, 0, ['=SEQUENCE(1;2)']);
      encodeDelta(d.lastBatch.change);
    },
    power: 0,
  },
  {
    id: 'a chain',
    n: 10_000,
    make: (n) => new Document().set(0, 0, [1, ...createList(n, (i) => `=A${i + 1}+${i}`)]),
    run: (d) => d.set(0, 0, [2]),
  },
  {
    id: 'a circle',
    n: 3_000,
    make: (n) =>
      new Document().set(
        1,
        0,
        createList(n, (i) => `=A${i + 1}+${i}`),
      ),
    run: (d, n) => d.set(0, 0, [`=A${n + 1}`]),
  },
  {
    id: 'formulas that read one another’s column',
    n: 1_000,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(n, (i) => i),
      ),
    run: (d, n) =>
      d.set(
        0,
        1,
        createList(n, (i) => `=IFERROR(INDEX(A:A;${i + 1});0)+COUNT(A$1:A${i + 1})`),
      ),
    power: 2,
  },
  {
    id: 'a wide area formatted',
    n: 20_000,
    make: () => new Document(),
    run: (d, n) =>
      d.apply([{ kind: 'setFormat', sheet: 1, area: { top: 0, left: 0, bottom: n - 1, right: 1 }, format: '0.00' }]),
  },
  {
    id: 'a checkerboard and what tells of it',
    n: 10_000,
    make: () => new Document(),
    run: (d, n) => {
      d.set(
        0,
        0,
        createList(n, (i) => (i % 2 ? [1, null, 1] : [null, 1, null])),
      );
      return d.lastBatch.change.written.length;
    },
  },
  {
    id: 'clearing blocks',
    n: 2_000,
    make: (n) =>
      new Document().set(
        0,
        0,
        createList(2 * n, (i) => i),
      ),
    run: (d, n) =>
      d.apply(
        createList(n, (i) => ({ kind: 'clear', sheet: 1, area: { top: 2 * i, left: 0, bottom: 2 * i, right: 0 } })),
      ),
  },
  {
    id: 'blocks appended',
    n: 2_000,
    make: () => new Document(),
    run: (d, n) =>
      d.apply(createList(n, (i) => ({ kind: 'append', sheet: 1, column: 0, values: [[`=A1+${i}`]], mode: 'user' }))),
  },
  {
    id: 'opened, then one edit',
    n: 5_000,
    make: (n) =>
      new Document()
        .set(
          0,
          0,
          createList(900, (i) => i),
        )
        .set(0, 1, createList(n, createDistinctFormula)),
    run: (d) => d.reopen().set(0, 0, [5]),
  },
  {
    id: 'a page of distinct formulas',
    n: 500,
    make: (n) =>
      new Document()
        .set(
          0,
          0,
          createList(900, (i) => i),
        )
        .set(0, 1, createList(n, createDistinctFormula)),
    run: (d, n) => pageBytes(d.workbook.head, 1, { top: 0, left: 0, bottom: n - 1, right: 1 }, 'rows'),
  },
  {
    id: 'exported',
    n: 5_000,
    make: (n) =>
      new Document()
        .set(
          0,
          0,
          createList(900, (i) => i),
        )
        .set(0, 1, createList(n, createDistinctFormula)),
    run: (d) => {
      for (const sheet of exportData(d.workbook.head).sheets) for (const _ of sheet.cells);
    },
  },
  {
    id: 'a union of many areas',
    n: 500,
    make: () => new Document(),
    run: (d, n) => d.set(0, 0, [`=SUM((B1${'~B1'.repeat(n)}))`]),
    power: 2,
  },
];

/** Returns the letters of a zero-based column. */
function formatColumnName(index) {
  let name = '';
  for (let remaining = index + 1; remaining > 0; remaining = Math.floor((remaining - 1) / 26)) {
    name = String.fromCharCode(65 + ((remaining - 1) % 26)) + name;
  }
  return name;
}
