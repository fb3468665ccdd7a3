import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { readPart } from '../../../files/test/workbook-files.ts';
import { memberAt } from '../http/support.ts';
import { createGridRange, type GoogleClient, type Json, type Spreadsheet, startGoogle, type World } from './support.ts';

const LISTS = 7;
const createDimensionRange = (dimension: 'ROWS' | 'COLUMNS', startIndex: number, endIndex: number, sheetId = 0) => ({
  ...{ sheetId, dimension, startIndex, endIndex },
});
const createCustomRule = (...formulas: readonly string[]) => ({
  type: 'CUSTOM_FORMULA',
  values: formulas.map((userEnteredValue) => ({ userEnteredValue })),
});
const createValidation = (cells: object, condition: object) => ({
  setDataValidation: { range: cells, rule: { condition, strict: true } },
});
const createRenameRequest = (sheetId: number, title: string) => ({
  updateSheetProperties: { properties: { sheetId, title }, fields: 'title' },
});

/** All formulas in the rules of the first sheet, sorted. */
async function readFormulas(book: Spreadsheet): Promise<readonly string[]> {
  const { sheets } = await book.read(
    'sheets(conditionalFormats,filterViews.criteria,basicFilter.criteria,data.rowData.values.dataValidation)',
    '&includeGridData=true',
  );
  const texts = new Set<string>();
  JSON.stringify(sheets, (name, value: unknown) => {
    if ((name === 'userEnteredValue' || name === 'value') && typeof value === 'string') texts.add(value);
    return value;
  });
  return [...texts].sort();
}

describe('formulas in stored rules', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  /** Creates a spreadsheet with the sheets Sheet1 and Lists. */
  const createTwoSheets = async (): Promise<Spreadsheet> => {
    const book = await google.createSpreadsheet();
    await book.readReplies({ addSheet: { properties: { title: 'Lists', sheetId: LISTS } } });
    return book;
  };

  const createRules = async (): Promise<Spreadsheet> => {
    const book = await createTwoSheets();
    await book.readReplies(
      createValidation(createGridRange(1, 5, 1, 2), createCustomRule('= b2 > $J$1')),
      createValidation(createGridRange(1, 5, 2, 3), {
        type: 'ONE_OF_RANGE',
        values: [{ userEnteredValue: '=Lists!$A$1:$A$3' }],
      }),
      {
        addConditionalFormatRule: {
          rule: {
            ranges: [createGridRange(1, 5, 3, 4)],
            booleanRule: { condition: createCustomRule('=$A2="x"'), format: {} },
          },
        },
      },
      {
        addConditionalFormatRule: {
          rule: {
            ranges: [createGridRange(1, 5, 4, 5)],
            gradientRule: {
              minpoint: { color: { red: 1 }, type: 'NUMBER', value: '=Lists!B1' },
              maxpoint: { color: { green: 1 }, type: 'MAX' },
            },
          },
        },
      },
      {
        addFilterView: {
          filter: {
            title: 'Mine',
            range: createGridRange(0, 5, 5, 7),
            criteria: { 5: { condition: createCustomRule('=F2>$J$1') } },
          },
        },
      },
      {
        setBasicFilter: {
          filter: {
            range: createGridRange(0, 5, 0, 2),
            criteria: { 0: { condition: createCustomRule('=A2>Lists!A1') } },
          },
        },
      },
    );
    return book;
  };

  const SENT = ['= b2 > $J$1', '=Lists!$A$1:$A$3', '=$A2="x"', '=Lists!B1', '=F2>$J$1', '=A2>Lists!A1'];
  const EDITS: readonly (readonly [what: string, request: object, formulas: readonly string[]])[] = [
    [
      'rows are inserted above',
      { insertDimension: { range: createDimensionRange('ROWS', 1, 3) } },
      ['=B4>$J$1', '=Lists!$A$1:$A$3', '=$A4="x"', '=Lists!B1', '=F4>$J$1', '=A4>Lists!A1'],
    ],
    [
      'the row of a reference is deleted',
      { deleteDimension: { range: createDimensionRange('ROWS', 0, 1, LISTS) } },
      ['= b2 > $J$1', '=Lists!$A$1:$A$2', '=$A2="x"', '=#REF!', '=F2>$J$1', '=A2>#REF!'],
    ],
    [
      'a column is inserted between',
      { insertDimension: { range: createDimensionRange('COLUMNS', 1, 2) } },
      ['=C2>$K$1', '=Lists!$A$1:$A$3', '=$A2="x"', '=Lists!B1', '=G2>$K$1', '=A2>Lists!A1'],
    ],
    [
      'columns move',
      { moveDimension: { source: createDimensionRange('COLUMNS', 9, 10), destinationIndex: 2 } },
      ['=B2>$C$1', '=Lists!$A$1:$A$3', '=$A2="x"', '=Lists!B1', '=G2>$C$1', '=A2>Lists!A1'],
    ],
    [
      'referenced rows of another sheet move',
      { moveDimension: { source: createDimensionRange('ROWS', 0, 3, LISTS), destinationIndex: 5 } },
      ['= b2 > $J$1', '=Lists!$A$3:$A$5', '=$A2="x"', '=Lists!B3', '=F2>$J$1', '=A2>Lists!A3'],
    ],
    [
      'another sheet is renamed',
      createRenameRequest(LISTS, 'My lists'),
      ['= b2 > $J$1', "='My lists'!$A$1:$A$3", '=$A2="x"', "='My lists'!B1", '=F2>$J$1', "=A2>'My lists'!A1"],
    ],
    [
      'another sheet is deleted',
      { deleteSheet: { sheetId: LISTS } },
      ['= b2 > $J$1', '=#REF!', '=$A2="x"', '=F2>$J$1', '=A2>#REF!'],
    ],
    [
      'a rule loses its first cells',
      createValidation(createGridRange(1, 3, 1, 2), { type: 'NOT_BLANK' }),
      ['=B4>$J$1', '=Lists!$A$1:$A$3', '=$A2="x"', '=Lists!B1', '=F2>$J$1', '=A2>Lists!A1'],
    ],
    [
      'referenced cells are cut and pasted',
      {
        cutPaste: {
          source: createGridRange(0, 1, 9, 10),
          destination: { sheetId: LISTS, rowIndex: 4, columnIndex: 4 },
        },
      },
      ['=B2>Lists!$E$5', '=Lists!$A$1:$A$3', '=$A2="x"', '=Lists!B1', '=F2>Lists!$E$5', '=A2>Lists!A1'],
    ],
  ];

  for (const [what, request, formulas] of EDITS) {
    it(`follow if ${what}, and return with undo`, async () => {
      const book = await createRules();
      assert.deepEqual(await readFormulas(book), SENT.toSorted());
      const api = world.apiFor(google.token, book.id);
      await book.readReplies(request);
      assert.deepEqual(await readFormulas(book), formulas.toSorted());
      assert.equal((await api.undo(Number(await api.revision()))).status, 200);
      assert.deepEqual(await readFormulas(book), SENT.toSorted());
    });
  }

  it('keep their text if the sheet that they name comes later', async () => {
    const book = await google.createSpreadsheet();
    await book.readReplies(createValidation(createGridRange(0, 1, 0, 1), createCustomRule('=A1>Later!B1')), {
      addSheet: { properties: { title: 'Later', sheetId: 9 } },
    });
    await book.readReplies({ insertDimension: { range: createDimensionRange('COLUMNS', 0, 1, 9) } });
    assert.deepEqual(await readFormulas(book), ['=A1>Later!C1']);
  });

  it('are pasted relative to their new cells', async () => {
    const book = await createTwoSheets();
    const pasted = { destination: createGridRange(4, 6, 3, 4), pasteType: 'PASTE_DATA_VALIDATION' };
    await book.readReplies(createValidation(createGridRange(0, 4, 0, 1), createCustomRule('=A1>$C1')), {
      copyPaste: { source: createGridRange(1, 3, 0, 1), ...pasted },
    });
    assert.deepEqual(await readFormulas(book), ['=A1>$C1', '=D5>$C5']);
    await book.readReplies(
      {
        addConditionalFormatRule: {
          rule: {
            ranges: [createGridRange(0, 4, 0, 1)],
            booleanRule: { condition: createCustomRule('=B$1=A1'), format: {} },
          },
        },
      },
      {
        copyPaste: {
          source: createGridRange(1, 3, 0, 1),
          destination: createGridRange(4, 6, 3, 4, LISTS),
          pasteType: 'PASTE_CONDITIONAL_FORMATTING',
        },
      },
    );
    const { sheets } = await book.read('sheets.conditionalFormats(ranges,booleanRule.condition)');
    assert.deepEqual(memberAt(sheets, 1)['conditionalFormats'], [
      { ranges: [createGridRange(4, 6, 3, 4, LISTS)], booleanRule: { condition: createCustomRule('=E$1=D5') } },
    ]);
  });

  it('are written in the locale of the document', async () => {
    const created = await google.request('POST', '/v4/spreadsheets', { properties: { title: 'F', locale: 'fr_FR' } });
    const book = google.getSpreadsheet(String(created.body['spreadsheetId']));
    await book.readReplies(createValidation(createGridRange(0, 4, 0, 1), createCustomRule('=MAX(A1;1,5)>B1')));
    await book.readReplies({ insertDimension: { range: createDimensionRange('ROWS', 0, 1) } });
    assert.deepEqual(await readFormulas(book), ['=MAX(A2;1,5)>B2']);
    const settings = { updateSpreadsheetProperties: { properties: { locale: 'en_US' }, fields: 'locale' } };
    await book.readReplies(settings);
    assert.deepEqual(await readFormulas(book), ['=MAX(A2,1.5)>B2']);
  });

  it('follow as the same formula in the same cell does', async () => {
    const formula = fc.constantFrom('=A1>C3', '=$C3+D$4', '=SUM(A2:C5)', '=Lists!B2', '=SUM(Lists!A1:C9)', '=B2&B:B');
    const sheetId = fc.constantFrom(0, LISTS);
    const line = fc.integer({ min: 0, max: 5 });
    const dimension = fc.constantFrom('ROWS' as const, 'COLUMNS' as const);
    const edit = fc.oneof(
      fc.tuple(dimension, line, sheetId).map(([axis, at, id]) => ({
        insertDimension: { range: createDimensionRange(axis, at, at + 2, id) },
      })),
      fc.tuple(dimension, line, sheetId).map(([axis, at, id]) => ({
        deleteDimension: { range: createDimensionRange(axis, at, at + 1, id) },
      })),
      fc
        .tuple(dimension, line, fc.constantFrom(0, 8), sheetId)
        .filter(([, at, to]) => to < at || to > at + 2)
        .map(([axis, at, destinationIndex, id]) => ({
          moveDimension: { source: createDimensionRange(axis, at, at + 2, id), destinationIndex },
        })),
      fc.constantFrom('Other', 'Two words').map((title) => createRenameRequest(LISTS, title)),
    );
    await fc.assert(
      fc.asyncProperty(formula, fc.array(edit, { minLength: 1, maxLength: 6 }), async (text, edits) => {
        const book = await createTwoSheets();
        await book.put('B2', [[text]]);
        await book.readReplies(createValidation(createGridRange(1, 2, 1, 2), createCustomRule(text)));
        const api = world.apiFor(google.token, book.id);
        const start = Number(await api.revision());
        for (const request of edits) await book.readReplies(request);
        const fields = 'sheets.data.rowData.values(userEnteredValue,dataValidation)';
        const cells = JSON.stringify((await book.read(fields)) as Json);
        const ofCell = /"formulaValue":("(?:[^"\\]|\\.)*")/.exec(cells)?.[1];
        const ofRule = /"values":\[\{"userEnteredValue":("(?:[^"\\]|\\.)*")/.exec(cells)?.[1];
        assert.equal(ofRule, ofCell, cells);
        for (let at = Number(await api.revision()); at > start; at--) await api.undo(at);
        assert.deepEqual(await readFormulas(book), [text]);
      }),
      { numRuns: scaleRunCount(36) },
    );
  });

  it('and areas that are not protected follow their cells', async () => {
    const book = await createTwoSheets();
    await book.readReplies({
      addProtectedRange: {
        protectedRange: { range: createGridRange(0, 9, 0, 4), unprotectedRanges: [createGridRange(3, 5, 1, 2)] },
      },
    });
    await book.readReplies({ insertDimension: { range: createDimensionRange('ROWS', 0, 2) } });
    const read = async () =>
      memberAt(await book.read('sheets.protectedRanges'), 'sheets', 0, 'protectedRanges', 0)['unprotectedRanges'];
    const moved = { startRowIndex: 5, endRowIndex: 7, startColumnIndex: 1, endColumnIndex: 2 };
    assert.deepEqual(await read(), [moved]);
    const id = memberAt(await book.read('sheets.protectedRanges'), 'sheets', 0, 'protectedRanges', 0)[
      'protectedRangeId'
    ] as unknown as number;
    const update = (fields: string, rest: object) => ({
      updateProtectedRange: { protectedRange: { protectedRangeId: id, ...rest }, fields },
    });
    await book.readReplies(update('description', { description: 'inputs' }));
    assert.deepEqual(await read(), [moved]);
    await book.readReplies(update('unprotectedRanges', { unprotectedRanges: [] }));
    assert.equal(await read(), undefined);
  });

  it('of a file follow between its import and its export, as the service’s rules do', async () => {
    const book = await createRules();
    const folder = await mkdtemp(join(tmpdir(), 'cellwire-rules-'));
    const exportSheetXml = async (id: string): Promise<readonly string[]> => {
      const address = `${world.server.address}/google/spreadsheets/d/${id}/export?format=xlsx`;
      const answer = await fetch(address, { headers: { authorization: `Bearer ${google.token}` } });
      const path = join(folder, `${id}.xlsx`);
      await writeFile(path, Buffer.from(await answer.arrayBuffer()));
      const sheet = await readPart(path, 'xl/worksheets/sheet1.xml');
      return [...sheet.matchAll(/<formula1?>([^<]*)<|<cfvo type="num" val="([^"]*)"/g)].map(([, a, b]) => a ?? b ?? '');
    };
    try {
      const fileFormulas = ['$A2=&quot;x&quot;', 'Lists!B1', 'B2&gt;$J$1', 'Lists!$A$1:$A$3'];
      assert.deepEqual((await exportSheetXml(book.id)).toSorted(), fileFormulas.toSorted());
      const upload = await fetch(`${world.server.address}/google/upload/drive/v3/files?uploadType=media`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${google.token}`,
          'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        },
        body: await fetch(`${world.server.address}/google/spreadsheets/d/${book.id}/export?format=xlsx`, {
          headers: { authorization: `Bearer ${google.token}` },
        }).then((answer) => answer.arrayBuffer()),
      });
      const imported = google.getSpreadsheet(String(((await upload.json()) as Json)['id']));
      const ids = (await imported.read('sheets.properties'))['sheets'] as Json;
      const lists = Number(memberAt(ids, 1, 'properties')['sheetId']);
      const first = Number(memberAt(ids, 0, 'properties')['sheetId'] ?? 0);
      for (const [at, own, other] of [
        [book, 0, LISTS],
        [imported, first, lists],
      ] as const) {
        await at.readReplies(
          { insertDimension: { range: createDimensionRange('ROWS', 0, 1, own) } },
          { insertDimension: { range: createDimensionRange('COLUMNS', 0, 1, other) } },
          createRenameRequest(other, 'My lists'),
        );
      }
      const followed = ['$A3=&quot;x&quot;', "'My lists'!C1", 'B3&gt;$J$2', "'My lists'!$B$1:$B$3"];
      assert.deepEqual((await exportSheetXml(book.id)).toSorted(), followed.toSorted());
      assert.deepEqual((await exportSheetXml(imported.id)).toSorted(), followed.toSorted());
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
