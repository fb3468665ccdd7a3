import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createGridRange, type GoogleClient, type Json, startGoogle, type World } from './support.ts';

/** A batch that repeats its work for each earlier rule takes longer than a batch may, with this many rules. */
const ROWS = 1_000;

const createNumberRule = (least: string) => ({
  condition: { type: 'NUMBER_GREATER', values: [{ userEnteredValue: least }] },
});
const createFormatRule = (row: number, formula: string) => ({
  ranges: [createGridRange(row, row + 1, 1, 2)],
  booleanRule: {
    condition: { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: formula }] },
    format: { textFormat: { bold: true } },
  },
});

/**
 * The default would also limit the elapsed time of a batch, to three times its value, and a busy machine runs the tests
 * of many files at once.
 */
const CALCULATION_MS = 300_000;

describe('a batchUpdate with many rules of one sheet', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle({ limits: { calculationMs: CALCULATION_MS } }));
  });
  after(() => world.close());

  it('stores a rule, a conditional format, a name and metadata for each row', async () => {
    const book = await google.createSpreadsheet();
    const createRowRules = (row: number): readonly object[] => [
      { setDataValidation: { range: createGridRange(row, row + 1, 0, 1), rule: createNumberRule(String(row)) } },
      { addConditionalFormatRule: { index: row, rule: createFormatRule(row, `=A${row + 1}>1`) } },
      { addNamedRange: { namedRange: { name: `name_${row}`, range: createGridRange(row, row + 1, 0, 1) } } },
      {
        createDeveloperMetadata: {
          developerMetadata: {
            metadataKey: `row ${row}`,
            visibility: 'DOCUMENT',
            location: { dimensionRange: { sheetId: 0, dimension: 'ROWS', startIndex: row, endIndex: row + 1 } },
          },
        },
      },
      {
        repeatCell: {
          range: createGridRange(row, row + 1, 1, 2),
          cell: { userEnteredFormat: { textFormat: { italic: true } } },
          fields: 'userEnteredFormat.textFormat.italic',
        },
      },
    ];
    const grow = { appendDimension: { sheetId: 0, dimension: 'ROWS', length: ROWS } };
    const replies = await book.readReplies(
      grow,
      ...Array.from({ length: ROWS }, (_, row) => createRowRules(row)).flat(),
    );
    const [, , , name, metadata] = replies as unknown as readonly Json[];
    assert.equal((name?.['addNamedRange']?.['namedRange'] as Json | undefined)?.['name'], 'name_0');
    assert.deepEqual(metadata?.['createDeveloperMetadata']?.['developerMetadata']?.['location'], {
      locationType: 'ROW',
      dimensionRange: { dimension: 'ROWS', startIndex: 0, endIndex: 1 },
    });
    const stored = await book.read(
      'namedRanges.name,sheets(conditionalFormats.booleanRule.condition.values,data(rowMetadata.developerMetadata.metadataKey,rowData.values.dataValidation.condition.values))',
    );
    const [sheet] = stored['sheets'] as unknown as readonly [
      {
        readonly conditionalFormats: readonly object[];
        readonly data: readonly [{ readonly rowMetadata: readonly object[]; readonly rowData: readonly object[] }];
      },
    ];
    const [{ rowMetadata, rowData }] = sheet.data;
    const at = ROWS - 1;
    assert.equal((stored['namedRanges'] as unknown as readonly object[]).length, ROWS);
    assert.deepEqual(sheet.conditionalFormats[at], {
      booleanRule: { condition: { values: [{ userEnteredValue: `=A${ROWS}>1` }] } },
    });
    assert.deepEqual(rowMetadata[at], { developerMetadata: [{ metadataKey: `row ${at}` }] });
    assert.deepEqual(rowData[at], {
      values: [{ dataValidation: { condition: { values: [{ userEnteredValue: String(at) }] } } }],
    });
  });

  it('replaces only the cells of older rules that a later rule covers', async () => {
    const book = await google.createSpreadsheet();
    const custom = {
      condition: { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: '=B2>A2' }] },
    };
    await book.readReplies(
      { setDataValidation: { range: createGridRange(1, 6, 0, 1), rule: custom } },
      { setDataValidation: { range: createGridRange(1, 3, 0, 1), rule: createNumberRule('7') } },
      { setDataValidation: { range: createGridRange(4, 5, 0, 3) } },
    );
    const { sheets } = await book.read('sheets.data.rowData.values.dataValidation.condition.values');
    const [{ data }] = sheets as unknown as readonly [
      { readonly data: readonly [{ readonly rowData: readonly Json[] }] },
    ];
    const texts = data[0].rowData.map((row) => JSON.stringify(row).match(/"userEnteredValue":"([^"]*)"/)?.[1]);
    assert.deepEqual(texts, [undefined, '7', '7', '=B4>A4', undefined, '=B4>A4']);
  });

  it('sees conditional formats of earlier requests in later ones', async () => {
    const book = await google.createSpreadsheet();
    const duplicate = { duplicateSheet: { sourceSheetId: 0, newSheetId: 7, newSheetName: 'Copy' } };
    const replies = (await book.readReplies(
      { addConditionalFormatRule: { index: 0, rule: createFormatRule(0, '=A1>1') } },
      { addConditionalFormatRule: { index: 0, rule: createFormatRule(1, '=A2>2') } },
      { updateConditionalFormatRule: { sheetId: 0, index: 0, newIndex: 1 } },
      { insertDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 1 } } },
      duplicate,
      { deleteConditionalFormatRule: { sheetId: 0, index: 1 } },
    )) as unknown as readonly Json[];
    const deleted = replies[5]?.['deleteConditionalFormatRule']?.['rule'] as unknown as { readonly ranges: unknown };
    assert.deepEqual(deleted.ranges, [{ startRowIndex: 2, endRowIndex: 3, startColumnIndex: 1, endColumnIndex: 2 }]);
    const { sheets } = await book.read('sheets(properties.title,conditionalFormats.booleanRule.condition.values)');
    const formulas = (sheets as unknown as readonly Json[]).map((sheet) => [
      sheet['properties']?.['title'],
      ...JSON.stringify(sheet)
        .matchAll(/"userEnteredValue":"([^"]*)"/g)
        .map(([, formula]) => formula),
    ]);
    assert.deepEqual(formulas, [
      ['Copy', '=A2>1', '=A3>2'],
      ['Sheet1', '=A2>1'],
    ]);
  });
});
