import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { userById } from '@cellwire/store/accounts';
import { readPart } from '../../../files/test/workbook-files.ts';
import { eraseUser } from '../../src/service/operator/erase.ts';
import { changeEmail } from '../../src/service/operator/people.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { type Google, type Json, messageOf, type Spreadsheet, startGoogle, type World } from './support.ts';

const range = (top: number, bottom: number, left: number, right: number, sheetId = 0) => ({
  sheetId,
  startRowIndex: top,
  endRowIndex: bottom,
  startColumnIndex: left,
  endColumnIndex: right,
});
const rows = (startIndex: number, endIndex: number) => ({ sheetId: 0, dimension: 'ROWS', startIndex, endIndex });

describe('batchUpdate of the Google-compatible API', () => {
  let world: World;
  let google: Google;
  const newSpreadsheet = async (): Promise<Spreadsheet> => google.sheet(await google.create());

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  it('makes one revision and one audit entry, and undo reverts all its requests', async () => {
    const book = await newSpreadsheet();
    const api = world.api(google.token, book.id);
    const before = Number(await api.revision());
    await book.replies(
      { addSheet: { properties: { title: 'Second', sheetId: 77, gridProperties: { rowCount: 5, columnCount: 3 } } } },
      {
        updateCells: {
          start: { sheetId: 77 },
          fields: 'userEnteredValue',
          rows: [{ values: [{ userEnteredValue: { numberValue: 7 } }] }],
        },
      },
      { mergeCells: { range: range(0, 2, 0, 2), mergeType: 'MERGE_ALL' } },
      {
        updateSheetProperties: {
          properties: { sheetId: 0, gridProperties: { frozenRowCount: 2 } },
          fields: 'gridProperties.frozenRowCount',
        },
      },
    );
    assert.equal(Number(await api.revision()), before + 1);
    const entries = (await api.audit())['entries'];
    assert.deepEqual([entries[0]['origin'], entries[1]['action']], ['google', 'document.create']);
    assert.deepEqual(await book.values('Second'), [['7']]);
    assert.equal((await api.undo(before + 1)).status, 200);
    assert.deepEqual(await book.read('sheets(merges,properties(title,gridProperties))'), {
      sheets: [{ properties: { title: 'Sheet1', gridProperties: { rowCount: 1000, columnCount: 26 } } }],
    });
  });

  it('changes nothing if one request fails, and names that request', async () => {
    const book = await newSpreadsheet();
    await book.put('A1', [[1]]);
    const refused = await book.batch(
      { updateCells: { range: range(0, 1, 0, 1), fields: 'userEnteredValue', rows: [] } },
      { deleteSheet: { sheetId: 5 } },
    );
    assert.deepEqual(
      [refused.status, messageOf(refused)],
      [400, 'Invalid requests[1].deleteSheet: No grid with id: 5'],
    );
    assert.deepEqual(await book.values('A1'), [['1']]);
    const unknown = await book.batch({ addChart: {} });
    assert.match(messageOf(unknown), /Unknown name "addChart" at 'requests\[0\]': Cannot find field\./);
    const member = await book.batch({ deleteSheet: { sheetId: 0, force: true } });
    assert.match(messageOf(member), /Unknown name "force" at 'requests\[0\]\.delete_sheet'/);
    const none = await book.batch();
    assert.equal(messageOf(none), 'Must specify at least one request.');
    const hide = { updateSheetProperties: { properties: { sheetId: 0, hidden: true }, fields: 'hidden' } };
    const message = "Invalid requests[0].updateSheetProperties: You can't hide all the sheets in a document.";
    assert.deepEqual(messageOf(await book.batch(hide)), message);
  });

  it('inserts, deletes, appends and moves rows, and changes the grid size', async () => {
    const book = await newSpreadsheet();
    await book.put('A1', [['a'], ['b'], ['c'], ['=A3']]);
    await book.replies(
      { insertDimension: { range: rows(1, 3) } },
      { deleteDimension: { range: rows(0, 1) } },
      { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 10 } },
      { moveDimension: { source: rows(2, 3), destinationIndex: 4 } },
    );
    assert.deepEqual(await book.values('Sheet1', '?valueRenderOption=FORMULA'), [[], [], ['c'], ['b'], ['=A3']]);
    assert.deepEqual(await book.read('sheets.properties.gridProperties.rowCount'), {
      sheets: [{ properties: { gridProperties: { rowCount: 1011 } } }],
    });
  });

  it('gives inserted rows the formats of the row before or after them', async () => {
    const book = await newSpreadsheet();
    const fill = (row: number, backgroundColor: object) => ({
      repeatCell: {
        range: range(row, row + 1, 0, 2),
        cell: { userEnteredFormat: { backgroundColor } },
        fields: 'userEnteredFormat.backgroundColor',
      },
    });
    const size = { range: rows(0, 1), properties: { pixelSize: 50 }, fields: 'pixelSize' };
    await book.replies(fill(0, { red: 1 }), fill(1, { green: 1 }), { updateDimensionProperties: size });
    await book.put('A1', [[1], [2]]);
    await book.replies(
      { insertDimension: { range: rows(1, 2), inheritFromBefore: true } },
      { insertDimension: { range: rows(2, 3), inheritFromBefore: false } },
    );
    const { sheets } = await book.read(
      'sheets.data(rowData.values(userEnteredFormat.backgroundColor,userEnteredValue),rowMetadata.pixelSize)',
      '&ranges=A1:A4',
    );
    const cell = (backgroundColor: object, value: object) => ({
      values: [{ ...value, userEnteredFormat: { backgroundColor } }],
    });
    assert.deepEqual(sheets[0]['data'], [
      {
        rowData: [
          cell({ red: 1 }, { userEnteredValue: { numberValue: 1 } }),
          cell({ red: 1 }, {}),
          cell({ green: 1 }, {}),
          cell({ green: 1 }, { userEnteredValue: { numberValue: 2 } }),
        ],
        rowMetadata: [{ pixelSize: 50 }, { pixelSize: 50 }, { pixelSize: 21 }, { pixelSize: 21 }],
      },
    ]);
  });

  it('pastes only what the paste type selects', async () => {
    const book = await newSpreadsheet();
    await book.put('A1:B1', [[2, '=A1*2']]);
    const format = (left: number, userEnteredFormat: object) => ({
      repeatCell: { range: range(0, 1, left, left + 2), cell: { userEnteredFormat }, fields: 'userEnteredFormat' },
    });
    const line = (red: number) => ({ style: 'SOLID', width: 1, color: { red } });
    const paste = (row: number, pasteType: string, pasteOrientation = 'NORMAL') => ({
      copyPaste: { source: range(0, 1, 0, 2), destination: range(row, row + 1, 4, 6), pasteType, pasteOrientation },
    });
    const target = { textFormat: { italic: true }, borders: { bottom: line(0.2) } };
    await book.replies(
      format(0, { textFormat: { bold: true }, borders: { top: line(1) } }),
      ...[1, 2, 3, 4].map((row) => ({
        repeatCell: {
          range: range(row, row + 1, 4, 6),
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
    const pastedCells = (sheets[0]['data'][0]['rowData'] as unknown as { readonly values: readonly object[] }[]).map(
      ({ values }) => values[0],
    );
    const [italic, bold] = [{ italic: true }, { bold: true }];
    const [top, bottom] = [{ top: { style: 'SOLID' } }, { bottom: { style: 'SOLID' } }];
    assert.deepEqual(pastedCells, [
      { userEnteredValue: { formulaValue: '=E2*2' }, userEnteredFormat: { textFormat: italic, borders: bottom } },
      { userEnteredValue: { formulaValue: '=E3*2' }, userEnteredFormat: { textFormat: bold, borders: bottom } },
      { userEnteredFormat: { textFormat: bold, borders: top } },
      { userEnteredValue: { numberValue: 4 }, userEnteredFormat: { textFormat: italic, borders: bottom } },
    ]);
    const transposed = await book.batch(paste(6, 'PASTE_NORMAL', 'TRANSPOSE'));
    assert.equal(messageOf(transposed), 'Invalid requests[0].copyPaste: Formulas cannot be pasted transposed.');
    await book.replies(paste(6, 'PASTE_VALUES', 'TRANSPOSE'));
    assert.deepEqual(await book.values('E7:E8'), [['2'], ['4']]);
  });

  it('pastes merges with PASTE_NORMAL, and validation also with PASTE_FORMAT', async () => {
    const book = await newSpreadsheet();
    const paste = (row: number, pasteType: string) => ({
      copyPaste: { source: range(0, 1, 0, 3), destination: range(row, row + 1, 0, 3), pasteType },
    });
    await book.replies(
      { mergeCells: { range: range(0, 1, 0, 2), mergeType: 'MERGE_ALL' } },
      { setDataValidation: { range: range(0, 1, 2, 3), rule: { condition: { type: 'BOOLEAN' } } } },
      paste(1, 'PASTE_NORMAL'),
      paste(2, 'PASTE_FORMAT'),
    );
    const { sheets } = await book.read('sheets(merges,data.rowData.values.dataValidation.condition)', '&ranges=A1:C3');
    assert.deepEqual(sheets[0]['merges'], [
      { startRowIndex: 0, endRowIndex: 1, startColumnIndex: 0, endColumnIndex: 2 },
      { startRowIndex: 1, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 },
    ]);
    const rule = { values: [{}, {}, { dataValidation: { condition: { type: 'BOOLEAN' } } }] };
    assert.deepEqual(sheets[0]['data'][0]['rowData'], [rule, {}, rule]);
  });

  it('refuses options that it does not support, and changes nothing', async () => {
    const book = await newSpreadsheet();
    await book.put('A1', [[1]]);
    const revision = await world.api(google.token, book.id).revision();
    const cells = range(0, 1, 0, 1);
    const colorSort = { dimensionIndex: 0, backgroundColor: { red: 1 } };
    const refusals = [
      [{ cutPaste: { source: cells, destination: { rowIndex: 3 }, pasteType: 'PASTE_VALUES' } }, /pasteType/],
      [{ copyPaste: { source: cells, destination: cells, pasteType: 'PASTE_SHAPES' } }, /pasteType/],
      [{ sortRange: { range: cells, sortSpecs: [colorSort] } }, /"backgroundColor" at .*sort_specs\[0\]/],
      [{ autoFill: { range: cells, useAlternateSeries: true } }, /useAlternateSeries/],
      [{ updateCells: { range: cells, fields: '*', rows: [{ values: [{ textFormatRuns: [] }] }] } }, /textFormatRuns/],
      [{ appendCells: { rows: [], fields: '*', tableId: 'x' } }, /tableId/],
    ] as const;
    for (const [request, message] of refusals) {
      const refused = await book.batch(request);
      assert.equal(refused.status, 400, JSON.stringify(request));
      assert.match(messageOf(refused), message);
    }
    assert.equal(await world.api(google.token, book.id).revision(), revision);
  });

  it('changes only the format properties that the field mask names', async () => {
    const book = await newSpreadsheet();
    const repeat = (userEnteredFormat: object, fields: string) => ({
      repeatCell: { range: range(0, 1, 0, 1), cell: { userEnteredFormat }, fields },
    });
    await book.replies(
      repeat({ textFormat: { bold: true, fontSize: 14 }, backgroundColor: { red: 1 } }, 'userEnteredFormat'),
      repeat({ textFormat: { italic: true } }, 'userEnteredFormat.textFormat.italic'),
      repeat({ numberFormat: { type: 'PERCENT', pattern: '0.0%' } }, 'userEnteredFormat/numberFormat'),
    );
    const read = async () =>
      (await book.read('sheets.data.rowData.values.userEnteredFormat', '&ranges=A1'))['sheets'][0]['data'][0];
    assert.deepEqual((await read())['rowData'][0]['values'][0]['userEnteredFormat'], {
      numberFormat: { type: 'PERCENT', pattern: '0.0%' },
      textFormat: { bold: true, fontSize: 14, italic: true },
      backgroundColor: { red: 1 },
      backgroundColorStyle: { rgbColor: { red: 1 } },
    });
    await book.replies(repeat({}, 'userEnteredFormat'));
    assert.deepEqual(await read(), {});
  });

  it('exports formats, borders and notes as .xlsx without losses', async () => {
    const book = await newSpreadsheet();
    await book.put('A1', [['title']]);
    const border = { style: 'SOLID', color: { red: 1 } };
    await book.replies(
      {
        repeatCell: {
          range: range(0, 1, 0, 1),
          cell: { userEnteredFormat: { textFormat: { bold: true } }, note: 'hi & <bye>' },
          fields: 'userEnteredFormat.textFormat,note',
        },
      },
      { updateBorders: { range: range(0, 2, 0, 2), top: border, innerVertical: border } },
    );
    const exported = await world.api(google.token, book.id).here('GET', '/export?format=xlsx&report=true');
    assert.deepEqual(exported.body['report']['leftOut'], []);
    const borders = (await book.read('sheets.data.rowData.values.userEnteredFormat.borders', '&ranges=A1:B2'))[
      'sheets'
    ];
    assert.deepEqual(Object.keys(borders[0]['data'][0]['rowData'][0]['values'][1]['userEnteredFormat']['borders']), [
      'top',
      'left',
    ]);
    assert.deepEqual((await book.read('sheets.data.rowData.values.note', '&ranges=A1'))['sheets'][0]['data'][0], {
      rowData: [{ values: [{ note: 'hi & <bye>' }] }],
    });
  });

  it('exports data validation, conditional formats and banding, and reports rules that .xlsx lacks', async () => {
    const book = await newSpreadsheet();
    const rule = (column: number, type: string, ...values: readonly string[]) => ({
      setDataValidation: {
        range: range(0, 3, column, column + 1),
        rule: { condition: { type, values: values.map((userEnteredValue) => ({ userEnteredValue })) }, strict: true },
      },
    });
    const format = (index: number, rest: object) => ({
      addConditionalFormatRule: { index, rule: { ranges: [range(0, 3, index, index + 1)], ...rest } },
    });
    const condition = (type: string, userEnteredValue: string) => ({ type, values: [{ userEnteredValue }] });
    const green = { backgroundColor: { green: 1 } };
    await book.replies(
      rule(0, 'ONE_OF_LIST', 'a', '<b>'),
      rule(1, 'DATE_ON_OR_AFTER', '2026-01-31'),
      rule(2, 'CUSTOM_FORMULA', '=C1>A1'),
      rule(3, 'TEXT_IS_EMAIL'),
      format(0, { booleanRule: { condition: condition('NUMBER_LESS', '5'), format: green } }),
      format(1, { booleanRule: { condition: condition('TEXT_CONTAINS', 'x"y'), format: green } }),
      format(2, { gradientRule: { minpoint: { color: { red: 1 }, type: 'MIN' }, maxpoint: { type: 'MAX' } } }),
      {
        addBanding: {
          bandedRange: { range: range(4, 9, 0, 2), rowProperties: { firstBandColor: { red: 1 }, secondBandColor: {} } },
        },
      },
    );
    const api = world.api(google.token, book.id);
    const { leftOut } = (await api.here('GET', '/export?format=xlsx&report=true')).body['report'];
    assert.deepEqual(leftOut as unknown, [{ kind: 'validations', count: 1, what: 'data validation' }]);
    const folder = await mkdtemp(join(tmpdir(), 'cellwire-rules-'));
    try {
      const path = join(folder, 'book.xlsx');
      const address = `${world.server.address}/google/spreadsheets/d/${book.id}/export?format=xlsx`;
      const answer = await fetch(address, { headers: { authorization: `Bearer ${google.token}` } });
      await writeFile(path, Buffer.from(await answer.arrayBuffer()));
      const sheet = await readPart(path, 'xl/worksheets/sheet1.xml');
      const part = (pattern: RegExp) => [...sheet.matchAll(pattern)].map(([, ...found]) => found);
      assert.deepEqual(part(/<dataValidation sqref="([^"]*)" type="(\w+)"[^>]*><formula1>([^<]*)</g), [
        ['A1:A3', 'list', '&quot;a,&lt;b&gt;&quot;'],
        ['B1:B3', 'date', '46053'],
        ['C1:C3', 'custom', 'C1&gt;A1'],
      ]);
      assert.deepEqual(part(/<conditionalFormatting sqref="([^"]*)"><cfRule type="(\w+)"/g), [
        ['A1:A3', 'cellIs'],
        ['B1:B3', 'containsText'],
        ['C1:C3', 'colorScale'],
        ['A5:B9', 'expression'],
      ]);
      const numbers = part(/ priority="(\d+)"/g).map(([number]) => Number(number));
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
        'rules keep their order',
      );
      const styles = await readPart(path, 'xl/styles.xml');
      assert.match(styles, /<dxfs count="3"><dxf><fill><patternFill><bgColor rgb="FF00FF00"\/>/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('keeps only the first value of each merged range', async () => {
    const book = await newSpreadsheet();
    await book.put('A1', [
      [1, 2],
      [3, 4],
    ]);
    await book.replies({ mergeCells: { range: range(0, 2, 0, 2), mergeType: 'MERGE_ROWS' } });
    assert.deepEqual(await book.values('A1:B2'), [['1'], ['3']]);
    await book.replies({ mergeCells: { range: range(0, 2, 0, 2), mergeType: 'MERGE_ALL' } });
    assert.deepEqual(await book.read('sheets.merges'), {
      sheets: [{ merges: [{ startRowIndex: 0, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 }] }],
    });
    await book.replies({ unmergeCells: { range: range(0, 2, 0, 2) } });
    assert.deepEqual(await book.read('sheets.merges'), { sheets: [{}] });
  });

  it('sorts, replaces, removes duplicates, splits and trims', async () => {
    const book = await newSpreadsheet();
    await book.put('A1', [
      ['b,x', 2],
      ['a,y', 1],
      ['  c   d ', 3],
      ['a,y', 1],
    ]);
    const replies = await book.replies(
      { sortRange: { range: range(0, 4, 0, 2), sortSpecs: [{ dimensionIndex: 1, sortOrder: 'DESCENDING' }] } },
      { trimWhitespace: { range: range(0, 4, 0, 1) } },
      { deleteDuplicates: { range: range(0, 4, 0, 2) } },
      { findReplace: { find: 'A', replacement: 'z', allSheets: true } },
      { textToColumns: { source: range(0, 3, 0, 1), delimiterType: 'COMMA' } },
    );
    assert.deepEqual(replies, [
      {},
      { trimWhitespace: { cellsChangedCount: 1 } },
      { deleteDuplicates: { duplicatesRemovedCount: 1 } },
      { findReplace: { valuesChanged: 1, rowsChanged: 1, sheetsChanged: 1, occurrencesChanged: 1 } },
      {},
    ]);
    assert.deepEqual(await book.values('A1:B4'), [
      ['c d', '3'],
      ['b', 'x'],
      ['z', 'y'],
    ]);
  });

  it('keeps the id of a named range when its name and rows change', async () => {
    const book = await newSpreadsheet();
    const [added] = [
      await book.replies({ addNamedRange: { namedRange: { name: 'total', range: range(0, 2, 0, 1) } } }),
    ];
    const { namedRangeId } = added[0]['addNamedRange']['namedRange'] as unknown as { readonly namedRangeId: string };
    await book.put('total', [[1], [2]]);
    assert.deepEqual((await book.get('total')).body['range'], 'Sheet1!A1:A2');
    await book.replies({ updateNamedRange: { namedRange: { namedRangeId, name: 'sum' }, fields: 'name' } });
    await book.replies({ insertDimension: { range: rows(0, 1) } });
    assert.deepEqual((await book.read('namedRanges'))['namedRanges'], [
      {
        namedRangeId,
        name: 'sum',
        range: { startRowIndex: 1, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 1 },
      },
    ]);
    await book.replies({ deleteNamedRange: { namedRangeId } });
    assert.deepEqual(await book.read('namedRanges'), {});
  });

  it('stores filters, rules, banding and views, and moves them with their rows', async () => {
    const book = await newSpreadsheet();
    const replies = await book.replies(
      { setBasicFilter: { filter: { range: { sheetId: 0, startRowIndex: 1 } } } },
      { addBanding: { bandedRange: { range: range(1, 3, 0, 2), rowProperties: { firstBandColor: { red: 1 } } } } },
      { addFilterView: { filter: { title: 'Mine', range: range(1, 3, 0, 2) } } },
      {
        addConditionalFormatRule: {
          index: 0,
          rule: {
            ranges: [range(1, 3, 0, 1)],
            booleanRule: {
              condition: { type: 'NUMBER_GREATER', values: [{ userEnteredValue: '1' }] },
              format: { textFormat: { bold: true } },
            },
          },
        },
      },
      { setDataValidation: { range: range(1, 3, 0, 1), rule: { condition: { type: 'BOOLEAN' }, strict: true } } },
      { insertDimension: { range: rows(0, 2) } },
    );
    const { filterViewId } = replies[2]['addFilterView']['filter'] as unknown as { readonly filterViewId: number };
    const [sheet] = (await book.read('sheets(basicFilter,bandedRanges(range),filterViews,conditionalFormats(ranges))'))[
      'sheets'
    ] as unknown as [object];
    const moved = { startRowIndex: 3, endRowIndex: 5, startColumnIndex: 0, endColumnIndex: 2 };
    assert.deepEqual(sheet, {
      basicFilter: { range: { startRowIndex: 3, endRowIndex: 1002, startColumnIndex: 0, endColumnIndex: 26 } },
      bandedRanges: [{ range: moved }],
      filterViews: [{ filterViewId, title: 'Mine', range: moved }],
      conditionalFormats: [{ ranges: [{ ...moved, endColumnIndex: 1 }] }],
    });
    const rules = await book.read('sheets.data.rowData.values.dataValidation.strict', '&ranges=A4');
    assert.deepEqual(rules['sheets'][0]['data'][0]['rowData'], [{ values: [{ dataValidation: { strict: true } }] }]);
    await book.replies({ clearBasicFilter: { sheetId: 0 } }, { deleteFilterView: { filterId: filterViewId } });
    assert.deepEqual(await book.read('sheets(basicFilter,filterViews)'), { sheets: [{}] });
  });

  it('sets the filter that the API and the console use', async () => {
    const book = await newSpreadsheet();
    const api = world.api(google.token, book.id);
    await book.put('A1', [
      ['n', 'word'],
      [1, 'a'],
      [5, 'b'],
      [9, 'c'],
    ]);
    const condition = (type: string, ...values: readonly string[]) => ({
      condition: { type, values: values.map((userEnteredValue) => ({ userEnteredValue })) },
    });
    const criteria = { 0: condition('NUMBER_GREATER', '3'), 1: { hiddenValues: ['c'] } };
    const sortSpecs = [{ dimensionIndex: 1, sortOrder: 'DESCENDING' }];
    await book.replies({ setBasicFilter: { filter: { range: range(0, 4, 0, 2), criteria, sortSpecs } } });
    const columns = { 1: criteria[0], 2: criteria[1] };
    // The stored filter moves when a column is inserted before it.
    await book.replies({ insertDimension: { range: { ...rows(0, 1), dimension: 'COLUMNS' } } });
    const read = async () => (await book.read('sheets.basicFilter'))['sheets'][0]['basicFilter'];
    assert.deepEqual(await read(), {
      range: { startRowIndex: 0, endRowIndex: 4, startColumnIndex: 1, endColumnIndex: 3 },
      sortSpecs: [{ dimensionIndex: 2, sortOrder: 'DESCENDING' }],
      criteria: columns,
      filterSpecs: [
        { columnIndex: 1, filterCriteria: columns[1] },
        { columnIndex: 2, filterCriteria: columns[2] },
      ],
    });
    const hidden = await book.read('sheets.data.rowMetadata.hiddenByFilter', '&ranges=A1:C4');
    assert.deepEqual(hidden['sheets'][0]['data'][0]['rowMetadata'], [
      {},
      { hiddenByFilter: true },
      {},
      { hiddenByFilter: true },
    ]);
    const tests = [{ op: 'lte', value: 5 }];
    const filterColumn = { sheet: 'Sheet1', column: 'B', condition: { tests } };
    const set = await api.post('/structure', { operations: [{ filterColumn }] });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    assert.deepEqual((await read())['criteria'], {
      1: condition('NUMBER_LESS_THAN_EQ', '5'),
      2: { hiddenValues: ['c'] },
    });
    await book.replies({ clearBasicFilter: { sheetId: 0 } });
    assert.equal(await read(), undefined);
    assert.equal((await api.post('/structure', { operations: [{ filterColumn }] })).status, 422);
  });

  it('moves the criteria of filter views with their columns, and refuses colours in a basic filter', async () => {
    const book = await newSpreadsheet();
    const red = { visibleBackgroundColor: { red: 1 } };
    const [added] = (await book.replies({
      addFilterView: { filter: { title: 'Red', range: range(0, 4, 0, 2), criteria: { 1: red } } },
    })) as unknown as [Json];
    const { filterViewId } = added['addFilterView']['filter'] as unknown as { readonly filterViewId: number };
    const bothColorMembers = { ...red, visibleBackgroundColorStyle: { rgbColor: { red: 1 } } };
    assert.deepEqual(added['addFilterView']['filter']['criteria'], { 1: bothColorMembers });
    await book.replies(
      { insertDimension: { range: { ...rows(1, 2), dimension: 'COLUMNS' } } },
      { updateFilterView: { filter: { filterViewId, title: 'Still red' }, fields: 'title' } },
    );
    const views = async () => (await book.read('sheets.filterViews(title,criteria)'))['sheets'][0]['filterViews'];
    assert.deepEqual(await views(), [{ title: 'Still red', criteria: { 2: bothColorMembers } }]);
    const update = { filter: { filterViewId, criteria: {} }, fields: 'criteria' };
    await book.replies({ updateFilterView: update });
    assert.deepEqual(await views(), [{ title: 'Still red' }]);
    const refused = await book.batch({
      setBasicFilter: { filter: { range: range(0, 4, 0, 2), criteria: { 1: red } } },
    });
    assert.equal(refused.status, 400);
    assert.match(
      messageOf(refused),
      /"visibleBackgroundColor" at 'requests\[0\]\.set_basic_filter\.filter\.criteria\[1\]'/,
    );
  });

  it('refuses writes of other users to a protected range', async () => {
    const book = await newSpreadsheet();
    const ownerApi = world.api(google.token, book.id);
    const { api } = await world.member(ownerApi.document, 'edit');
    const other = new (google.constructor as typeof Google)(google.base, api.token).sheet(book.id);
    await book.replies({ addProtectedRange: { protectedRange: { range: range(0, 1, 0, 1), warningOnly: false } } });
    const refused = await other.put('A1', [[1]]);
    assert.equal(refused.status, 400);
    assert.match(messageOf(refused), /You are trying to edit a protected cell/);
    assert.equal((await other.put('B1', [[1]])).status, 200);
    assert.equal((await book.put('A1', [[1]])).status, 200);
    const protectedRanges = await other.read('sheets.protectedRanges');
    assert.equal(protectedRanges['sheets'][0]['protectedRanges'][0]['requestingUserCanEdit'], undefined);
  });

  it('names the present addresses of editors of a protected range, without those of erased users', async () => {
    const book = await newSpreadsheet();
    const { id: user, api } = await world.member(book.id, 'edit');
    const other = new (google.constructor as typeof Google)(google.base, api.token).sheet(book.id);
    const { context } = world.server.service;
    const address = async () => (await context.database.readOne(userById({ id: Number(user) })))?.email ?? '';
    const users = [await address(), 'stranger@example.net'];
    const protectedRange = { range: range(0, 1, 0, 1), editors: { users } };
    const [reply] = [await book.replies({ addProtectedRange: { protectedRange } })];
    const editorsOf = (one: Json) => one['editors']['users'] as unknown as readonly string[];
    const editors = async () =>
      editorsOf((await book.read('sheets.protectedRanges'))['sheets'][0]['protectedRanges'][0]);
    const made = editorsOf(reply[0]['addProtectedRange']['protectedRange']);
    assert.equal(made.length, 3);
    assert.deepEqual(made.toSorted(), (await editors()).toSorted());
    assert.deepEqual(made.slice(1), users);
    assert.equal((await other.put('A1', [[1]])).status, 200);

    assert.ok(!isRefusal(await changeEmail(context, { user, email: 'moved@example.org' })));
    assert.deepEqual((await editors()).slice(1), ['moved@example.org', 'stranger@example.net']);
    assert.ok(!isRefusal(await eraseUser(context, { user })));
    assert.deepEqual((await editors()).slice(1), ['stranger@example.net']);
  });

  it('returns the spreadsheet after the batch if includeSpreadsheetInResponse is set', async () => {
    const book = await newSpreadsheet();
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
    assert.deepEqual(await book.values('A1', '?valueRenderOption=UNFORMATTED_VALUE'), [[1.5]]);
  });

  it('copies a sheet to another spreadsheet', async () => {
    const [book, target] = [await newSpreadsheet(), await newSpreadsheet()];
    await book.put('A1', [[1, '=A1+1']]);
    const copied = await book.request('POST', '/sheets/0:copyTo', { destinationSpreadsheetId: target.id });
    assert.deepEqual([copied.status, copied.body['title'], copied.body['index']], [200, 'Copy of Sheet1', 1]);
    assert.deepEqual(await target.values("'Copy of Sheet1'!A1:B1", '?valueRenderOption=FORMULA'), [[1, '=A1+1']]);
  });

  it('ignores null among its requests', async () => {
    const book = google.sheet(await google.create());
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
    assert.deepEqual(await book.values('A1:A2'), [['a'], ['b']]);
    assert.equal((await book.request('POST', ':batchUpdate', { requests: [null] })).status, 400);
  });

  it('keeps the typed text of formulas until they are written again', async () => {
    const book = google.sheet(await google.create());
    const row = (...values: readonly object[]) => ({
      updateCells: {
        rows: [{ values: values.map((userEnteredValue) => ({ userEnteredValue })) }],
        fields: 'userEnteredValue',
        start: { sheetId: 0, rowIndex: 0, columnIndex: 0 },
      },
    });
    await book.replies(row({ numberValue: 1 }, { formulaValue: '=A1 + 1' }, { formulaValue: '= sum( A1:B1 )' }));
    const formulas = () => book.values('A1:C1', '?valueRenderOption=FORMULA');
    assert.deepEqual(await formulas(), [[1, '=A1 + 1', '= sum( A1:B1 )']]);
    await book.put('A1:C1', [[2, null, '=A1']]);
    assert.deepEqual(await formulas(), [[2, '=A1 + 1', '=A1']]);
    await book.replies(row({ numberValue: 3 }, { formulaValue: '=A1+1' }));
    assert.deepEqual(await formulas(), [[3, '=A1+1', '=A1']]);
  });
});
