import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt } from '../http/support.ts';
import {
  createGridRange,
  createRowRange,
  type GoogleClient,
  readErrorMessage,
  startGoogle,
  type World,
} from './support.ts';

describe('batchUpdate of the Google-compatible API', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  it('makes one revision and one audit entry, and undo reverts all its requests', async () => {
    const book = await google.createSpreadsheet();
    const api = world.apiFor(google.token, book.id);
    const before = Number(await api.revision());
    await book.readReplies(
      { addSheet: { properties: { title: 'Second', sheetId: 77, gridProperties: { rowCount: 5, columnCount: 3 } } } },
      {
        updateCells: {
          start: { sheetId: 77 },
          fields: 'userEnteredValue',
          rows: [{ values: [{ userEnteredValue: { numberValue: 7 } }] }],
        },
      },
      { mergeCells: { range: createGridRange(0, 2, 0, 2), mergeType: 'MERGE_ALL' } },
      {
        updateSheetProperties: {
          properties: { sheetId: 0, gridProperties: { frozenRowCount: 2 } },
          fields: 'gridProperties.frozenRowCount',
        },
      },
    );
    assert.equal(Number(await api.revision()), before + 1);
    const entries = (await api.listAuditEntries())['entries'];
    assert.deepEqual([memberAt(entries, 0)['origin'], memberAt(entries, 1)['action']], ['google', 'document.create']);
    assert.deepEqual(await book.readValues('Second'), [['7']]);
    assert.equal((await api.undo(before + 1)).status, 200);
    assert.deepEqual(await book.read('sheets(merges,properties(title,gridProperties))'), {
      sheets: [{ properties: { title: 'Sheet1', gridProperties: { rowCount: 1000, columnCount: 26 } } }],
    });
  });

  it('changes nothing if one request fails, and names that request', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [[1]]);
    const refused = await book.batch(
      { updateCells: { range: createGridRange(0, 1, 0, 1), fields: 'userEnteredValue', rows: [] } },
      { deleteSheet: { sheetId: 5 } },
    );
    assert.deepEqual(
      [refused.status, readErrorMessage(refused)],
      [400, 'Invalid requests[1].deleteSheet: No sheet with id: 5'],
    );
    assert.deepEqual(await book.readValues('A1'), [['1']]);
    const unknown = await book.batch({ addChart: {} });
    assert.match(readErrorMessage(unknown), /Unknown name "addChart" at 'requests\[0\]': Cannot find field\./);
    const member = await book.batch({ deleteSheet: { sheetId: 0, force: true } });
    assert.match(readErrorMessage(member), /Unknown name "force" at 'requests\[0\]\.delete_sheet'/);
    const none = await book.batch();
    assert.equal(readErrorMessage(none), 'Must specify at least one request.');
    const hide = { updateSheetProperties: { properties: { sheetId: 0, hidden: true }, fields: 'hidden' } };
    const message = "Invalid requests[0].updateSheetProperties: You can't hide all the sheets in a document.";
    assert.deepEqual(readErrorMessage(await book.batch(hide)), message);
  });

  it('inserts, deletes, appends and moves rows, and changes the grid size', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['a'], ['b'], ['c'], ['=A3']]);
    await book.readReplies(
      { insertDimension: { range: createRowRange(1, 3) } },
      { deleteDimension: { range: createRowRange(0, 1) } },
      { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 10 } },
      { moveDimension: { source: createRowRange(2, 3), destinationIndex: 4 } },
    );
    assert.deepEqual(await book.readValues('Sheet1', '?valueRenderOption=FORMULA'), [[], [], ['c'], ['b'], ['=A3']]);
    assert.deepEqual(await book.read('sheets.properties.gridProperties.rowCount'), {
      sheets: [{ properties: { gridProperties: { rowCount: 1011 } } }],
    });
  });

  it('gives inserted rows the formats of the row before or after them', async () => {
    const book = await google.createSpreadsheet();
    const fill = (row: number, backgroundColor: object) => ({
      repeatCell: {
        range: createGridRange(row, row + 1, 0, 2),
        cell: { userEnteredFormat: { backgroundColor } },
        fields: 'userEnteredFormat.backgroundColor',
      },
    });
    const size = { range: createRowRange(0, 1), properties: { pixelSize: 50 }, fields: 'pixelSize' };
    await book.readReplies(fill(0, { red: 1 }), fill(1, { green: 1 }), { updateDimensionProperties: size });
    await book.put('A1', [[1], [2]]);
    await book.readReplies(
      { insertDimension: { range: createRowRange(1, 2), inheritFromBefore: true } },
      { insertDimension: { range: createRowRange(2, 3), inheritFromBefore: false } },
    );
    const { sheets } = await book.read(
      'sheets.data(rowData.values(userEnteredFormat.backgroundColor,userEnteredValue),rowMetadata.pixelSize)',
      '&ranges=A1:A4',
    );
    const createCell = (backgroundColor: object, value: object) => ({
      values: [{ ...value, userEnteredFormat: { backgroundColor } }],
    });
    assert.deepEqual(memberAt(sheets, 0)['data'], [
      {
        rowData: [
          createCell({ red: 1 }, { userEnteredValue: { numberValue: 1 } }),
          createCell({ red: 1 }, {}),
          createCell({ green: 1 }, {}),
          createCell({ green: 1 }, { userEnteredValue: { numberValue: 2 } }),
        ],
        rowMetadata: [{ pixelSize: 50 }, { pixelSize: 50 }, { pixelSize: 21 }, { pixelSize: 21 }],
      },
    ]);
  });

  it('pastes only what the paste type selects', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1:B1', [[2, '=A1*2']]);
    const format = (left: number, userEnteredFormat: object) => ({
      repeatCell: {
        range: createGridRange(0, 1, left, left + 2),
        cell: { userEnteredFormat },
        fields: 'userEnteredFormat',
      },
    });
    const createBorder = (red: number) => ({ style: 'SOLID', width: 1, color: { red } });
    const paste = (row: number, pasteType: string, pasteOrientation = 'NORMAL') => ({
      copyPaste: {
        source: createGridRange(0, 1, 0, 2),
        destination: createGridRange(row, row + 1, 4, 6),
        pasteType,
        pasteOrientation,
      },
    });
    const target = { textFormat: { italic: true }, borders: { bottom: createBorder(0.2) } };
    await book.readReplies(
      format(0, { textFormat: { bold: true }, borders: { top: createBorder(1) } }),
      ...[1, 2, 3, 4].map((row) => ({
        repeatCell: {
          range: createGridRange(row, row + 1, 4, 6),
          cell: { userEnteredFormat: target },
          fields: 'userEnteredFormat',
        },
      })),
      paste(1, 'PASTE_FORMULA'),
      paste(2, 'PASTE_NO_BORDERS'),
      paste(3, 'PASTE_FORMAT'),
      paste(4, 'PASTE_VALUES'),
    );
    const { sheets } = await book.read(
      'sheets.data.rowData.values(userEnteredValue,userEnteredFormat(textFormat,borders(top.style,bottom.style)))',
      '&ranges=F2:F5',
    );
    const pastedCells = (
      memberAt(sheets, 0, 'data', 0)['rowData'] as unknown as { readonly values: readonly object[] }[]
    ).map(({ values }) => values[0]);
    const [italic, bold] = [{ italic: true }, { bold: true }];
    const [top, bottom] = [{ top: { style: 'SOLID' } }, { bottom: { style: 'SOLID' } }];
    assert.deepEqual(pastedCells, [
      { userEnteredValue: { formulaValue: '=E2*2' }, userEnteredFormat: { textFormat: italic, borders: bottom } },
      { userEnteredValue: { formulaValue: '=E3*2' }, userEnteredFormat: { textFormat: bold, borders: bottom } },
      { userEnteredFormat: { textFormat: bold, borders: top } },
      { userEnteredValue: { numberValue: 4 }, userEnteredFormat: { textFormat: italic, borders: bottom } },
    ]);
    const transposed = await book.batch(paste(6, 'PASTE_NORMAL', 'TRANSPOSE'));
    assert.equal(readErrorMessage(transposed), 'Invalid requests[0].copyPaste: Formulas cannot be pasted transposed.');
    await book.readReplies(paste(6, 'PASTE_VALUES', 'TRANSPOSE'));
    assert.deepEqual(await book.readValues('E7:E8'), [['2'], ['4']]);
  });

  it('pastes merges with PASTE_NORMAL, and validation also with PASTE_FORMAT', async () => {
    const book = await google.createSpreadsheet();
    const paste = (row: number, pasteType: string) => ({
      copyPaste: { source: createGridRange(0, 1, 0, 3), destination: createGridRange(row, row + 1, 0, 3), pasteType },
    });
    await book.readReplies(
      { mergeCells: { range: createGridRange(0, 1, 0, 2), mergeType: 'MERGE_ALL' } },
      { setDataValidation: { range: createGridRange(0, 1, 2, 3), rule: { condition: { type: 'BOOLEAN' } } } },
      paste(1, 'PASTE_NORMAL'),
      paste(2, 'PASTE_FORMAT'),
    );
    const { sheets } = await book.read('sheets(merges,data.rowData.values.dataValidation.condition)', '&ranges=A1:C3');
    assert.deepEqual(memberAt(sheets, 0)['merges'], [
      { startRowIndex: 0, endRowIndex: 1, startColumnIndex: 0, endColumnIndex: 2 },
      { startRowIndex: 1, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 },
    ]);
    const rule = { values: [{}, {}, { dataValidation: { condition: { type: 'BOOLEAN' } } }] };
    assert.deepEqual(memberAt(sheets, 0, 'data', 0)['rowData'], [rule, {}, rule]);
  });

  it('refuses options that it does not support, and changes nothing', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [[1]]);
    const revision = await world.apiFor(google.token, book.id).revision();
    const cells = createGridRange(0, 1, 0, 1);
    const colorSort = { dimensionIndex: 0, backgroundColor: { red: 1 } };
    const refusals = [
      [{ cutPaste: { source: cells, destination: { rowIndex: 3 }, pasteType: 'PASTE_VALUES' } }, /pasteType/],
      [{ copyPaste: { source: cells, destination: cells, pasteType: 'PASTE_SHAPES' } }, /paste_type/],
      [{ sortRange: { range: cells, sortSpecs: [colorSort] } }, /"backgroundColor" at .*sort_specs\[0\]/],
      [{ autoFill: { range: cells, useAlternateSeries: true } }, /useAlternateSeries/],
      [{ updateCells: { range: cells, fields: '*', rows: [{ values: [{ textFormatRuns: [] }] }] } }, /textFormatRuns/],
      [{ appendCells: { rows: [], fields: '*', tableId: 'x' } }, /tableId/],
    ] as const;
    for (const [request, message] of refusals) {
      const refused = await book.batch(request);
      assert.equal(refused.status, 400, JSON.stringify(request));
      assert.match(readErrorMessage(refused), message);
    }
    assert.equal(await world.apiFor(google.token, book.id).revision(), revision);
  });

  it('changes only the format properties that the field mask names', async () => {
    const book = await google.createSpreadsheet();
    const repeat = (userEnteredFormat: object, fields: string | object) => ({
      repeatCell: { range: createGridRange(0, 1, 0, 1), cell: { userEnteredFormat }, fields },
    });
    await book.readReplies(
      repeat({ textFormat: { bold: true, fontSize: 14 }, backgroundColor: { red: 1 } }, 'userEnteredFormat'),
      repeat({ textFormat: { italic: true } }, 'userEnteredFormat.textFormat.italic'),
      repeat({ numberFormat: { type: 'PERCENT', pattern: '0.0%' } }, { paths: ['userEnteredFormat/numberFormat'] }),
    );
    const read = async () =>
      memberAt(await book.read('sheets.data.rowData.values.userEnteredFormat', '&ranges=A1'), 'sheets', 0, 'data')[0];
    assert.deepEqual(memberAt(await read(), 'rowData', 0, 'values', 0)['userEnteredFormat'], {
      numberFormat: { type: 'PERCENT', pattern: '0.0%' },
      textFormat: { bold: true, fontSize: 14, italic: true },
      backgroundColor: { red: 1 },
      backgroundColorStyle: { rgbColor: { red: 1 } },
    });
    await book.readReplies(repeat({}, 'userEnteredFormat'));
    assert.deepEqual(await read(), {});
  });

  it('keeps only the first value of each merged range', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [
      [1, 2],
      [3, 4],
    ]);
    await book.readReplies({ mergeCells: { range: createGridRange(0, 2, 0, 2), mergeType: 'MERGE_ROWS' } });
    assert.deepEqual(await book.readValues('A1:B2'), [['1'], ['3']]);
    await book.readReplies({ mergeCells: { range: createGridRange(0, 2, 0, 2), mergeType: 'MERGE_ALL' } });
    assert.deepEqual(await book.read('sheets.merges'), {
      sheets: [{ merges: [{ startRowIndex: 0, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 }] }],
    });
    await book.readReplies({ unmergeCells: { range: createGridRange(0, 2, 0, 2) } });
    assert.deepEqual(await book.read('sheets.merges'), { sheets: [{}] });
  });

  it('sorts, replaces, removes duplicates, splits and trims', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [
      ['b,x', 2],
      ['a,y', 1],
      ['  c   d ', 3],
      ['a,y', 1],
    ]);
    const replies = await book.readReplies(
      {
        sortRange: { range: createGridRange(0, 4, 0, 2), sortSpecs: [{ dimensionIndex: 1, sortOrder: 'DESCENDING' }] },
      },
      { trimWhitespace: { range: createGridRange(0, 4, 0, 1) } },
      { deleteDuplicates: { range: createGridRange(0, 4, 0, 2) } },
      { findReplace: { find: 'A', replacement: 'z', allSheets: true } },
      { textToColumns: { source: createGridRange(0, 3, 0, 1), delimiterType: 'COMMA' } },
    );
    assert.deepEqual(replies, [
      {},
      { trimWhitespace: { cellsChangedCount: 1 } },
      { deleteDuplicates: { duplicatesRemovedCount: 1 } },
      { findReplace: { valuesChanged: 1, rowsChanged: 1, sheetsChanged: 1, occurrencesChanged: 1 } },
      {},
    ]);
    assert.deepEqual(await book.readValues('A1:B4'), [
      ['c d', '3'],
      ['b', 'x'],
      ['z', 'y'],
    ]);
  });

  it('replaces whole cells, and passes over cells that contain the text many times', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['a', 'a'.repeat(1_000)]]);
    const replacement = 'b'.repeat(100);
    const [reply] = (await book.readReplies({
      findReplace: { find: 'a', replacement, matchEntireCell: true, sheetId: 0 },
    })) as unknown as readonly object[];
    const counts = { valuesChanged: 1, rowsChanged: 1, sheetsChanged: 1, occurrencesChanged: 1 };
    assert.deepEqual(reply, { findReplace: counts });
    assert.deepEqual(await book.readValues('A1:B1'), [[replacement, 'a'.repeat(1_000)]]);
  });

  it('replaces by regular expressions with groups', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [
      ['Google Sheets', 'Google Docs', '12/2024'],
      ['=1+1', 'x$1', 'no'],
    ]);
    const replace = (find: string, replacement: string, others = {}) => ({
      findReplace: { find, replacement, searchByRegex: true, sheetId: 0, ...others },
    });
    // The example of Google's reference of `searchByRegex`.
    const replies = await book.readReplies(
      replace('o.* (.*)', '$1 Rocks'),
      replace('(?<month>\\d+)/(\\d+)', `\${month}-$2$1`, { matchCase: true }),
      replace('(x)\\$1', '\\$$12'),
      replace('1\\+', '2+', { includeFormulas: true }),
      replace('NO?', 'yes', { matchEntireCell: true }),
      replace('sheet', 'nothing', { matchEntireCell: true }),
    );
    const changed = { valuesChanged: 1, rowsChanged: 1, sheetsChanged: 1, occurrencesChanged: 1 };
    assert.deepEqual(replies, [
      { findReplace: { ...changed, valuesChanged: 2, occurrencesChanged: 2 } },
      { findReplace: changed },
      { findReplace: changed },
      { findReplace: { formulasChanged: 1, rowsChanged: 1, sheetsChanged: 1, occurrencesChanged: 1 } },
      { findReplace: changed },
      { findReplace: {} },
    ]);
    assert.deepEqual(await book.readValues('A1:C2'), [
      ['GSheets Rocks', 'GDocs Rocks', '12-202412'],
      ['3', '$x2', 'yes'],
    ]);
  });

  it('finds the blank cells of a range by a regular expression', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['a', '', 'c']]);
    const fill = { find: '^\\s*$', replacement: '0', searchByRegex: true };
    const replies = await book.readReplies(
      { findReplace: { ...fill, range: createGridRange(0, 2, 0, 3) } },
      { findReplace: { ...fill, sheetId: 0 } },
    );
    const counts = { valuesChanged: 4, rowsChanged: 2, sheetsChanged: 1, occurrencesChanged: 4 };
    assert.deepEqual(replies, [{ findReplace: counts }, { findReplace: {} }]);
    assert.deepEqual(await book.readValues('A1:D3'), [
      ['a', '0', 'c'],
      ['0', '0', '0'],
    ]);
  });

  it('refuses regular expressions that it cannot search as Java does', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['aab', 'a'.repeat(30_000)]]);
    const refused: readonly (readonly [string, string])[] = [
      ['(', ''],
      ['a(?=b)', ''],
      ['(a)\\1', ''],
      ['[a-z&&[^b]]', ''],
      ['a++', ''],
      ['a', '$1'],
      ['a', '$'],
      ['a', `\${name}`],
      ['a', 'b\\'],
      ['a', 'long text'],
      ['(?:a{100}){30}', ''],
    ];
    for (const [find, replacement] of refused) {
      const answer = await book.batch({ findReplace: { find, replacement, searchByRegex: true, sheetId: 0 } });
      assert.equal(answer.status, 400, find);
      assert.match(readErrorMessage(answer), /^Invalid requests\[0\]\.findReplace: /, find);
    }
    assert.deepEqual(await book.readValues('A1'), [['aab']]);
  });

  it('returns the spreadsheet after the batch if includeSpreadsheetInResponse is set', async () => {
    const book = await google.createSpreadsheet();
    const { body } = await book.request('POST', ':batchUpdate', {
      requests: [
        { updateSpreadsheetProperties: { properties: { title: 'New', locale: 'de_DE' }, fields: 'title,locale' } },
      ],
      includeSpreadsheetInResponse: true,
    });
    const { properties } = body['updatedSpreadsheet'] as unknown as {
      readonly properties: Readonly<Record<string, string>>;
    };
    assert.deepEqual([properties['title'], properties['locale']], ['New', 'de_DE']);
    await book.put('A1', [['1,5']]);
    assert.deepEqual(await book.readValues('A1', '?valueRenderOption=UNFORMATTED_VALUE'), [[1.5]]);
  });

  it('copies a sheet to another spreadsheet', async () => {
    const [book, target] = [await google.createSpreadsheet(), await google.createSpreadsheet()];
    await book.put('A1', [[1, '=A1+1']]);
    const copied = await book.request('POST', '/sheets/0:copyTo', { destinationSpreadsheetId: target.id });
    assert.deepEqual([copied.status, copied.body['title'], copied.body['index']], [200, 'Copy of Sheet1', 1]);
    assert.deepEqual(await target.readValues("'Copy of Sheet1'!A1:B1", '?valueRenderOption=FORMULA'), [[1, '=A1+1']]);
  });

  it('ignores null among its requests', async () => {
    const book = await google.createSpreadsheet();
    const write = (stringValue: string, rowIndex: number) => ({
      updateCells: {
        rows: [{ values: [{ userEnteredValue: { stringValue } }] }],
        fields: 'userEnteredValue',
        start: { sheetId: 0, rowIndex, columnIndex: 0 },
      },
    });
    const { status } = await book.request('POST', ':batchUpdate', {
      requests: [null, write('a', 0), null, write('b', 1)],
    });
    assert.equal(status, 200);
    assert.deepEqual(await book.readValues('A1:A2'), [['a'], ['b']]);
    assert.equal((await book.request('POST', ':batchUpdate', { requests: [null] })).status, 400);
  });

  it('keeps the typed text of formulas until they are written again', async () => {
    const book = await google.createSpreadsheet();
    const createRow = (...values: readonly object[]) => ({
      updateCells: {
        rows: [{ values: values.map((userEnteredValue) => ({ userEnteredValue })) }],
        fields: 'userEnteredValue',
        start: { sheetId: 0, rowIndex: 0, columnIndex: 0 },
      },
    });
    await book.readReplies(
      createRow({ numberValue: 1 }, { formulaValue: '=A1 + 1' }, { formulaValue: '= sum( A1:B1 )' }),
    );
    const readFormulas = () => book.readValues('A1:C1', '?valueRenderOption=FORMULA');
    assert.deepEqual(await readFormulas(), [[1, '=A1 + 1', '= sum( A1:B1 )']]);
    await book.put('A1:C1', [[2, null, '=A1']]);
    assert.deepEqual(await readFormulas(), [[2, '=A1 + 1', '=A1']]);
    await book.readReplies(createRow({ numberValue: 3 }, { formulaValue: '=A1+1' }));
    assert.deepEqual(await readFormulas(), [[3, '=A1+1', '=A1']]);
  });
});
