import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  createSingleSheetParts,
  createTestFolder,
  EXTENDED_RULES,
  readPart,
  writeZip,
} from '../../../files/test/workbook-files.ts';
import { memberAt } from '../http/support.ts';
import { createGridRange, type GoogleClient, type Json, type Spreadsheet, startGoogle, type World } from './support.ts';

const createCondition = (type: string, ...values: readonly string[]) => ({
  type,
  ...(values.length > 0 && { values: values.map((userEnteredValue) => ({ userEnteredValue })) }),
});
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const folder = await createTestFolder();

describe('rules of an imported file', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  const formatAddress = (path: string) => `${world.server.address}/google${path}`;
  const createAuthorization = () => ({ authorization: `Bearer ${google.token}` });

  async function exportFile({ id }: Spreadsheet): Promise<Buffer> {
    const file = await fetch(formatAddress(`/spreadsheets/d/${id}/export?format=xlsx`), {
      headers: createAuthorization(),
    });
    return Buffer.from(await file.arrayBuffer());
  }

  const copyThroughFile = async (book: Spreadsheet): Promise<Spreadsheet> => importFile(await exportFile(book));

  async function importFile(body: Buffer): Promise<Spreadsheet> {
    const imported = await fetch(formatAddress('/upload/drive/v3/files?uploadType=media'), {
      method: 'POST',
      headers: { ...createAuthorization(), 'content-type': XLSX },
      body: new Uint8Array(body),
    });
    return google.getSpreadsheet(String(((await imported.json()) as Json)['id']));
  }

  const readValidation = async (book: Spreadsheet, cell: string): Promise<Json | undefined> => {
    const body = await book.read('sheets.data.rowData.values.dataValidation', `&ranges=${cell}`);
    return memberAt(body, 'sheets', 0, 'data', 0)['rowData']?.[0]?.['values']?.[0]?.['dataValidation'];
  };

  const RULES = [
    createCondition('NUMBER_BETWEEN', '1', '=$H$1'),
    createCondition('NUMBER_GREATER', '2.5'),
    createCondition('DATE_AFTER', '2026-01-31'),
    createCondition('ONE_OF_LIST', 'a', 'b c'),
    createCondition('ONE_OF_RANGE', '=Sheet1!$H$1:$H$3'),
    createCondition('BOOLEAN'),
    createCondition('CUSTOM_FORMULA', '=LEN(G1)>2'),
  ];

  it("are returned as Google's validation rules", async () => {
    const book = await google.createSpreadsheet();
    await book.readReplies(
      ...RULES.map((rule, column) => ({
        setDataValidation: {
          range: createGridRange(0, 3, column, column + 1),
          rule: { condition: rule, strict: column % 2 === 0, inputMessage: 'enter' },
        },
      })),
    );
    const copy = await copyThroughFile(book);
    for (const [column, rule] of RULES.entries()) {
      const cell = `${String.fromCharCode(65 + column)}1`;
      const { condition: read, strict = false, inputMessage } = (await readValidation(copy, cell)) as Json;
      assert.deepEqual([read, strict, inputMessage], [rule, column % 2 === 0, 'enter'], cell);
    }
  });

  it('are replaced where validation rules are set over them', async () => {
    const book = await google.createSpreadsheet();
    const set = (top: number, bottom: number, formula: string) => ({
      setDataValidation: {
        range: createGridRange(top, bottom, 0, 1),
        rule: { condition: createCondition('CUSTOM_FORMULA', formula), strict: true },
      },
    });
    await book.readReplies(set(0, 5, '=A1>B1'));
    const copy = await copyThroughFile(book);
    await copy.readReplies(set(0, 2, '=A1<0'));
    assert.deepEqual((await readValidation(copy, 'A1'))?.['condition'], createCondition('CUSTOM_FORMULA', '=A1<0'));
    assert.deepEqual((await readValidation(copy, 'A3'))?.['condition'], createCondition('CUSTOM_FORMULA', '=A3>B3'));
    await copy.readReplies({ setDataValidation: { range: createGridRange(0, 5, 0, 1) } });
    assert.equal(await readValidation(copy, 'A3'), undefined);
  });

  it('are read from the extension of Excel 2010, and stay in the file unless they are replaced', async () => {
    const path = join(folder, 'extended.xlsx');
    await writeZip(path, createSingleSheetParts(EXTENDED_RULES));
    const book = await importFile(await readFile(path));
    const { sheets } = await book.read('sheets(properties.sheetId,conditionalFormats)');
    assert.deepEqual(memberAt(sheets, 0)['conditionalFormats'], undefined);
    const list = { condition: createCondition('ONE_OF_RANGE', '=$D$1:$D$3'), strict: true, showCustomUi: true };
    assert.deepEqual(await readValidation(book, 'A1'), list);
    const sheetId = Number(memberAt(sheets, 0, 'properties')['sheetId'] ?? 0);
    const range = createGridRange(0, 1, 0, 1, sheetId);
    const rule = { condition: createCondition('NUMBER_GREATER', '5'), strict: true };
    await book.readReplies({ setDataValidation: { range, rule } });
    const source = createGridRange(1, 2, 0, 1, sheetId);
    const destination = createGridRange(0, 1, 1, 2, sheetId);
    await book.readReplies({ copyPaste: { source, destination, pasteType: 'PASTE_DATA_VALIDATION' } });
    const exported = await exportFile(book);
    await writeFile(path, exported);
    const sheet = await readPart(path, 'xl/worksheets/sheet1.xml');
    assert.deepEqual(
      [...sheet.matchAll(/<x14:(dataValidation|cfRule) .*?<xm:sqref>(.*?)<\/xm:sqref>/gs)].map(([, name, cells]) => [
        name,
        cells,
      ]),
      [
        ['cfRule', 'C1:C9'],
        ['dataValidation', 'A2:A9'],
      ],
    );
    const copy = await importFile(exported);
    const conditions = [];
    for (const cell of ['A1', 'A2', 'B1']) conditions.push((await readValidation(copy, cell))?.['condition']);
    assert.deepEqual(conditions, [
      rule.condition,
      createCondition('ONE_OF_RANGE', '=$D$1:$D$3'),
      createCondition('ONE_OF_RANGE', '=$D$1:$D$3'),
    ]);
  });

  it('are returned as conditional formats that can be updated, moved and deleted', async () => {
    const book = await google.createSpreadsheet();
    const green = { backgroundColor: { green: 1 }, backgroundColorStyle: { rgbColor: { green: 1 } } };
    const bold = { textFormat: { bold: true } };
    const rules = [
      { booleanRule: { condition: createCondition('CUSTOM_FORMULA', '=$B1>MAX($C$1:$C$9)'), format: green } },
      { booleanRule: { condition: createCondition('NUMBER_LESS', '=$C$1'), format: bold } },
      { booleanRule: { condition: createCondition('TEXT_CONTAINS', 'x"y'), format: green } },
      { booleanRule: { condition: createCondition('TEXT_EQ', 'done'), format: bold } },
      { booleanRule: { condition: createCondition('BLANK'), format: green } },
      {
        gradientRule: {
          minpoint: { color: { red: 1 }, colorStyle: { rgbColor: { red: 1 } }, type: 'MIN' },
          midpoint: { color: { blue: 1 }, colorStyle: { rgbColor: { blue: 1 } }, type: 'PERCENT', value: '50' },
          maxpoint: { color: { green: 1 }, colorStyle: { rgbColor: { green: 1 } }, type: 'NUMBER', value: '=$C$1' },
        },
      },
    ];
    const ranges = [createGridRange(0, 9, 0, 1)];
    await book.readReplies(
      ...rules.map((rule, index) => ({ addConditionalFormatRule: { index, rule: { ranges, ...rule } } })),
    );
    const copy = await copyThroughFile(book);
    const read = async () => {
      const { sheets } = await copy.read('sheets.conditionalFormats(booleanRule,gradientRule)');
      return (memberAt(sheets, 0)['conditionalFormats'] ?? []) as unknown as readonly unknown[];
    };
    assert.deepEqual(await read(), rules);
    const { sheets } = await copy.read('sheets.properties.sheetId');
    const sheetId = Number(memberAt(sheets, 0, 'properties')['sheetId'] ?? 0);
    await copy.readReplies(
      { deleteConditionalFormatRule: { sheetId, index: 0 } },
      { updateConditionalFormatRule: { sheetId, index: 0, newIndex: 1 } },
    );
    const [, second, third, ...others] = rules;
    assert.deepEqual(await read(), [third, second, ...others]);
  });
});
