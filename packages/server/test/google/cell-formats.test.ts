import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt } from '../http/support.ts';
import { createGridRange, type GoogleClient, type Spreadsheet, startGoogle, type World } from './support.ts';

const ROWS = 6_000;
/**
 * Maximum processor time of the batch, in milliseconds: far more than it needs, and far less than if each cell's format
 * examined the formats of all others.
 */
const MAX_WORK_MS = 10_000;

const createColor = (row: number) => ({ red: (row % 6) / 5, green: (row % 5) / 5, blue: 0.2 });
const createUri = (row: number) => `https://example.com/${row}`;
const FIELDS = 'note,userEnteredFormat.textFormat';

const writeColumn = (cells: readonly (readonly object[])[]) => ({
  updateCells: {
    start: { sheetId: 0, rowIndex: 0, columnIndex: 0 },
    rows: cells.map((values) => ({ values })),
    fields: FIELDS,
  },
});

const repeat = (area: readonly [number, number, number, number], textFormat: object) => ({
  repeatCell: {
    range: createGridRange(...area),
    cell: { userEnteredFormat: { textFormat } },
    fields: Object.keys(textFormat)
      .map((name) => `userEnteredFormat.textFormat.${name}`)
      .join(','),
  },
});

async function readRows(book: Spreadsheet, range: string): Promise<unknown> {
  const fields = 'sheets.data.rowData.values(note,hyperlink,userEnteredFormat.textFormat)';
  return memberAt(await book.read(fields, `&ranges=Sheet1!${range}`), 'sheets', 0, 'data', 0)['rowData'];
}

describe('formats, links and notes of cells', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle({ oneNode: true }));
  });
  after(() => world.close());

  it('can differ in each of thousands of cells of a batch', async () => {
    const start = process.cpuUsage();
    const book = await google.createSpreadsheet();
    await book.readReplies({ appendDimension: { sheetId: 0, dimension: 'ROWS', length: ROWS } });
    const cells = Array.from({ length: ROWS }, (_, row) => [
      {
        note: `Note ${row}`,
        userEnteredFormat: { textFormat: { foregroundColor: createColor(row), link: { uri: createUri(row) } } },
      },
    ]);
    await book.readReplies(writeColumn(cells));
    const last = ROWS - 1;
    const [cell] = (await readRows(book, `A${ROWS}:A${ROWS}`)) as readonly unknown[];
    const color = createColor(last);
    const colors = { foregroundColor: color, foregroundColorStyle: { rgbColor: color } };
    const textFormat = { ...colors, underline: true, link: { uri: createUri(last) } };
    assert.deepEqual(cell, {
      values: [{ note: `Note ${last}`, hyperlink: createUri(last), userEnteredFormat: { textFormat } }],
    });
    const { user, system } = process.cpuUsage(start);
    const workMs = (user + system) / 1_000;
    assert.ok(workMs < MAX_WORK_MS, `${workMs} ms of processor time`);
  });

  it('keep what other requests of the batch set in areas that overlap', async () => {
    const requests = [
      repeat([0, 3, 0, 3], { bold: true }),
      repeat([1, 2, 1, 5], { italic: true }),
      repeat([0, 300, 2, 3], { fontSize: 14 }),
      repeat([1, 2, 0, 3], { bold: false, strikethrough: true }),
      repeat([0, 900, 0, 2], { underline: true }),
      repeat([2, 3, 0, 4], { foregroundColor: { red: 1 } }),
      repeat([299, 300, 0, 4], { italic: true }),
    ];
    const [together, separate] = [await google.createSpreadsheet(), await google.createSpreadsheet()];
    await together.readReplies(...requests);
    for (const request of requests) await separate.readReplies(request);
    for (const range of ['A1:F5', 'A298:F302']) {
      assert.deepEqual(await readRows(together, range), await readRows(separate, range));
    }
  });

  it('are replaced only in the cells of rows of different lengths', async () => {
    const book = await google.createSpreadsheet();
    const create = (text: string) => ({ note: text, userEnteredFormat: { textFormat: { link: { uri: text } } } });
    const old = create('https://example.com/old');
    await book.readReplies(writeColumn(Array.from({ length: 5 }, () => [old, old, old])));
    const next = create('https://example.com/new');
    await book.readReplies(writeColumn([[next], [{}, next], [], [next, {}], [{}, {}]]));
    const rows = (await readRows(book, 'A1:C5')) as readonly { readonly values: readonly object[] }[];
    const readNames = (name: 'note' | 'hyperlink') =>
      rows.map(({ values }) =>
        [0, 1, 2].map((i) => {
          const cell: { note?: string; hyperlink?: string } = values[i] ?? {};
          return cell[name]?.replace('https://example.com/', '') ?? null;
        }),
      );
    const expected = [
      ['new', 'old', 'old'],
      [null, 'new', 'old'],
      ['old', 'old', 'old'],
      ['new', null, 'old'],
      [null, null, 'old'],
    ];
    assert.deepEqual(readNames('note'), expected);
    assert.deepEqual(readNames('hyperlink'), expected);
  });
});
