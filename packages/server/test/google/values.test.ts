import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt } from '../http/support.ts';
import { createGridRange, type GoogleClient, type Json, readErrorMessage, startGoogle, type World } from './support.ts';

describe('values in the Google-compatible API', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  it('are read formatted, unformatted or as formulas, without trailing empty cells', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1:C2', [
      ['Name', '2,000,000.01', '= 1 / 1024'],
      ['', '', ''],
    ]);
    assert.deepEqual(await book.readValues('A1:Z9'), [['Name', '2,000,000.01', '0.0009765625']]);
    assert.deepEqual(await book.readValues('Sheet1', '?valueRenderOption=UNFORMATTED_VALUE'), [
      ['Name', 2_000_000.01, 1 / 1024],
    ]);
    assert.deepEqual(await book.readValues('C1', '?valueRenderOption=FORMULA'), [['= 1 / 1024']]);
    assert.deepEqual((await book.get('D5:E9')).body, { range: 'Sheet1!D5:E9', majorDimension: 'ROWS' });
    const columns = await book.readValues('A1:B1', '?majorDimension=COLUMNS');
    assert.deepEqual(columns, [['Name'], ['2,000,000.01']]);
  });

  it('are parsed like typed input in the locale of the document', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['0042', '1.5', 'true', "'007", '2020-01-01', '12345678901234567890', '1.5e3']]);
    assert.deepEqual(await book.readValues('A1:G1', '?valueRenderOption=UNFORMATTED_VALUE'), [
      [42, 1.5, true, '007', 43_831, 12_345_678_901_234_567_000, 1_500],
    ]);
    assert.deepEqual(await book.readValues('A1:E1'), [['42', '1.5', 'TRUE', '007', '2020-01-01']]);
    assert.deepEqual(await book.readValues('G1'), [['1.50E+03']]);
    const typed = [['9:05', '1:30 PM', '12:30:45', '25:00', '$5', '-$5.5', '5%', '$x']];
    await book.put('A2', typed);
    const shown = [['9:05', '1:30 PM', '12:30:45', '25:00:00', '$5', '-$5.50', '5%', '$x']];
    assert.deepEqual(await book.readValues('A2:H2'), shown);
    const asTexts = '?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING';
    assert.deepEqual(await book.readValues('A1:E1', asTexts), [[42, 1.5, true, '007', '2020-01-01']]);
  });

  it('are stored unchanged with RAW', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['0042', '=1+2', '=A1']], 'RAW');
    assert.deepEqual(await book.readValues('A1:C1'), [['0042', '=1+2', '=A1']]);
  });

  it('skip a cell for null, and clear it for an empty text', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1:C1', [[1, 2, 3]]);
    const { body } = await book.put('A1:C1', [[null, '', 9]]);
    assert.deepEqual([body['updatedRange'], body['updatedCells'], body['updatedColumns']], ['Sheet1!A1:C1', 2, 2]);
    assert.deepEqual(await book.readValues('A1:C1'), [['1', '', '9']]);
  });

  it('are returned after a write if includeValuesInResponse is set', async () => {
    const book = await google.createSpreadsheet();
    const path = '/values/A1?valueInputOption=USER_ENTERED&includeValuesInResponse=True';
    const { body } = await book.request('PUT', path, { values: [['=1+2', '']] });
    assert.deepEqual(body['updatedData'], { range: 'Sheet1!A1:B1', majorDimension: 'ROWS', values: [['3']] });
  });

  it('resolve ranges against the grid', async () => {
    const book = await google.createSpreadsheet();
    const resolveRange = async (range: string) => (await book.get(range)).body['range'];
    assert.equal(await resolveRange('sheet1'), 'Sheet1!A1:Z1000');
    assert.equal(await resolveRange('B2:A1'), 'Sheet1!A1:B2');
    assert.equal(await resolveRange('A5:A'), 'Sheet1!A5:A1000');
    assert.equal(await resolveRange('1:1'), 'Sheet1!A1:Z1');
    assert.equal(await resolveRange('Y999:AB2000'), 'Sheet1!Y999:Z1000');
    assert.equal(await resolveRange('A1:A1'), 'Sheet1!A1');
    for (const range of ['AA1', 'A1001', 'Sheet1!A1001:B1002']) {
      const answer = await book.get(range);
      assert.equal(answer.status, 400, range);
      assert.match(readErrorMessage(answer), /exceeds grid limits\. Max rows: 1000, max columns: 26/);
    }
    for (const range of ['Nope!A1', 'Nope', "'A1'"]) {
      const answer = await book.get(range);
      assert.deepEqual([answer.status, readErrorMessage(answer)], [400, `Unable to parse range: ${range}`]);
    }
  });

  it("resolve the name of a range, also after the name of the range's sheet", async () => {
    const book = await google.createSpreadsheet();
    await book.readReplies(
      { addSheet: { properties: { title: 'More' } } },
      { addSheet: { properties: { title: 'Odd!Total' } } },
      { addNamedRange: { namedRange: { name: 'Total', range: createGridRange(0, 2, 1, 3) } } },
    );
    await book.put('B1', [[1, 2]]);
    for (const range of ['Total', "'Sheet1'!Total", 'Sheet1!total']) {
      const { body } = await book.get(range);
      assert.deepEqual([body['range'], body['values']], ['Sheet1!B1:C2', [['1', '2']]], range);
    }
    assert.equal((await book.put('Sheet1!Total', [[3]])).body['updatedRange'], 'Sheet1!B1');
    assert.equal((await book.get('Odd!Total')).body['range'], "'Odd!Total'!A1:Z1000");
    for (const range of ['More!Total', 'Sheet1!Other']) {
      assert.equal(readErrorMessage(await book.get(range)), `Unable to parse range: ${range}`);
    }
  });

  it('treat unquoted A1 text as a cell and quoted text as a sheet name', async () => {
    const book = await google.createSpreadsheet();
    await book.readReplies(
      { addSheet: { properties: { title: 'D3' } } },
      { addSheet: { properties: { title: 'My data' } } },
    );
    assert.equal((await book.get('D3')).body['range'], 'Sheet1!D3');
    assert.equal((await book.get("'D3'")).body['range'], "'D3'!A1:Z1000");
    assert.equal((await book.get('My data!A1:B2')).body['range'], "'My data'!A1:B2");
  });

  it('are appended below the block that the range touches', async () => {
    const book = await google.createSpreadsheet();
    const first = await book.append('Sheet1', [['a', 1]]);
    assert.equal(first.body['tableRange'], undefined);
    assert.equal(memberAt(first.body, 'updates')['updatedRange'], 'Sheet1!A1:B1');
    await book.put('D1', [['x'], ['y']]);
    const left = await book.append('A1', [['b', 2]]);
    assert.deepEqual(
      [left.body['tableRange'], memberAt(left.body, 'updates')['updatedRange']],
      ['Sheet1!A1:B1', 'Sheet1!A2:B2'],
    );
    const whole = await book.append('Sheet1', [['z']]);
    assert.deepEqual(
      [whole.body['tableRange'], memberAt(whole.body, 'updates')['updatedRange']],
      ['Sheet1!D1:D2', 'Sheet1!D3'],
    );
    await book.put('A4', [['below']]);
    const inserted = await book.append('A1', [['c', 3]], '&insertDataOption=INSERT_ROWS');
    assert.equal(memberAt(inserted.body, 'updates')['updatedRange'], 'Sheet1!A3:B3');
    assert.deepEqual(await book.readValues('A5'), [['below']]);
    assert.deepEqual(await book.read('sheets.properties.gridProperties.rowCount'), {
      sheets: [{ properties: { gridProperties: { rowCount: 1001 } } }],
    });
  });

  it('extend the grid when a write exceeds it', async () => {
    const book = await google.createSpreadsheet();
    await book.put('Z1000', [[1, 2], [3]]);
    assert.deepEqual(await book.read('sheets.properties.gridProperties(rowCount,columnCount)'), {
      sheets: [{ properties: { gridProperties: { rowCount: 1001, columnCount: 27 } } }],
    });
  });

  it('are written and cleared in several ranges in one revision', async () => {
    const book = await google.createSpreadsheet();
    const data = [
      { range: 'A1:B1', values: [[1, 2]] },
      { range: 'Sheet1!A2', majorDimension: 'COLUMNS', values: [[3, 4]] },
    ];
    const updated = await book.request('POST', '/values:batchUpdate', { valueInputOption: 'RAW', data });
    assert.deepEqual(
      [
        updated.body['totalUpdatedCells'],
        updated.body['totalUpdatedRows'],
        memberAt(updated.body, 'responses', 1)['updatedRange'],
      ],
      [4, 3, 'Sheet1!A2:A3'],
    );
    const entries = (await world.apiFor(google.token, book.id).listAuditEntries())['entries'];
    assert.deepEqual(
      [memberAt(entries, 0)['origin'], memberAt(entries, 0, 'properties')['cells'], memberAt(entries, 1)['action']],
      ['google', 4, 'document.create'],
    );
    const read = await book.request('GET', '/values:batchGet?ranges=A1:B1&ranges=A3');
    assert.deepEqual(memberAt(read.body, 'valueRanges')[1], {
      range: 'Sheet1!A3',
      majorDimension: 'ROWS',
      values: [['4']],
    });
    assert.equal((await book.request('GET', '/values:batchGet?ranges=A1&ranges=Nope!A1')).status, 400);
    const cleared = await book.request('POST', '/values:batchClear', { ranges: ['A1:B1', 'A3'] });
    assert.deepEqual(cleared.body['clearedRanges'], ['Sheet1!A1:B1', 'Sheet1!A3']);
    assert.deepEqual(await book.readValues('Sheet1'), [[], ['3']]);
  });

  it('writes columns of different lengths, and refuses columns that leave out millions of cells', async () => {
    const book = await google.createSpreadsheet();
    const write = (values: readonly (readonly number[])[]) =>
      book.request('PUT', '/values/Sheet1!A1?valueInputOption=RAW', {
        range: 'Sheet1!A1',
        majorDimension: 'COLUMNS',
        values,
      });
    await book.put('A1', [
      [0, 0, 0],
      [0, 0, 0],
    ]);
    assert.equal((await write([[1, 2], [3], [4, 5]])).status, 200);
    assert.deepEqual(await book.readValues('A1:C2'), [
      ['1', '3', '4'],
      ['2', '0', '5'],
    ]);
    const long = Array.from({ length: 100_000 }, (_, i) => i);
    const short = Array.from({ length: 100 }, () => [1]);
    const refused = await write([...short, long]);
    assert.deepEqual(
      [refused.status, readErrorMessage(refused)],
      [400, 'Columns can leave out 4000000 cells at most.'],
    );
    assert.equal((await write([long, ...short])).status, 200);
    assert.deepEqual(await book.readValues('A99999:C100001'), [['99998'], ['99999']]);
  });

  it('are refused if they are invalid, before the range is checked', async () => {
    const book = await google.createSpreadsheet();
    const refused = await book.put('Nope!A1', 'abc');
    const message = `Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue), "abc"`;
    assert.deepEqual([refused.status, readErrorMessage(refused)], [400, message]);
    assert.deepEqual(memberAt(refused.body, 'error', 'details', 0)['fieldViolations'], [
      { field: 'data.values', description: message },
    ]);
    assert.equal(readErrorMessage(await book.put('A1', [[{}]])), 'Invalid values[0][0]: struct_value {\n}\n');
    assert.equal(
      readErrorMessage(await book.put('A1', [[1, [{ name: 'x' }, 1, null]]])),
      'Invalid values[0][1]: list_value {\n  values {\n    struct_value {\n      fields {\n        key: "name"\n' +
        '        value {\n          string_value: "x"\n        }\n      }\n    }\n  }\n  values {\n' +
        '    number_value: 1.0\n  }\n  values {\n    null_value: NULL_VALUE\n  }\n}\n',
    );
    const lists = await book.put('A1', ['a', [1], 'b']);
    assert.equal(
      readErrorMessage(lists),
      `Invalid value at 'data.values[0]' (type.googleapis.com/google.protobuf.ListValue), "a"\n` +
        `Invalid value at 'data.values[2]' (type.googleapis.com/google.protobuf.ListValue), "b"`,
    );
    const fields = memberAt(lists.body, 'error', 'details', 0, 'fieldViolations') as unknown as readonly Json[];
    assert.deepEqual(
      fields.map(({ field }) => field),
      ['data.values[0]', 'data.values[2]'],
    );
    const other = await book.request('PUT', '/values/A1?valueInputOption=RAW', { range: 'A2', values: [[1]] });
    assert.equal(readErrorMessage(other), "Request range[Sheet1!A1] does not match value's range[Sheet1!A2]");
    const data = [
      { range: 'A1', values: [[1]] },
      { range: 'Nope!A1', values: [[1]] },
    ];
    assert.equal(
      readErrorMessage(await book.request('POST', '/values:batchUpdate', { valueInputOption: 'RAW', data })),
      'Invalid data[1]: Unable to parse range: Nope!A1',
    );
    assert.equal((await book.get('A1')).body['values'], undefined);
    assert.equal(
      readErrorMessage(await book.request('PUT', '/values/A1', { values: [[1]] })),
      "'valueInputOption' is required but not specified",
    );
    assert.match(readErrorMessage(await book.put('A1:B1', [[1, 2, 3]])), /tried writing to column \[C\]/);
  });

  it('refuse unknown parameters and members', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [[1]]);
    const unknown = [
      await book.request('GET', '?includeGrid=true'),
      await book.get('A1', '?valueRender=FORMULA'),
      await book.request('GET', '/values:batchGet?range=A1'),
      await book.request('PUT', '/values/A1?valueInputOption=RAW&dryRun=true', { values: [[2]] }),
      await book.append('A1', [[2]], '&insertOption=INSERT_ROWS'),
      await book.request('POST', '/values/A1:clear?dryRun=true', {}),
      await book.request('POST', '/values/A1:clear', { ranges: 'B1' }),
      await book.request('POST', ':batchUpdate?dryRun=true', { requests: [{ addSheet: {} }] }),
      await book.google.request('POST', '/v4/spreadsheets', { properties: { name: 'Book' } }),
    ];
    for (const answer of unknown) {
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      assert.match(readErrorMessage(answer), /Unknown name/);
    }
    assert.deepEqual(await book.readValues('A1:A2', '?alt=json&prettyPrint=false&fields=values'), [['1']]);
  });

  it('are reduced to the members that a field mask names, as every answer is', async () => {
    const book = await google.createSpreadsheet();
    const written = await book.request('PUT', '/values/A1?valueInputOption=RAW&fields=updatedCells', { values: [[1]] });
    assert.deepEqual(written.body, { updatedCells: 1 });
    assert.deepEqual((await book.get('A1:B2', '?fields=values')).body, { values: [['1']] });
    const ranges = await book.request('GET', '/values:batchGet?ranges=A1&ranges=B1&fields=valueRanges(range)');
    assert.deepEqual(ranges.body, { valueRanges: [{ range: 'Sheet1!A1' }, { range: 'Sheet1!B1' }] });
    const requests = [{ addSheet: { properties: { title: 'Two' } } }, { deleteSheet: { sheetId: 0 } }];
    const body = { requests, includeSpreadsheetInResponse: true };
    const fields = 'replies.addSheet.properties.title,updatedSpreadsheet.sheets.properties.index';
    assert.deepEqual((await book.request('POST', `:batchUpdate?fields=${fields}`, body)).body, {
      replies: [{ addSheet: { properties: { title: 'Two' } } }, {}],
      updatedSpreadsheet: { sheets: [{ properties: { index: 0 } }] },
    });
    const withoutReplies = await book.request('POST', ':batchUpdate?fields=updatedSpreadsheet.spreadsheetId', {
      requests: [{ addSheet: {} }],
      includeSpreadsheetInResponse: true,
    });
    assert.deepEqual(withoutReplies.body, { updatedSpreadsheet: { spreadsheetId: book.id } });
  });

  it('refuse a mask that names an unknown member, before anything is written', async () => {
    const book = await google.createSpreadsheet();
    const refused = await book.request('PUT', '/values/A1?valueInputOption=RAW&fields=updatedCell', { values: [[1]] });
    assert.deepEqual([refused.status, readErrorMessage(refused)], [400, 'Request contains an invalid argument.']);
    assert.equal((await book.get('A1')).body['values'], undefined);
    const nested = await book.request('GET', '?fields=sheets(properties(title),sheetProperties)');
    assert.deepEqual(memberAt(nested.body, 'error', 'details', 0, 'fieldViolations', 0), {
      field: 'sheets(properties(title),sheetProperties)',
      description: "Error expanding 'fields' parameter. Cannot find matching fields for path 'sheets.sheetProperties'.",
    });
  });

  it('are cleared by a body that repeats the id and the range of the path, as n8n sends it', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [[1]]);
    const path = `/values/${encodeURIComponent("'Sheet1'")}:clear`;
    const repeated = await book.request('POST', path, { spreadsheetId: book.id, range: 'Sheet1' });
    assert.deepEqual([repeated.status, repeated.body['clearedRange']], [200, 'Sheet1!A1:Z1000']);
    const batch = { spreadsheetId: book.id, valueInputOption: 'RAW', data: [{ range: 'A1', values: [[1]] }] };
    assert.equal((await book.request('POST', '/values:batchUpdate', batch)).status, 200);
    const other = await book.request('POST', '/values:batchUpdate', { ...batch, spreadsheetId: 'other' });
    assert.match(readErrorMessage(other), /Unknown name "spreadsheetId"/);
    const otherRange = await book.request('POST', '/values/A1:clear', { range: 'B1' });
    assert.match(readErrorMessage(otherRange), /does not match value's range\[Sheet1!B1\]/);
    assert.deepEqual(await book.readValues('A1'), [['1']]);
  });

  it('are found by developer metadata, which moves with its rows', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['one'], ['two'], ['three']]);
    const location = { dimensionRange: { sheetId: 0, dimension: 'ROWS', startIndex: 1, endIndex: 2 } };
    const metadata = { metadataKey: 'row', metadataValue: '2', location, visibility: 'DOCUMENT' };
    const [created] = [await book.readReplies({ createDeveloperMetadata: { developerMetadata: metadata } })];
    assert.equal(
      memberAt(created, 0, 'createDeveloperMetadata', 'developerMetadata', 'location')['locationType'],
      'ROW',
    );
    await book.readReplies({
      insertDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 3 } },
    });
    const dataFilters = [{ developerMetadataLookup: { metadataKey: 'row' } }];
    const read = await book.request('POST', '/values:batchGetByDataFilter', { dataFilters });
    assert.deepEqual(memberAt(read.body, 'valueRanges', 0)['valueRange'], {
      range: 'Sheet1!A5:Z5',
      majorDimension: 'ROWS',
      values: [['two']],
    });
    const searched = await book.request('POST', '/developerMetadata:search', { dataFilters });
    assert.equal(memberAt(searched.body, 'matchedDeveloperMetadata', 0, 'developerMetadata')['metadataValue'], '2');
    assert.deepEqual(
      (
        await book.request('POST', '/developerMetadata:search', {
          dataFilters: [{ developerMetadataLookup: { metadataKey: 'x' } }],
        })
      ).body,
      {},
    );
  });

  it('include the groups of REGEXEXTRACT, and the formula keeps its typed text', async () => {
    const book = await google.createSpreadsheet();
    await book.put('A1', [['=REGEXEXTRACT("a-1","([a-z])-([0-9])")']]);
    assert.deepEqual(await book.readValues('A1:B1'), [['a', '1']]);
    assert.deepEqual(await book.readValues('A1', '?valueRenderOption=FORMULA'), [
      ['=REGEXEXTRACT("a-1","([a-z])-([0-9])")'],
    ]);
  });

  it('are current in a range that was read before', async () => {
    const book = await google.createSpreadsheet();
    await book.put(
      'A1:C300',
      Array.from({ length: 300 }, (_, r) => [r, `text ${r}`, r / 2]),
    );
    const expected = ((await book.readValues('A1:C300')) as unknown as string[][]).map((row) => [...row]);
    const expectChange = async (
      row: number,
      column: number,
      displayed: string,
      write: Promise<{ readonly status: number }>,
    ) => {
      assert.equal((await write).status, 200);
      (expected[row] as string[])[column] = displayed;
      assert.deepEqual((await book.readValues('A1:C300')) as unknown, expected);
    };
    const createCell = (row: number, column: number) => ({
      sheetId: 0,
      startRowIndex: row,
      endRowIndex: row + 1,
      startColumnIndex: column,
      endColumnIndex: column + 1,
    });
    const percent = { userEnteredFormat: { numberFormat: { type: 'PERCENT', pattern: '0%' } } };
    await expectChange(0, 1, 'first', book.put('B1', [['first']]));
    await expectChange(255, 0, 'TRUE', book.put('A256', [[true]]));
    const format = { range: createCell(256, 2), cell: percent, fields: 'userEnteredFormat.numberFormat' };
    await expectChange(256, 2, '12800%', book.batch({ repeatCell: format }));
    await expectChange(299, 2, '#DIV/0!', book.put('C300', [['=1/0']]));
    await expectChange(299, 2, '#N/A', book.put('C300', [['=NA()']]));
  });
});
