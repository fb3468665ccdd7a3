import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WorkCounter } from '../http/work-counter.ts';
import { Google, type Spreadsheet, startWorld, type World } from './support.ts';

const ROWS = 8_000;
const COLUMNS = 8;
/**
 * Reads and writes of cells that the serving thread may make between two points at which other work may have its turn:
 * far fewer than one of the requests needs for all cells.
 */
const MAX_STRETCH = 50_000;

const all = { sheetId: 0, startRowIndex: 0, endRowIndex: ROWS, startColumnIndex: 0, endColumnIndex: COLUMNS };
const column = (at: number) => ({ ...all, startColumnIndex: at, endColumnIndex: at + 1 });
const dimensions = { sheetId: 0, dimension: 'COLUMNS', startIndex: 0, endIndex: COLUMNS };
const destination = { ...all, sheetId: 9 };

/** Every request that examines cells one by one, over all cells. */
const REQUESTS: readonly Readonly<Record<string, object>>[] = [
  { findReplace: { find: 'nowhere', replacement: 'x', range: all } },
  { findReplace: { find: 'entry', replacement: 'item', range: all } },
  { findReplace: { find: 'item', replacement: 'entry', sheetId: 0, matchCase: true } },
  { findReplace: { find: 'nowhere', replacement: 'x', allSheets: true } },
  { trimWhitespace: { range: all } },
  { textToColumns: { source: column(7), delimiterType: 'AUTODETECT' } },
  { autoFill: { range: { ...all, endRowIndex: ROWS + 5_000, startColumnIndex: 1, endColumnIndex: 3 } } },
  { autoResizeDimensions: { dimensions } },
  { randomizeRange: { range: all } },
  { copyPaste: { source: all, destination, pasteType: 'PASTE_VALUES' } },
  { copyPaste: { source: all, destination, pasteType: 'PASTE_FORMAT' } },
  { copyPaste: { source: all, destination, pasteType: 'PASTE_NO_BORDERS' } },
  { copyPaste: { source: all, destination, pasteType: 'PASTE_FORMULA' } },
  { deleteDuplicates: { range: all } },
];

/** Texts with blanks around and inside, and numbers. */
const valueAt = (row: number, at: number): string | number => {
  if (at === 1 || at === 2) return row * at;
  return at === 7 ? `left ${row}, right` : ` entry  ${(row * 7_919 + at) % 5_000}`;
};

describe('requests of batchUpdate that examine many cells', () => {
  let world: World;
  let counter: WorkCounter;
  let google: Google;
  let book: Spreadsheet;

  before(async () => {
    counter = new WorkCounter();
    world = await startWorld({ oneNode: true });
    const { id: user } = await world.user();
    google = new Google(world.server.address, await world.token(user));
    book = google.sheet(await google.create());
    await book.replies({ addSheet: { properties: { title: 'Copy', sheetId: 9 } } });
    const values = Array.from({ length: ROWS }, (_, row) =>
      Array.from({ length: COLUMNS }, (_unused, at) => valueAt(row, at)),
    );
    assert.equal((await book.put('Sheet1!A1', values, 'RAW')).status, 200);
  });
  after(async () => {
    await world.close();
    counter.stop();
  });

  it('leave the serving thread free', async () => {
    const stretches: string[] = [];
    for (const request of REQUESTS) {
      const label = JSON.stringify(request);
      await rest(world, book.id);
      const { result, longest } = await counter.during(() =>
        book.request('POST', ':batchUpdate', { requests: [request] }),
      );
      assert.equal(result.status, 200, `${label}: ${JSON.stringify(result.body).slice(0, 200)}`);
      if (process.env['STRETCHES'] === '1') console.log(label, longest);
      if (longest > MAX_STRETCH) stretches.push(`${label}: ${longest}`);
    }
    assert.deepEqual(stretches, []);
  });

  it('change the cells of the state that they are committed on', async () => {
    const other = google.sheet(await google.create());
    const values = Array.from({ length: ROWS }, (_, row) => Array.from({ length: COLUMNS }, () => `old ${row % 7}`));
    assert.equal((await other.put('Sheet1!A1', values, 'RAW')).status, 200);
    const top = { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 1 };
    await Promise.all([
      other.replies({ findReplace: { find: 'old 3', replacement: 'new', sheetId: 0 } }),
      other.replies({ insertDimension: { range: top } }),
      other.replies({ insertDimension: { range: top } }),
    ]);
    const expected = values.map((line) => line.map((value) => (value === 'old 3' ? 'new' : value)));
    assert.deepEqual(await other.values('Sheet1!A1:H8002'), [[], [], ...expected]);
  });
});

/** Releases what the document holds for writers, so that the next write begins in the serving thread. */
async function rest(world: World, document: string): Promise<void> {
  const open = await world.server.service.context.documents.open(document);
  (open as unknown as { rest?: () => void } | null)?.rest?.();
}
