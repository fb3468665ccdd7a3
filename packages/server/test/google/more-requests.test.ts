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

const RED = { red: 1 };
const RED_BAND = { firstBandColor: RED, firstBandColorStyle: { rgbColor: RED } };

describe('requests of batchUpdate and methods by data filter', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  async function createSpreadsheet(values: readonly (readonly unknown[])[]): Promise<Spreadsheet> {
    const book = await google.createSpreadsheet();
    await book.put('A1', values);
    return book;
  }

  const NUMBERS = [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ];

  for (const [what, request, expected] of [
    [
      'insertRange shifts cells down',
      { insertRange: { range: createGridRange(0, 1, 1, 2), shiftDimension: 'ROWS' } },
      [
        ['1', '', '3'],
        ['4', '2', '6'],
        ['7', '5', '9'],
        ['', '8'],
      ],
    ],
    [
      'insertRange shifts cells to the right',
      { insertRange: { range: createGridRange(0, 2, 0, 1), shiftDimension: 'COLUMNS' } },
      [
        ['', '1', '2', '3'],
        ['', '4', '5', '6'],
        ['7', '8', '9'],
      ],
    ],
    [
      'deleteRange shifts cells up',
      { deleteRange: { range: createGridRange(0, 1, 0, 2), shiftDimension: 'ROWS' } },
      [
        ['4', '5', '3'],
        ['7', '8', '6'],
        ['', '', '9'],
      ],
    ],
    [
      'deleteRange shifts cells to the left',
      { deleteRange: { range: createGridRange(1, 3, 0, 2), shiftDimension: 'COLUMNS' } },
      [['1', '2', '3'], ['6'], ['9']],
    ],
    [
      'pasteData splits a text at a delimiter',
      { pasteData: { coordinate: { rowIndex: 1, columnIndex: 1 }, data: 'a;7\n=1+1;"b;c"', delimiter: ';' } },
      [
        ['1', '2', '3'],
        ['4', 'a', '7'],
        ['7', '2', 'b;c'],
      ],
    ],
    [
      'pasteData reads quoted fields with line breaks, quotation marks and empty fields',
      {
        pasteData: {
          coordinate: { rowIndex: 0, columnIndex: 0 },
          data: '"a\nb","say ""hi""",\r\n5" pipe,"open,"x"y\n',
          delimiter: ',',
        },
      },
      [
        ['a\nb', 'say "hi"'],
        ['5" pipe', '"open', '"x"y'],
        ['7', '8', '9'],
      ],
    ],
    [
      'sortRange sorts by a column',
      {
        sortRange: { range: createGridRange(0, 3, 0, 3), sortSpecs: [{ dimensionIndex: 0, sortOrder: 'DESCENDING' }] },
      },
      [
        ['7', '8', '9'],
        ['4', '5', '6'],
        ['1', '2', '3'],
      ],
    ],
    [
      'cutPaste moves cells',
      {
        cutPaste: {
          source: createGridRange(0, 1, 0, 3),
          destination: { sheetId: 0, rowIndex: 3, columnIndex: 1 },
          pasteType: 'PASTE_NORMAL',
        },
      },
      [[], ['4', '5', '6'], ['7', '8', '9'], ['', '1', '2', '3']],
    ],
    [
      'moveDimension moves rows',
      { moveDimension: { source: createRowRange(0, 1), destinationIndex: 3 } },
      [
        ['4', '5', '6'],
        ['7', '8', '9'],
        ['1', '2', '3'],
      ],
    ],
  ] as const) {
    it(what, async () => {
      const book = await createSpreadsheet(NUMBERS);
      await book.readReplies(request);
      assert.deepEqual(await book.readValues('Sheet1'), expected);
    });
  }

  it('adds, collapses and deletes groups of lines', async () => {
    const book = await createSpreadsheet(NUMBERS);
    const rows = createRowRange(1, 3);
    const added = await book.readReplies(
      { addDimensionGroup: { range: rows } },
      { addDimensionGroup: { range: rows } },
    );
    const createGroup = (depth: number) => ({
      range: { dimension: 'ROWS', startIndex: 1, endIndex: 3 },
      depth,
    });
    assert.deepEqual(memberAt(added, 1, 'addDimensionGroup'), { dimensionGroups: [createGroup(1), createGroup(2)] });
    await book.readReplies({
      updateDimensionGroup: { dimensionGroup: { range: rows, depth: 1, collapsed: true }, fields: 'collapsed' },
    });
    assert.deepEqual(memberAt(await book.read('sheets.rowGroups'), 'sheets', 0, 'rowGroups'), [
      { ...createGroup(1), collapsed: true },
      createGroup(2),
    ]);
    const deleted = await book.readReplies(
      { deleteDimensionGroup: { range: rows } },
      { deleteDimensionGroup: { range: rows } },
    );
    assert.deepEqual(memberAt(deleted, 1, 'deleteDimensionGroup'), {});
    const answer = await book.batch({ deleteDimensionGroup: { range: rows } });
    assert.equal(answer.status, 400);
  });

  it('updates and deletes banded ranges, duplicates filter views and deletes protected ranges', async () => {
    const book = await createSpreadsheet(NUMBERS);
    const replies = await book.readReplies(
      {
        addBanding: { bandedRange: { bandedRangeId: 5, range: createGridRange(0, 3, 0, 3), rowProperties: RED_BAND } },
      },
      { updateBanding: { bandedRange: { bandedRangeId: 5, range: createGridRange(0, 2, 0, 2) }, fields: 'range' } },
      { addFilterView: { filter: { filterViewId: 6, title: 'Mine', range: createGridRange(0, 3, 0, 3) } } },
      { duplicateFilterView: { filterId: 6 } },
      {
        addProtectedRange: {
          protectedRange: { protectedRangeId: 7, range: createGridRange(0, 1, 0, 1), warningOnly: true },
        },
      },
    );
    const copy = memberAt(replies, 3, 'duplicateFilterView', 'filter') as unknown as {
      title: string;
      filterViewId: number;
    };
    assert.equal(copy.title, 'Copy of Mine');
    assert.notEqual(copy.filterViewId, 6);
    const sheet = memberAt(
      await book.read('sheets(bandedRanges,filterViews.title,protectedRanges.warningOnly)'),
      'sheets',
      0,
    );
    assert.deepEqual(sheet, {
      bandedRanges: [
        {
          bandedRangeId: 5,
          range: { startRowIndex: 0, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 },
          rowProperties: RED_BAND,
        },
      ],
      filterViews: [{ title: 'Mine' }, { title: 'Copy of Mine' }],
      protectedRanges: [{ warningOnly: true }],
    });
    await book.readReplies(
      { deleteBanding: { bandedRangeId: 5 } },
      { deleteFilterView: { filterId: 6 } },
      { deleteProtectedRange: { protectedRangeId: 7 } },
    );
    assert.deepEqual(memberAt(await book.read('sheets(bandedRanges,filterViews.title,protectedRanges)'), 'sheets', 0), {
      filterViews: [{ title: 'Copy of Mine' }],
    });
    for (const request of [
      { deleteBanding: { bandedRangeId: 5 } },
      { deleteFilterView: { filterId: 6 } },
      { duplicateFilterView: { filterId: 6 } },
      { deleteProtectedRange: { protectedRangeId: 7 } },
    ]) {
      const answer = await book.batch(request);
      assert.equal(answer.status, 400, JSON.stringify(request));
      assert.match(readErrorMessage(answer), /^Invalid requests\[0\]\.\w+: No /);
    }
  });

  it('limits the spreadsheet in an answer to ranges, with or without their cells', async () => {
    const book = await createSpreadsheet(NUMBERS);
    await book.readReplies({ addSheet: { properties: { title: 'Other' } } });
    const update = { updateSheetProperties: { properties: { sheetId: 0, title: 'First' }, fields: 'title' } };
    const read = async (rest: object) =>
      (
        await book.request('POST', ':batchUpdate', {
          requests: [update],
          includeSpreadsheetInResponse: true,
          ...rest,
        })
      ).body['updatedSpreadsheet'] as unknown as {
        readonly sheets: readonly { readonly properties: { readonly title: string }; readonly data?: object[] }[];
      };
    assert.deepEqual(
      (await read({})).sheets.map(({ properties, data }) => [properties.title, data]),
      [
        ['First', undefined],
        ['Other', undefined],
      ],
    );
    const [only, ...others] = (await read({ responseRanges: ['First!B2:C2'], responseIncludeGridData: true })).sheets;
    assert.deepEqual([only?.properties.title, others.length], ['First', 0]);
    const [data] = (only?.data ?? []) as { startRow: number; rowData: { values: { formattedValue: string }[] }[] }[];
    assert.deepEqual(
      [data?.startRow, data?.rowData.map(({ values }) => values.map(({ formattedValue }) => formattedValue))],
      [1, [['5', '6']]],
    );
  });

  it('reads, writes and clears by data filters', async () => {
    const book = await createSpreadsheet(NUMBERS);
    await book.readReplies({
      createDeveloperMetadata: {
        developerMetadata: {
          metadataId: 9,
          metadataKey: 'total',
          visibility: 'DOCUMENT',
          location: { dimensionRange: createRowRange(2, 3) },
        },
      },
    });
    const lookup = { developerMetadataLookup: { metadataKey: 'total' } };
    const read = await book.request('POST', '/values:batchGetByDataFilter', {
      dataFilters: [{ a1Range: 'A1:B1' }, lookup, { gridRange: createGridRange(1, 2, 0, 1) }],
      majorDimension: 'COLUMNS',
      valueRenderOption: 'UNFORMATTED_VALUE',
    });
    assert.deepEqual(
      (read.body['valueRanges'] as unknown as { valueRange: { range: string; values: unknown } }[]).map(
        ({ valueRange }) => [valueRange.range, valueRange.values],
      ),
      [
        ['Sheet1!A1:B1', [[1], [2]]],
        ['Sheet1!A3:Z3', [[7], [8], [9]]],
        ['Sheet1!A2', [[4]]],
      ],
    );
    const written = await book.request('POST', '/values:batchUpdateByDataFilter', {
      valueInputOption: 'USER_ENTERED',
      data: [{ dataFilter: lookup, majorDimension: 'ROWS', values: [['=1/4', '50%']] }],
      includeValuesInResponse: true,
      responseValueRenderOption: 'FORMULA',
    });
    assert.equal(written.body['totalUpdatedCells'] as unknown, 2);
    const response = memberAt(written.body, 'responses', 0);
    assert.deepEqual(response['updatedData'], {
      range: 'Sheet1!A3:B3',
      majorDimension: 'ROWS',
      values: [['=1/4', 0.5]],
    });
    assert.deepEqual(response['dataFilter'], lookup);
    const found = await book.request('POST', ':getByDataFilter', { dataFilters: [lookup], includeGridData: true });
    assert.deepEqual(memberAt(found.body, 'sheets', 0, 'data', 0)['startRow'] as unknown, 2);
    const cleared = await book.request('POST', '/values:batchClearByDataFilter', { dataFilters: [lookup] });
    assert.deepEqual(cleared.body['clearedRanges'] as unknown, ['Sheet1!A3:Z3']);
    assert.deepEqual(await book.readValues('A1:C3'), [
      ['1', '2', '3'],
      ['4', '5', '6'],
    ]);
  });

  for (const [option, expected] of [
    ['FORMATTED_VALUE', ['25.00%', '2026-01-02']],
    ['UNFORMATTED_VALUE', [0.25, 46_024]],
    ['FORMULA', ['=1/4', 46_024]],
  ] as const) {
    it(`includes written values as ${option}`, async () => {
      const book = await createSpreadsheet([]);
      await book.readReplies({
        repeatCell: {
          range: createGridRange(0, 1, 0, 1),
          cell: { userEnteredFormat: { numberFormat: { type: 'PERCENT', pattern: '0.00%' } } },
          fields: 'userEnteredFormat.numberFormat',
        },
      });
      const query = `?valueInputOption=USER_ENTERED&includeValuesInResponse=true&responseValueRenderOption=${option}`;
      const { body } = await book.request('PUT', `/values/A1:B1${query}`, { values: [['=1/4', '2026-01-02']] });
      assert.deepEqual(memberAt(body, 'updatedData')['values'] as unknown, [expected]);
    });
  }
});
