import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MAX_LISTED_GROUPS, MAX_SEARCH_STEPS } from '../../src/limits/google.ts';
import { memberAt } from '../http/support.ts';
import { freeWriterState, WorkCounter } from '../http/work-counter.ts';
import {
  createGridRange,
  type GoogleClient,
  readErrorMessage,
  type Spreadsheet,
  startGoogle,
  type World,
} from './support.ts';

const ROWS = 8_000;
const COLUMNS = 8;
/**
 * Maximum reads and writes of cells between two points at which the serving thread can do other work. A request that
 * processes all cells without pauses needs far more.
 */
const MAX_SLICE_ACCESSES = 50_000;

/** Instructions of a pattern that may search a text of 30,000 characters. */
const SMALL_PATTERN_SIZE = 120;

const allCells = createGridRange(0, ROWS, 0, COLUMNS);
const createColumnRange = (at: number) => createGridRange(0, ROWS, at, at + 1);
const dimensions = { sheetId: 0, dimension: 'COLUMNS', startIndex: 0, endIndex: COLUMNS };
const destination = { ...allCells, sheetId: 9 };

/** Every request that examines cells one by one, over all cells. */
const REQUESTS: readonly Readonly<Record<string, object>>[] = [
  { findReplace: { find: 'nowhere', replacement: 'x', range: allCells } },
  { findReplace: { find: 'entry', replacement: 'item', range: allCells } },
  { findReplace: { find: 'item', replacement: 'entry', sheetId: 0, matchCase: true } },
  { findReplace: { find: 'nowhere', replacement: 'x', allSheets: true } },
  { findReplace: { find: '(entry|item) +(\\d)', replacement: '$1 $2', searchByRegex: true, range: allCells } },
  { trimWhitespace: { range: allCells } },
  { textToColumns: { source: createColumnRange(7), delimiterType: 'AUTODETECT' } },
  { autoFill: { range: createGridRange(0, ROWS + 5_000, 1, 3) } },
  { autoResizeDimensions: { dimensions } },
  { randomizeRange: { range: allCells } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_VALUES' } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_FORMAT' } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_NO_BORDERS' } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_FORMULA' } },
  { deleteDuplicates: { range: allCells } },
];

/** Texts with surrounding and inner spaces, and numbers. */
const createValue = (row: number, at: number): string | number => {
  if (at === 1 || at === 2) return row * at;
  return at === 7 ? `left ${row}, right` : ` entry  ${(row * 7_919 + at) % 5_000}`;
};

const FORMULAS = 1_500;

const createNumberUpdate = (row: number, at: number, numberValue: number) => ({
  updateCells: {
    start: { sheetId: 0, rowIndex: row, columnIndex: at },
    rows: [{ values: [{ userEnteredValue: { numberValue } }] }],
    fields: 'userEnteredValue',
  },
});
const createBanding = (cells: object) => ({
  bandedRangeId: 7,
  range: cells,
  rowProperties: { firstBandColor: { red: 1 } },
});

/** Requests that read what earlier ones calculated or stored. */
const DEPENDENT_REQUESTS: readonly object[] = [
  createNumberUpdate(0, 3, 5),
  { textToColumns: { source: createGridRange(0, 3, 1, 2), delimiterType: 'CUSTOM', delimiter: '.' } },
  { addBanding: { bandedRange: createBanding(createGridRange(0, 9, 0, 2)) } },
  { insertDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 1, endIndex: 3 } } },
  { updateBanding: { bandedRange: createBanding(createGridRange(0, 4, 0, 2)), fields: 'rowProperties' } },
  { addNamedRange: { namedRange: { namedRangeId: 'n', name: 'first', range: createGridRange(0, 1, 0, 1) } } },
  { sortRange: { range: createGridRange(0, 20, 0, 1), sortSpecs: [{ dimensionIndex: 0, sortOrder: 'DESCENDING' }] } },
  { updateNamedRange: { namedRange: { namedRangeId: 'n', name: 'second' }, fields: 'name' } },
  { mergeCells: { range: createGridRange(30, 32, 0, 2) } },
  { copyPaste: { source: createGridRange(30, 33, 0, 2), destination: createGridRange(40, 43, 0, 2) } },
  { addDimensionGroup: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 2, endIndex: 9 } } },
  { deleteDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 4, endIndex: 6 } } },
  { addDimensionGroup: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 3, endIndex: 5 } } },
  createNumberUpdate(0, 3, 6),
  {
    copyPaste: {
      source: createGridRange(8, 10, 1, 2),
      destination: createGridRange(8, 10, 5, 6),
      pasteType: 'PASTE_VALUES',
    },
  },
  { findReplace: { find: '6', replacement: '9', range: createGridRange(8, 10, 5, 6) } },
];

/**
 * The default would also limit the elapsed time of a batch, to three times its value, and a busy machine runs the tests
 * of many files at once.
 */
const CALCULATION_MS = 300_000;

describe('requests of batchUpdate that examine many cells', () => {
  let world: World;
  let counter: WorkCounter;
  let google: GoogleClient;
  let book: Spreadsheet;

  before(async () => {
    counter = new WorkCounter();
    ({ world, google } = await startGoogle({ oneNode: true, limits: { calculationMs: CALCULATION_MS } }));
    book = await google.createSpreadsheet();
    await book.readReplies({ addSheet: { properties: { title: 'Copy', sheetId: 9 } } });
    const values = Array.from({ length: ROWS }, (_, row) =>
      Array.from({ length: COLUMNS }, (_unused, at) => createValue(row, at)),
    );
    assert.equal((await book.put('Sheet1!A1', values, 'RAW')).status, 200);
  });
  after(async () => {
    await world.close();
    counter.stop();
  });

  it('do not block the serving thread', async () => {
    const longSlices: string[] = [];
    for (const request of REQUESTS) {
      const label = JSON.stringify(request);
      await freeWriterState(world, book.id);
      const { result, longest } = await counter.countDuring(() =>
        book.request('POST', ':batchUpdate', { requests: [request] }),
      );
      assert.equal(result.status, 200, `${label}: ${JSON.stringify(result.body).slice(0, 200)}`);
      if (process.env['STRETCHES'] === '1') console.log(label, longest);
      if (longest > MAX_SLICE_ACCESSES) longSlices.push(`${label}: ${longest}`);
    }
    assert.deepEqual(longSlices, []);
  });

  it('are refused if their searches take too long', async () => {
    const texts = await google.createSpreadsheet();
    const length = 30_000;
    const rows = Math.ceil(MAX_SEARCH_STEPS / (length * SMALL_PATTERN_SIZE));
    const longTexts = Array.from({ length: rows }, () => ['a'.repeat(length)]);
    assert.equal((await texts.put(`A1:A${rows}`, longTexts, 'RAW')).status, 200);
    const refused = await texts.batch({
      findReplace: { find: `b{${SMALL_PATTERN_SIZE}}`, replacement: '', searchByRegex: true, sheetId: 0 },
    });
    assert.equal(refused.status, 400);
    assert.match(readErrorMessage(refused), /findReplace: The search takes too long/);
  });

  it('have the results of the same requests in batches of their own', async () => {
    const createCalculated = async (): Promise<Spreadsheet> => {
      const created = await google.createSpreadsheet();
      await created.readReplies({ appendDimension: { sheetId: 0, dimension: 'ROWS', length: FORMULAS } });
      const rows = Array.from({ length: FORMULAS }, (_, row) => [(row * 7) % 31, `=A${row + 1}*${row + 2}.5+$D$1`]);
      assert.equal((await created.put(`A1:B${FORMULAS}`, rows)).status, 200);
      return created;
    };
    const [batch, single] = await Promise.all([createCalculated(), createCalculated()]);
    const replies = await batch.readReplies(...DEPENDENT_REQUESTS);
    const expected: unknown[] = [];
    for (const request of DEPENDENT_REQUESTS)
      expected.push(...((await single.readReplies(request)) as unknown as readonly unknown[]));
    assert.deepEqual(replies, expected);
    const fields =
      'namedRanges,sheets(merges,bandedRanges,rowGroups,data.rowData.values(userEnteredValue,effectiveValue))';
    const stored = await batch.read(fields);
    assert.equal(memberAt(stored, 'namedRanges', 0)['name'], 'second');
    assert.deepEqual(stored, await single.read(fields));
  });

  it('apply to the state on which they are committed', async () => {
    const other = await google.createSpreadsheet();
    const values = Array.from({ length: ROWS }, (_, row) => Array.from({ length: COLUMNS }, () => `old ${row % 7}`));
    assert.equal((await other.put('Sheet1!A1', values, 'RAW')).status, 200);
    const top = { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 1 };
    await Promise.all([
      other.readReplies({ findReplace: { find: 'old 3', replacement: 'new', sheetId: 0 } }),
      other.readReplies({ insertDimension: { range: top } }),
      other.readReplies({ insertDimension: { range: top } }),
    ]);
    const expected = values.map((line) => line.map((value) => (value === 'old 3' ? 'new' : value)));
    assert.deepEqual(await other.readValues('Sheet1!A1:H8002'), [[], [], ...expected]);
  });

  it('are refused if their replies would list too many groups', async () => {
    const book = await google.createSpreadsheet();
    const addGroup = (row: number) => ({
      addDimensionGroup: { range: { dimension: 'ROWS', startIndex: row * 2, endIndex: row * 2 + 1 } },
    });
    // The reply to the nth request lists n groups.
    const count = Math.ceil(Math.sqrt(MAX_LISTED_GROUPS * 2));
    const grow = { appendDimension: { sheetId: 0, dimension: 'ROWS', length: count * 2 } };
    const answer = await book.batch(grow, ...Array.from({ length: count + 1 }, (_, row) => addGroup(row)));
    assert.equal(answer.status, 400);
    assert.match(
      readErrorMessage(answer),
      /^Invalid requests\[\d+\]\.addDimensionGroup: The replies of a batch can list 1000000 groups at most\.$/,
    );
    assert.equal((await book.batch(addGroup(0))).status, 200);
  });
});
