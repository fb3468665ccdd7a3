import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt } from '../http/support.ts';
import {
  createGridRange,
  createRowRange,
  type GoogleClient,
  readErrorMessage,
  type Spreadsheet,
  startGoogle,
  type World,
} from './support.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const LINK_COLOR = { red: 0.06666667, green: 0.33333334, blue: 0.8 };

const createCell = (stringValue: string, uri?: string) => ({
  userEnteredValue: { stringValue },
  ...(uri === undefined ? {} : { userEnteredFormat: { textFormat: { link: { uri } } } }),
});
const writeCells = (...cells: readonly object[]) => ({
  updateCells: {
    start: { sheetId: 0, rowIndex: 0, columnIndex: 0 },
    rows: cells.map((cell) => ({ values: [cell] })),
    fields: 'userEnteredValue,userEnteredFormat.textFormat.link',
  },
});

/** Links of the cells of a column, from above to the last link; null for none. */
async function readLinks(book: Spreadsheet, column = 'A'): Promise<readonly unknown[]> {
  const fields = 'sheets.data.rowData.values(hyperlink,userEnteredFormat.textFormat.link)';
  const answer = await book.read(fields, `&ranges=Sheet1!${column}1:${column}20`);
  const rows = memberAt(answer, 'sheets', 0, 'data', 0)['rowData'] as readonly object[] | undefined;
  const links = (rows ?? []).map((row) => {
    const [cell] = ('values' in row ? row.values : []) as readonly (object | undefined)[];
    if (cell === undefined || !('hyperlink' in cell)) return null;
    const format = memberAt(cell as never, 'userEnteredFormat', 'textFormat', 'link');
    assert.deepEqual(format, { uri: cell.hyperlink });
    return cell.hyperlink;
  });
  return links.slice(0, links.findLastIndex((link) => link !== null) + 1);
}

describe('links of cells', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle({ oneNode: true }));
  });
  after(() => world.close());

  const createLinks = async (): Promise<Spreadsheet> => {
    const book = await google.createSpreadsheet();
    await book.readReplies(
      writeCells(createCell('c', 'https://example.com/c'), createCell('b'), createCell('a', 'mailto:a@example.com')),
    );
    return book;
  };

  it('are underlined and have the colour of links, unless the request sets another style', async () => {
    const book = await createLinks();
    const styled = { bold: true, underline: false, foregroundColor: { red: 1 }, link: { uri: 'https://example.com' } };
    await book.readReplies({
      repeatCell: {
        range: createGridRange(1, 2, 0, 1),
        cell: { userEnteredFormat: { textFormat: styled } },
        fields: 'userEnteredFormat.textFormat',
      },
    });
    const fields = 'sheets.data.rowData.values.userEnteredFormat.textFormat(bold,underline,foregroundColor)';
    const rows = memberAt(await book.read(fields, '&ranges=Sheet1!A1:A2'), 'sheets', 0, 'data', 0, 'rowData');
    const cellOf = (textFormat: object) => ({ values: [{ userEnteredFormat: { textFormat } }] });
    assert.deepEqual(rows, [
      cellOf({ foregroundColor: LINK_COLOR, underline: true }),
      cellOf({ bold: true, foregroundColor: { red: 1 } }),
    ]);
    assert.deepEqual(await readLinks(book), ['https://example.com/c', 'https://example.com', 'mailto:a@example.com']);
  });

  it('are kept by other formats, and removed with the format', async () => {
    const book = await createLinks();
    const repeat = (cell: object, fields: string) => ({
      repeatCell: { range: createGridRange(0, 1, 0, 1), cell, fields },
    });
    await book.readReplies(
      repeat({ userEnteredFormat: { textFormat: { bold: true } } }, 'userEnteredFormat.textFormat.bold'),
    );
    assert.deepEqual(await readLinks(book), ['https://example.com/c', null, 'mailto:a@example.com']);
    await book.readReplies(repeat({}, 'userEnteredFormat'));
    assert.deepEqual(await readLinks(book), [null, null, 'mailto:a@example.com']);
    await book.readReplies({ updateCells: { range: createGridRange(0, 3, 0, 1), fields: 'userEnteredFormat' } });
    assert.deepEqual(await readLinks(book), []);
  });

  const LINKS_AFTER: readonly (readonly [what: string, request: object, links: readonly unknown[]])[] = [
    [
      'sorted rows',
      { sortRange: { range: createGridRange(0, 3, 0, 1), sortSpecs: [{ dimensionIndex: 0 }] } },
      ['mailto:a@example.com', null, 'https://example.com/c'],
    ],
    [
      'inserted rows',
      { insertDimension: { range: createRowRange(1, 2) } },
      ['https://example.com/c', null, null, 'mailto:a@example.com'],
    ],
    [
      'cut cells',
      {
        cutPaste: {
          source: createGridRange(0, 1, 0, 1),
          destination: { sheetId: 0, rowIndex: 1, columnIndex: 0 },
        },
      },
      [null, 'https://example.com/c', 'mailto:a@example.com'],
    ],
    [
      'copied cells',
      { copyPaste: { source: createGridRange(0, 2, 0, 1), destination: createGridRange(2, 6, 0, 1) } },
      ['https://example.com/c', null, 'https://example.com/c', null, 'https://example.com/c'],
    ],
    [
      'copied formats',
      {
        copyPaste: {
          source: createGridRange(2, 3, 0, 1),
          destination: createGridRange(1, 2, 0, 1),
          pasteType: 'PASTE_FORMAT',
        },
      },
      ['https://example.com/c', 'mailto:a@example.com', 'mailto:a@example.com'],
    ],
    [
      'copied values',
      {
        copyPaste: {
          source: createGridRange(2, 3, 0, 1),
          destination: createGridRange(1, 2, 0, 1),
          pasteType: 'PASTE_VALUES',
        },
      },
      ['https://example.com/c', null, 'mailto:a@example.com'],
    ],
  ];

  for (const [what, request, links] of LINKS_AFTER) {
    it(`follow ${what}, and return with undo`, async () => {
      const book = await createLinks();
      const api = world.apiFor(google.token, book.id);
      await book.readReplies(request);
      assert.deepEqual(await readLinks(book), links);
      assert.equal((await api.undo(Number(await api.revision()))).status, 200);
      assert.deepEqual(await readLinks(book), ['https://example.com/c', null, 'mailto:a@example.com']);
    });
  }

  it('disappear with duplicates, like notes', async () => {
    const book = await google.createSpreadsheet();
    await book.readReplies(
      writeCells(createCell('a'), createCell('a', 'https://example.com/2'), createCell('b', 'https://example.com/3')),
      {
        updateCells: {
          start: { sheetId: 0, rowIndex: 1, columnIndex: 0 },
          rows: [{ values: [{ note: 'second' }] }, { values: [{ note: 'third' }] }],
          fields: 'note',
        },
      },
      { deleteDuplicates: { range: createGridRange(0, 3, 0, 1) } },
    );
    assert.deepEqual(await readLinks(book), [null, 'https://example.com/3']);
    assert.deepEqual(await book.read('sheets.data.rowData.values.note'), {
      sheets: [{ data: [{ rowData: [{}, { values: [{ note: 'third' }] }] }] }],
    });
  });

  it('are exported to files and imported from them', async () => {
    const book = await createLinks();
    const range = createGridRange(0, 3, 1, 2);
    const cell = createCell('x', 'https://example.com/?a=1&b="2"');
    await book.readReplies(
      { repeatCell: { range, cell, fields: 'userEnteredValue,userEnteredFormat' } },
      { repeatCell: { range: createGridRange(1, 2, 1, 2), cell: {}, fields: 'userEnteredFormat' } },
    );
    const headers = { authorization: `Bearer ${google.token}` };
    const exported = await fetch(`${world.server.address}/google/spreadsheets/d/${book.id}/export?format=xlsx`, {
      headers,
    });
    const imported = await fetch(`${world.server.address}/google/upload/drive/v3/files?uploadType=media`, {
      method: 'POST',
      headers: { ...headers, 'content-type': XLSX },
      body: await exported.arrayBuffer(),
    });
    const { id } = (await imported.json()) as { readonly id: string };
    const copy = google.getSpreadsheet(id);
    assert.deepEqual(await readLinks(copy), ['https://example.com/c', null, 'mailto:a@example.com']);
    const uri = 'https://example.com/?a=1&b="2"';
    assert.deepEqual(await readLinks(copy, 'B'), [uri, null, uri]);
  });

  it('are refused if a document cannot store them', async () => {
    const book = await google.createSpreadsheet();
    const refused: readonly (readonly [cell: object, message: RegExp])[] = [
      [createCell('x', 'javascript:alert(1)'), /Invalid link: javascript/],
      [createCell('x', 'java\tscript:alert(1)'), /Invalid link: java/],
      [createCell('x', '\u0001javascript:alert(1)'), /Invalid link/],
      [createCell('x', `https://example.com/${'a'.repeat(2_000)}`), /2000 characters at most/],
      [{ userEnteredFormat: { textFormat: { link: { url: 'x' } } } }, /Unknown name "url"/],
    ];
    for (const [cell, message] of refused) {
      const answer = await book.batch(writeCells(cell));
      assert.equal(answer.status, 400);
      assert.match(readErrorMessage(answer), message);
    }
    assert.deepEqual(await readLinks(book), []);
  });
});

describe('formats of cells', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle({ oneNode: true }));
  });
  after(() => world.close());

  const UNKNOWN: readonly object[] = [
    { textFormat: { boldness: true } },
    { padding: { above: 1 } },
    { textRotation: { degrees: 1 } },
    { numberFormat: { type: 'NUMBER', format: '0' } },
    { borders: { inner: { style: 'SOLID' } } },
    { borders: { top: { style: 'SOLID', thickness: 1 } } },
  ];

  it('are refused with unknown members at any depth, also in masks', async () => {
    const book = await google.createSpreadsheet();
    const repeat = (userEnteredFormat: object, fields: string) => ({
      repeatCell: { range: createGridRange(0, 1, 0, 1), cell: { userEnteredFormat }, fields },
    });
    for (const format of UNKNOWN) {
      const answer = await book.batch(repeat(format, 'userEnteredFormat'));
      assert.equal(answer.status, 400, JSON.stringify(format));
      assert.match(
        readErrorMessage(answer),
        /Unknown name ".*" at 'requests\[0\]\.repeat_cell\.cell\.user_entered_format/,
      );
    }
    const masked = await book.batch(repeat({ textFormat: { bold: true } }, 'userEnteredFormat.textFormat.boldness'));
    assert.deepEqual(
      [masked.status, readErrorMessage(masked)],
      [400, 'Invalid requests[0].repeatCell: Invalid field: boldness'],
    );
  });
});
