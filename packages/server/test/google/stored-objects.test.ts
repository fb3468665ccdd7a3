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
import { memberAt } from '../http/support.ts';
import {
  createGridRange,
  createRowRange,
  type GoogleClient,
  type Json,
  readErrorMessage,
  startGoogle,
  type World,
} from './support.ts';

describe('objects that batchUpdate stores with a spreadsheet', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  it('exports formats, borders and notes as .xlsx without losses', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['title']]);
    const border = { style: 'SOLID', color: { red: 1 } };
    await book.readReplies(
      {
        repeatCell: {
          range: createGridRange(0, 1, 0, 1),
          cell: { userEnteredFormat: { textFormat: { bold: true } }, note: 'hi & <bye>' },
          fields: 'userEnteredFormat.textFormat,note',
        },
      },
      { updateBorders: { range: createGridRange(0, 2, 0, 2), top: border, innerVertical: border } },
    );
    const exported = await world
      .apiFor(google.token, book.id)
      .requestInDocument('GET', '/export?format=xlsx&report=true');
    assert.deepEqual(memberAt(exported.body, 'report')['leftOut'], []);
    const borders = (await book.read('sheets.data.rowData.values.userEnteredFormat.borders', '&ranges=A1:B2'))[
      'sheets'
    ];
    assert.deepEqual(
      Object.keys(memberAt(borders, 0, 'data', 0, 'rowData', 0, 'values', 1, 'userEnteredFormat', 'borders')),
      ['top', 'left'],
    );
    assert.deepEqual(
      memberAt(await book.read('sheets.data.rowData.values.note', '&ranges=A1'), 'sheets', 0, 'data')[0],
      {
        rowData: [{ values: [{ note: 'hi & <bye>' }] }],
      },
    );
  });

  it('exports data validation, conditional formats and banding, and reports rules that .xlsx lacks', async () => {
    const book = await google.createSpreadsheet();
    const createRule = (column: number, type: string, ...values: readonly string[]) => ({
      setDataValidation: {
        range: createGridRange(0, 3, column, column + 1),
        rule: { condition: { type, values: values.map((userEnteredValue) => ({ userEnteredValue })) }, strict: true },
      },
    });
    const format = (index: number, rest: object) => ({
      addConditionalFormatRule: { index, rule: { ranges: [createGridRange(0, 3, index, index + 1)], ...rest } },
    });
    const createCondition = (type: string, userEnteredValue: string) => ({ type, values: [{ userEnteredValue }] });
    const green = { backgroundColor: { green: 1 } };
    await book.readReplies(
      createRule(0, 'ONE_OF_LIST', 'a', '<b>'),
      createRule(1, 'DATE_ON_OR_AFTER', '2026-01-31'),
      createRule(2, 'CUSTOM_FORMULA', '=C1>A1'),
      createRule(3, 'TEXT_IS_EMAIL'),
      format(0, { booleanRule: { condition: createCondition('NUMBER_LESS', '5'), format: green } }),
      format(1, { booleanRule: { condition: createCondition('TEXT_CONTAINS', 'x"y'), format: green } }),
      format(2, { gradientRule: { minpoint: { color: { red: 1 }, type: 'MIN' }, maxpoint: { type: 'MAX' } } }),
      {
        addBanding: {
          bandedRange: {
            range: createGridRange(4, 9, 0, 2),
            rowProperties: { firstBandColor: { red: 1 }, secondBandColor: {} },
          },
        },
      },
    );
    const api = world.apiFor(google.token, book.id);
    const { leftOut } = memberAt(
      (await api.requestInDocument('GET', '/export?format=xlsx&report=true')).body,
      'report',
    );
    assert.deepEqual(leftOut as unknown, [{ kind: 'validations', count: 1, what: 'data validation' }]);
    const folder = await mkdtemp(join(tmpdir(), 'cellwire-rules-'));
    try {
      const path = join(folder, 'book.xlsx');
      const address = `${world.server.address}/google/spreadsheets/d/${book.id}/export?format=xlsx`;
      const answer = await fetch(address, { headers: { authorization: `Bearer ${google.token}` } });
      await writeFile(path, Buffer.from(await answer.arrayBuffer()));
      const sheet = await readPart(path, 'xl/worksheets/sheet1.xml');
      const findMatches = (pattern: RegExp) => [...sheet.matchAll(pattern)].map(([, ...found]) => found);
      assert.deepEqual(findMatches(/<dataValidation sqref="([^"]*)" type="(\w+)"[^>]*><formula1>([^<]*)</g), [
        ['A1:A3', 'list', '&quot;a,&lt;b&gt;&quot;'],
        ['B1:B3', 'date', '46053'],
        ['C1:C3', 'custom', 'C1&gt;A1'],
      ]);
      assert.deepEqual(findMatches(/<conditionalFormatting sqref="([^"]*)"><cfRule type="(\w+)"/g), [
        ['A1:A3', 'cellIs'],
        ['B1:B3', 'containsText'],
        ['C1:C3', 'colorScale'],
        ['A5:B9', 'expression'],
      ]);
      const numbers = findMatches(/ priority="(\d+)"/g).map(([number]) => Number(number));
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

  it('keeps the id of a named range when its name and rows change', async () => {
    const book = await google.createSpreadsheet();
    const [added] = [
      await book.readReplies({ addNamedRange: { namedRange: { name: 'total', range: createGridRange(0, 2, 0, 1) } } }),
    ];
    const { namedRangeId } = memberAt(added, 0, 'addNamedRange')['namedRange'] as unknown as {
      readonly namedRangeId: string;
    };
    await book.put('total', [[1], [2]]);
    assert.deepEqual((await book.get('total')).body['range'], 'Sheet1!A1:A2');
    await book.readReplies({ updateNamedRange: { namedRange: { namedRangeId, name: 'sum' }, fields: 'name' } });
    await book.readReplies({ insertDimension: { range: createRowRange(0, 1) } });
    assert.deepEqual((await book.read('namedRanges'))['namedRanges'], [
      {
        namedRangeId,
        name: 'sum',
        range: { startRowIndex: 1, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 1 },
      },
    ]);
    await book.readReplies({ deleteNamedRange: { namedRangeId } });
    assert.deepEqual(await book.read('namedRanges'), {});
  });

  it('renames a named range in formulas, rules and other names', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [[2], [3]]);
    const namedRangeId = 'rate';
    const added = { namedRangeId, name: 'rate', range: createGridRange(0, 1, 0, 1) };
    await book.readReplies({ addNamedRange: { namedRange: added } });
    await book.put('B1', [['=RATE*10', '=LET(tax, 4, rate*tax)', 'rate', '=Tax']]);
    const condition = { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: '=A1>rate' }] };
    const booleanRule = { condition, format: { textFormat: { bold: true } } };
    await book.readReplies(
      { setDataValidation: { range: createGridRange(1, 2, 0, 1), rule: { condition } } },
      { addConditionalFormatRule: { index: 0, rule: { ranges: [createGridRange(0, 2, 0, 1)], booleanRule } } },
    );
    const update = { updateNamedRange: { namedRange: { namedRangeId, name: 'tax' }, fields: 'name' } };
    await book.readReplies(update);
    assert.deepEqual(await book.readValues('B1:E1', '?valueRenderOption=FORMULA'), [
      ['=tax*10', '=LET(tax,4,Sheet1!tax*tax)', 'rate', '=Tax'],
    ]);
    assert.deepEqual(await book.readValues('B1:E1'), [['20', '8', 'rate', '2']]);
    const rules = await book.read(
      'sheets(conditionalFormats.booleanRule.condition,data.rowData.values.dataValidation)',
    );
    assert.equal(JSON.stringify(rules).split('=A1>tax').length, 3, JSON.stringify(rules));
    // The change of the range is a separate request.
    const range = createGridRange(1, 2, 0, 1);
    await book.readReplies({ updateNamedRange: { namedRange: { namedRangeId, name: 'Tax', range }, fields: '*' } });
    assert.deepEqual(await book.readValues('B1:E1'), [['30', '12', 'rate', '3']]);
    const api = world.apiFor(google.token, book.id);
    assert.equal((await api.undo(Number(await api.revision()))).status, 200);
    assert.deepEqual(await book.readValues('B1'), [['20']]);
  });

  it('refuses a name or an id that another named range has', async () => {
    const book = await google.createSpreadsheet();
    const add = (namedRangeId: string, name: string) => ({
      addNamedRange: { namedRange: { namedRangeId, name, range: createGridRange(0, 1, 0, 1) } },
    });
    await book.readReplies(add('one', 'first'), add('two', 'second'));
    for (const request of [
      add('one', 'third'),
      add('three', 'FIRST'),
      { updateNamedRange: { namedRange: { namedRangeId: 'one', name: 'Second' }, fields: 'name' } },
    ]) {
      const answer = await book.batch(request);
      assert.equal(answer.status, 400);
      assert.match(readErrorMessage(answer), /already exists/);
    }
  });

  it('renames, moves and deletes a name that belongs to one sheet', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [[2, '=1']]);
    await book.readReplies(
      { addNamedRange: { namedRange: { namedRangeId: 'rate', name: 'rate', range: createGridRange(0, 1, 0, 1) } } },
      { duplicateSheet: { sourceSheetId: 0, newSheetId: 5, newSheetName: 'Copy' } },
    );
    await book.put('Copy!B1', [['=rate']]);
    const named = async (): Promise<
      readonly { readonly namedRangeId: string; readonly name: string; readonly range: object }[]
    > => (await book.read('namedRanges'))['namedRanges'] as never;
    const [common, own] = await named();
    assert.deepEqual([common?.namedRangeId, own?.name], ['rate', 'rate']);
    assert.notEqual(own?.namedRangeId, 'rate');
    const namedRange = { namedRangeId: own?.namedRangeId, name: 'tax' };
    await book.readReplies({ updateNamedRange: { namedRange, fields: 'name' } });
    assert.deepEqual(await book.readValues('Copy!B1', '?valueRenderOption=FORMULA'), [['=tax']]);
    await book.readReplies({
      updateNamedRange: {
        namedRange: { ...namedRange, range: createGridRange(0, 1, 2, 3, 5) },
        fields: 'range',
      },
    });
    assert.deepEqual(
      (await named()).map(({ namedRangeId }) => namedRangeId),
      ['rate', own?.namedRangeId],
    );
    await book.readReplies({ deleteNamedRange: { namedRangeId: own?.namedRangeId } });
    assert.deepEqual(
      (await named()).map(({ name }) => name),
      ['rate'],
    );
  });

  it('stores filters, rules, banding and views, and moves them with their rows', async () => {
    const book = await google.createSpreadsheet();
    const replies = await book.readReplies(
      { setBasicFilter: { filter: { range: { sheetId: 0, startRowIndex: 1 } } } },
      {
        addBanding: {
          bandedRange: { range: createGridRange(1, 3, 0, 2), rowProperties: { firstBandColor: { red: 1 } } },
        },
      },
      { addFilterView: { filter: { title: 'Mine', range: createGridRange(1, 3, 0, 2) } } },
      {
        addConditionalFormatRule: {
          index: 0,
          rule: {
            ranges: [createGridRange(1, 3, 0, 1)],
            booleanRule: {
              condition: { type: 'NUMBER_GREATER', values: [{ userEnteredValue: '1' }] },
              format: { textFormat: { bold: true } },
            },
          },
        },
      },
      {
        setDataValidation: {
          range: createGridRange(1, 3, 0, 1),
          rule: { condition: { type: 'BOOLEAN' }, strict: true },
        },
      },
      { insertDimension: { range: createRowRange(0, 2) } },
    );
    const { filterViewId } = memberAt(replies, 2, 'addFilterView')['filter'] as unknown as {
      readonly filterViewId: number;
    };
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
    assert.deepEqual(memberAt(rules, 'sheets', 0, 'data', 0)['rowData'], [
      { values: [{ dataValidation: { strict: true } }] },
    ]);
    await book.readReplies({ clearBasicFilter: { sheetId: 0 } }, { deleteFilterView: { filterId: filterViewId } });
    assert.deepEqual(await book.read('sheets(basicFilter,filterViews)'), { sheets: [{}] });
  });

  it('sets the filter that the API and the console use', async () => {
    const book = await google.createSpreadsheet();
    const api = world.apiFor(google.token, book.id);
    await book.put('A1', [
      ['n', 'word'],
      [1, 'a'],
      [5, 'b'],
      [9, 'c'],
    ]);
    const createCondition = (type: string, ...values: readonly string[]) => ({
      condition: { type, values: values.map((userEnteredValue) => ({ userEnteredValue })) },
    });
    const criteria = { 0: createCondition('NUMBER_GREATER', '3'), 1: { hiddenValues: ['c'] } };
    const sortSpecs = [{ dimensionIndex: 1, sortOrder: 'DESCENDING' }];
    await book.readReplies({ setBasicFilter: { filter: { range: createGridRange(0, 4, 0, 2), criteria, sortSpecs } } });
    const columns = { 1: criteria[0], 2: criteria[1] };
    // The stored filter moves when a column is inserted before it.
    await book.readReplies({ insertDimension: { range: { ...createRowRange(0, 1), dimension: 'COLUMNS' } } });
    const read = async () => memberAt(await book.read('sheets.basicFilter'), 'sheets', 0)['basicFilter'];
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
    assert.deepEqual(memberAt(hidden, 'sheets', 0, 'data', 0)['rowMetadata'], [
      {},
      { hiddenByFilter: true },
      {},
      { hiddenByFilter: true },
    ]);
    const tests = [{ op: 'lte', value: 5 }];
    const filterColumn = { sheet: 'Sheet1', column: 'B', condition: { tests } };
    const set = await api.post('/structure', { operations: [{ filterColumn }] });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    assert.deepEqual(memberAt(await read(), 'criteria'), {
      1: createCondition('NUMBER_LESS_THAN_EQ', '5'),
      2: { hiddenValues: ['c'] },
    });
    await book.readReplies({ clearBasicFilter: { sheetId: 0 } });
    assert.equal(await read(), undefined);
    assert.equal((await api.post('/structure', { operations: [{ filterColumn }] })).status, 422);
    // A list of a file's filter is such a condition in answers, and programs write what they have read.
    const list = createCondition('ONE_OF_LIST', 'b');
    await book.readReplies({
      setBasicFilter: { filter: { range: createGridRange(0, 4, 1, 3), criteria: { 2: list } } },
    });
    assert.deepEqual(memberAt(await read(), 'criteria'), { 2: list });
    const rows = await book.read('sheets.data.rowMetadata.hiddenByFilter', '&ranges=A1:C4');
    assert.deepEqual(memberAt(rows, 'sheets', 0, 'data', 0)['rowMetadata'], [
      {},
      { hiddenByFilter: true },
      {},
      { hiddenByFilter: true },
    ]);
  });

  it('moves the criteria of filter views with their columns, and refuses colours in a basic filter', async () => {
    const book = await google.createSpreadsheet();
    const red = { visibleBackgroundColor: { red: 1 } };
    const [added] = (await book.readReplies({
      addFilterView: { filter: { title: 'Red', range: createGridRange(0, 4, 0, 2), criteria: { 1: red } } },
    })) as unknown as [Json];
    const { filterViewId } = memberAt(added, 'addFilterView')['filter'] as unknown as { readonly filterViewId: number };
    const bothColorMembers = { ...red, visibleBackgroundColorStyle: { rgbColor: { red: 1 } } };
    assert.deepEqual(memberAt(added, 'addFilterView', 'filter')['criteria'], { 1: bothColorMembers });
    await book.readReplies(
      { insertDimension: { range: { ...createRowRange(1, 2), dimension: 'COLUMNS' } } },
      { updateFilterView: { filter: { filterViewId, title: 'Still red' }, fields: 'title' } },
    );
    const readViews = async () =>
      memberAt(await book.read('sheets.filterViews(title,criteria)'), 'sheets', 0)['filterViews'];
    assert.deepEqual(await readViews(), [{ title: 'Still red', criteria: { 2: bothColorMembers } }]);
    const update = { filter: { filterViewId, criteria: {} }, fields: 'criteria' };
    await book.readReplies({ updateFilterView: update });
    assert.deepEqual(await readViews(), [{ title: 'Still red' }]);
    const refused = await book.batch({
      setBasicFilter: { filter: { range: createGridRange(0, 4, 0, 2), criteria: { 1: red } } },
    });
    assert.equal(refused.status, 400);
    assert.match(
      readErrorMessage(refused),
      /"visibleBackgroundColor" at 'requests\[0\]\.set_basic_filter\.filter\.criteria\[1\]'/,
    );
  });

  it('refuses writes of other users to a protected range', async () => {
    const book = await google.createSpreadsheet();
    const ownerApi = world.apiFor(google.token, book.id);
    const { api } = await world.addMember(ownerApi.document, 'edit');
    const other = new (google.constructor as typeof GoogleClient)(google.base, api.token).getSpreadsheet(book.id);
    await book.readReplies({
      addProtectedRange: { protectedRange: { range: createGridRange(0, 1, 0, 1), warningOnly: false } },
    });
    const refused = await other.put('A1', [[1]]);
    assert.equal(refused.status, 400);
    assert.match(readErrorMessage(refused), /You are trying to edit a protected cell/);
    assert.equal((await other.put('B1', [[1]])).status, 200);
    assert.equal((await book.put('A1', [[1]])).status, 200);
    const protectedRanges = await other.read('sheets.protectedRanges');
    assert.equal(memberAt(protectedRanges, 'sheets', 0, 'protectedRanges', 0)['requestingUserCanEdit'], undefined);
  });

  it('names the present addresses of editors of a protected range, without erased users', async () => {
    const book = await google.createSpreadsheet();
    const { id: user, api } = await world.addMember(book.id, 'edit');
    const other = new (google.constructor as typeof GoogleClient)(google.base, api.token).getSpreadsheet(book.id);
    const { context } = world.server.service;
    const readEmail = async () => (await context.database.readOne(userById({ id: Number(user) })))?.email ?? '';
    const users = [await readEmail(), 'stranger@example.net'];
    const protectedRange = { range: createGridRange(0, 1, 0, 1), editors: { users } };
    const [reply] = [await book.readReplies({ addProtectedRange: { protectedRange } })];
    const listEditors = (one: Json) => memberAt(one, 'editors')['users'] as unknown as readonly string[];
    const readEditors = async () =>
      listEditors(memberAt(await book.read('sheets.protectedRanges'), 'sheets', 0, 'protectedRanges', 0));
    const made = listEditors(memberAt(reply, 0, 'addProtectedRange', 'protectedRange'));
    assert.equal(made.length, 3);
    assert.deepEqual(made.toSorted(), (await readEditors()).toSorted());
    assert.deepEqual(made.slice(1), users);
    assert.equal((await other.put('A1', [[1]])).status, 200);

    assert.ok(!isRefusal(await changeEmail(context, { user, email: 'moved@example.org' })));
    assert.deepEqual((await readEditors()).slice(1), ['moved@example.org', 'stranger@example.net']);
    assert.ok(!isRefusal(await eraseUser(context, { user })));
    assert.deepEqual((await readEditors()).slice(1), ['stranger@example.net']);
  });

  it('refuses ids that are taken, also on another sheet, and keeps the older objects', async () => {
    const book = await google.createSpreadsheet();
    const [first, second] = [createGridRange(0, 3, 0, 3), { ...createGridRange(0, 3, 0, 3), sheetId: 9 }];
    const band = { firstBandColor: { red: 1 }, secondBandColor: { blue: 1 } };
    const createAdditions = (range: object) => [
      { addBanding: { bandedRange: { bandedRangeId: 7, range, rowProperties: band } } },
      { addFilterView: { filter: { filterViewId: 7, title: 'Mine', range } } },
      { addProtectedRange: { protectedRange: { protectedRangeId: 7, range, warningOnly: true } } },
    ];
    await book.readReplies({ addSheet: { properties: { sheetId: 9, title: 'Second' } } }, ...createAdditions(first));
    const fields = 'sheets(bandedRanges,filterViews,protectedRanges)';
    const before = await book.read(fields);
    for (const [i, label] of ['banded range', 'filter view', 'protected range'].entries()) {
      const answer = await book.batch(createAdditions(second)[i]!);
      assert.equal(answer.status, 400);
      assert.match(readErrorMessage(answer), new RegExp(`A ${label} with id 7 already exists\\.$`));
    }
    assert.deepEqual(await book.read(fields), before);
  });
});
