import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WorkCounter } from '../http/work-counter.ts';
import { GoogleClient, type Spreadsheet, startWorld, type World } from './support.ts';

const ROWS = 8_000;
const COLUMNS = 8;
/**
 * Most reads and writes of cells between two points at which the serving thread can do other work. A request over all
 * cells needs far more.
 */
const MAX_SLICE_ACCESSES = 50_000;

const allCells = { sheetId: 0, startRowIndex: 0, endRowIndex: ROWS, startColumnIndex: 0, endColumnIndex: COLUMNS };
const column = (at: number) => ({ ...allCells, startColumnIndex: at, endColumnIndex: at + 1 });
const dimensions = { sheetId: 0, dimension: 'COLUMNS', startIndex: 0, endIndex: COLUMNS };
const destination = { ...allCells, sheetId: 9 };

/** Every request that examines cells one by one, over all cells. */
const REQUESTS: readonly Readonly<Record<string, object>>[] = [
  { findReplace: { find: 'nowhere', replacement: 'x', range: allCells } },
  { findReplace: { find: 'entry', replacement: 'item', range: allCells } },
  { findReplace: { find: 'item', replacement: 'entry', sheetId: 0, matchCase: true } },
  { findReplace: { find: 'nowhere', replacement: 'x', allSheets: true } },
  { trimWhitespace: { range: allCells } },
  { textToColumns: { source: column(7), delimiterType: 'AUTODETECT' } },
  { autoFill: { range: { ...allCells, endRowIndex: ROWS + 5_000, startColumnIndex: 1, endColumnIndex: 3 } } },
  { autoResizeDimensions: { dimensions } },
  { randomizeRange: { range: allCells } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_VALUES' } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_FORMAT' } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_NO_BORDERS' } },
  { copyPaste: { source: allCells, destination, pasteType: 'PASTE_FORMULA' } },
  { deleteDuplicates: { range: allCells } },
];

/** Texts with surrounding and inner spaces, and numbers. */
const valueAt = (row: number, at: number): string | number => {
  if (at === 1 || at === 2) return row * at;
  return at === 7 ? `left ${row}, right` : ` entry  ${(row * 7_919 + at) % 5_000}`;
};

describe('requests of batchUpdate that examine many cells', () => {
  let world: World;
  let counter: WorkCounter;
  let google: GoogleClient;
  let book: Spreadsheet;

  before(async () => {
    counter = new WorkCounter();
    world = await startWorld({ oneNode: true });
    const { id: user } = await world.createUser();
    google = new GoogleClient(world.server.address, await world.createToken(user));
    book = google.getSpreadsheet(await google.create());
    await book.readReplies({ addSheet: { properties: { title: 'Copy', sheetId: 9 } } });
    const values = Array.from({ length: ROWS }, (_, row) =>
      Array.from({ length: COLUMNS }, (_unused, at) => valueAt(row, at)),
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
      await releaseWriterState(world, book.id);
      const { result, longest } = await counter.countDuring(() =>
        book.request('POST', ':batchUpdate', { requests: [request] }),
      );
      assert.equal(result.status, 200, `${label}: ${JSON.stringify(result.body).slice(0, 200)}`);
      if (process.env['STRETCHES'] === '1') console.log(label, longest);
      if (longest > MAX_SLICE_ACCESSES) longSlices.push(`${label}: ${longest}`);
    }
    assert.deepEqual(longSlices, []);
  });

  it('apply to the state on which they are committed', async () => {
    const other = google.getSpreadsheet(await google.create());
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
});

/** Releases the document's writer state, so that the next write starts in the serving thread. */
async function releaseWriterState(world: World, document: string): Promise<void> {
  const open = await world.server.service.context.documents.open(document);
  (open as unknown as { releaseWriterState?: () => void } | null)?.releaseWriterState?.();
}
