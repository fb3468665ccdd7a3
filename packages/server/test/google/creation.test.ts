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

const SECOND = 77;
const RED = { red: 1 };
const condition = { type: 'NUMBER_GREATER', values: [{ userEnteredValue: '1' }] };
const onSecond = (...bounds: readonly [number, number, number, number]) => createGridRange(...bounds, SECOND);

/** Requests that give a spreadsheet every kind of content. */
const CONTENT: readonly object[] = [
  { addSheet: { properties: { title: 'Second', sheetId: SECOND, gridProperties: { rowCount: 40, columnCount: 8 } } } },
  {
    updateCells: {
      start: { sheetId: 0, rowIndex: 0, columnIndex: 0 },
      rows: [
        {
          values: [
            { userEnteredValue: { stringValue: 'a' }, note: 'n', userEnteredFormat: { textFormat: { bold: true } } },
            { userEnteredValue: { formulaValue: '=Second!A1+1' }, dataValidation: { condition, strict: true } },
            {
              userEnteredValue: { stringValue: 'x' },
              userEnteredFormat: { textFormat: { link: { uri: 'https://a.b' } } },
            },
          ],
        },
      ],
      fields: '*',
    },
  },
  {
    updateCells: {
      start: { sheetId: SECOND, rowIndex: 0, columnIndex: 0 },
      rows: [{ values: [{ userEnteredValue: { numberValue: 41 } }] }],
      fields: 'userEnteredValue',
    },
  },
  { mergeCells: { range: createGridRange(7, 9, 0, 2), mergeType: 'MERGE_ALL' } },
  {
    addConditionalFormatRule: {
      rule: {
        ranges: [createGridRange(0, 2, 0, 2)],
        booleanRule: {
          condition: { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: '=$B1>1' }] },
          format: { textFormat: { bold: true } },
        },
      },
    },
  },
  {
    addConditionalFormatRule: {
      rule: {
        ranges: [onSecond(0, 9, 0, 1)],
        gradientRule: { minpoint: { type: 'MIN', color: RED }, maxpoint: { type: 'MAX', color: { green: 1 } } },
      },
      index: 0,
    },
  },
  { setBasicFilter: { filter: { range: createGridRange(0, 5, 0, 2), criteria: { 1: { hiddenValues: ['x'] } } } } },
  {
    addFilterView: {
      filter: {
        title: 'v',
        range: onSecond(0, 5, 0, 2),
        filterSpecs: [{ columnIndex: 0, filterCriteria: { condition } }],
      },
    },
  },
  {
    addBanding: {
      bandedRange: {
        range: createGridRange(20, 22, 0, 1),
        rowProperties: { headerColor: RED, firstBandColor: RED, secondBandColor: { blue: 1 } },
      },
    },
  },
  { addDimensionGroup: { range: createRowRange(10, 12) } },
  {
    updateDimensionGroup: {
      dimensionGroup: { range: createRowRange(10, 12), depth: 1, collapsed: true },
      fields: 'collapsed',
    },
  },
  { addDimensionGroup: { range: { sheetId: SECOND, dimension: 'COLUMNS', startIndex: 1, endIndex: 3 } } },
  {
    createDeveloperMetadata: {
      developerMetadata: {
        metadataKey: 'row',
        visibility: 'DOCUMENT',
        location: { dimensionRange: createRowRange(2, 3) },
      },
    },
  },
  {
    createDeveloperMetadata: {
      developerMetadata: { metadataKey: 'sheet', visibility: 'DOCUMENT', location: { sheetId: SECOND } },
    },
  },
  {
    createDeveloperMetadata: {
      developerMetadata: { metadataKey: 'all', visibility: 'PROJECT', location: { spreadsheet: true } },
    },
  },
  { addNamedRange: { namedRange: { name: 'values', range: onSecond(0, 2, 0, 1) } } },
  {
    updateDimensionProperties: {
      range: createRowRange(30, 33),
      properties: { hiddenByUser: true, pixelSize: 50 },
      fields: 'hiddenByUser,pixelSize',
    },
  },
  { addProtectedRange: { protectedRange: { range: createGridRange(0, 2, 0, 1), description: 'p' } } },
  { addProtectedRange: { protectedRange: { range: { sheetId: SECOND }, unprotectedRanges: [onSecond(0, 1, 0, 1)] } } },
  {
    updateSheetProperties: {
      properties: { sheetId: 0, title: 'First', gridProperties: { frozenRowCount: 1 }, tabColor: RED },
      fields: 'title,gridProperties.frozenRowCount,tabColor',
    },
  },
];

describe('spreadsheets.create', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle({ oneNode: true }));
  });
  after(() => world.close());

  const create = (body: object) => google.request('POST', '/v4/spreadsheets', body);

  it('makes an equal spreadsheet from one that was read', async () => {
    const book = await google.createSpreadsheet();
    await book.readReplies(...CONTENT);
    const whole = await book.read('*', '&includeGridData=true');
    const created = await create(whole);
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const copy = google.getSpreadsheet(String(created.body['spreadsheetId']));
    assert.notEqual(copy.id, book.id);
    const { spreadsheetId: _id, spreadsheetUrl: _url, ...content } = whole as Record<string, unknown>;
    const { spreadsheetId, spreadsheetUrl, ...copied } = (await copy.read('*', '&includeGridData=true')) as Record<
      string,
      unknown
    >;
    assert.equal(spreadsheetId, copy.id);
    assert.ok(String(spreadsheetUrl).includes(copy.id));
    assert.deepEqual(copied, content);
  });

  it('fills sheets for which the caller chooses no id', async () => {
    const cells = (value: object) => [{ rowData: [{ values: [{ userEnteredValue: value }] }] }];
    const { status, body } = await create({
      sheets: [
        { data: cells({ formulaValue: '=Later!A1' }) },
        { properties: { title: 'Later' }, data: cells({ numberValue: 5 }) },
      ],
    });
    assert.equal(status, 200, JSON.stringify(body));
    const book = google.getSpreadsheet(String(body['spreadsheetId']));
    assert.deepEqual(await book.readValues('Sheet1!A1'), [['5']]);
    assert.notEqual(memberAt(body, 'sheets', 1, 'properties')['sheetId'], 0);
  });

  it('gives the sheets the ids and the order that the caller chooses', async () => {
    const first = { properties: { sheetId: 5, title: 'Sheet1', gridProperties: { rowCount: 9, columnCount: 3 } } };
    const second = { properties: { sheetId: 6, title: 'Other' } };
    for (const sheets of [[first], [first, second]]) {
      const { status, body } = await create({ sheets });
      assert.equal(status, 200, JSON.stringify(body));
      const shown = memberAt(body, 'sheets') as unknown as readonly {
        readonly properties: { readonly sheetId: number; readonly title: string };
      }[];
      assert.deepEqual(
        shown.map(({ properties: { sheetId, title } }) => [sheetId, title]),
        sheets.map(({ properties: { sheetId, title } }) => [sheetId, title]),
      );
      const book = google.getSpreadsheet(String(body['spreadsheetId']));
      assert.equal(
        (await book.batch({ updateSheetProperties: { properties: { sheetId: 5, title: 'New' }, fields: 'title' } }))
          .status,
        200,
      );
    }
  });

  it('refuses unknown and unsupported members at any depth', async () => {
    const format = (userEnteredFormat: object) => ({ data: [{ rowData: [{ values: [{ userEnteredFormat }] }] }] });
    const refused: readonly object[] = [
      { charts: [{}] },
      { data: [{ rows: [] }] },
      { data: [{ rowMetadata: [{ height: 1 }] }] },
      { rowGroups: [{ span: {} }] },
      { conditionalFormats: [{ ranges: [{}], booleanRule: { condition, style: {} } }] },
      format({ backgroundColor: { rouge: 1 } }),
      format({ backgroundColorStyle: { color: RED } }),
    ];
    for (const sheet of refused) {
      const answer = await create({ sheets: [sheet] });
      assert.equal(answer.status, 400, JSON.stringify(sheet));
      assert.match(readErrorMessage(answer), /Unknown name/, JSON.stringify(sheet));
    }
    const theme = await create({ sheets: [format({ backgroundColorStyle: { themeColor: 'PINK' } })] });
    assert.deepEqual([theme.status, /Invalid value at .*theme_color/.test(readErrorMessage(theme))], [400, true]);
  });
});
