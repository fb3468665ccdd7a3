import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRefusal } from '@cellwire/files';
import { readXlsx } from '@cellwire/files/xlsx-reader';
import { createSingleSheetParts, createTestFolder, readCells, writeZip } from '../../../files/test/workbook-files.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

let world: World;
const folder = await createTestFolder();
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function exportDocument(api: Api, query: string) {
  const response = await fetch(`${api.base}/api/v1/documents/${api.document}/export${query}`, {
    headers: { authorization: `Bearer ${api.token}` },
  });
  return {
    status: response.status,
    notes: response.headers.get('cellwire-export-notes'),
    type: response.headers.get('content-type') ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

async function exportReport(api: Api, query: string) {
  const { status, bytes, type } = await exportDocument(api, query);
  assert.equal(status, 200, bytes.toString());
  assert.match(type, /json/);
  return JSON.parse(bytes.toString())['report'];
}

/** The cells of the first sheet of an export, including formulas. */
async function exportCells(api: Api) {
  const path = join(folder, 'out.xlsx');
  const { bytes } = await exportDocument(api, '');
  await writeFile(path, bytes);
  const file = await readXlsx(path, { locale: 'en-US' });
  assert.ok(!isRefusal(file));
  return readCells(file.data);
}

describe('an export', () => {
  it('reports shortened texts, renamed sheets and unsupported functions, and counts them in a header', async () => {
    const api = await world.createBook();
    // The text is cut inside a surrogate pair.
    const long = `${'x'.repeat(32_766)}😀rest`;
    await api.put('A1', [[long, '=COUNTUNIQUE(C1:D1)', 'short', 'x'.repeat(32_768)]]);
    await api.addSheet('A sheet name that is longer than thirty-one characters');
    const report = await exportReport(api, '?report=true');
    assert.deepEqual(report, {
      leftOut: [{ kind: 'foreignFunctions', count: 1, what: 'formula with a function that Excel does not have' }],
      renamed: [
        { from: 'A sheet name that is longer than thirty-one characters', to: 'A sheet name that is longer tha' },
      ],
      shortened: [
        { cell: 'Sheet1!A1', length: long.length },
        { cell: 'Sheet1!D1', length: 32_768 },
      ],
    });
    assert.equal((await exportDocument(api, '')).notes, '4');
    const [first] = await exportCells(api);
    assert.equal(first?.value, 'x'.repeat(32_766));
  });

  it('without losses has no such header and an empty report', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1, 'a']]);
    assert.equal((await exportDocument(api, '')).notes, null);
    assert.deepEqual(await exportReport(api, '?report=true'), { leftOut: [], renamed: [], shortened: [] });
    assert.equal((await exportDocument(api, '?report=false')).type.includes('spreadsheetml'), true);
  });

  it('writes a formula with a syntax error as text, and dependent formulas as formulas', async () => {
    const api = await world.createBook();
    await api.put('A1', [['=1+', '=A1*2', '=SUM(A1:B1)', '=IFERROR(A1;5)']]);
    const cells = await exportCells(api);
    assert.deepEqual(
      cells.map(({ formula, value }) => formula ?? value),
      ['=1+', 'A1*2', 'SUM(A1:B1)', 'IFERROR(A1,5)'],
    );
    const { leftOut } = await exportReport(api, '?report=true');
    assert.deepEqual(
      leftOut.map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
      [
        ['formulasAsTexts', 1],
        ['errors', 2],
      ],
    );
  });

  it('writes formulas with links that the imported file does not define as their values, and reports it', async () => {
    const createFormulaCell = (ref: string, text: string, value: string) => `<c r="${ref}"><f>${text}</f>${value}</c>`;
    const row = [
      createFormulaCell('A1', '[1]Prices!$A$1', '<v>7</v>'),
      createFormulaCell('B1', 'A1*2', '<v>14</v>'),
      createFormulaCell('C1', "SUM('[3]Old prices'!A:A)", ''),
    ];
    const path = await writeZip(
      join(folder, 'links.xlsx'),
      createSingleSheetParts(`<sheetData><row r="1">${row.join('')}</row></sheetData>`),
    );
    const owner = await world.createBook();
    const importFile = async (raw: Buffer) => {
      const { body } = await owner.request('POST', '/documents?locale=en-US', {
        raw,
        headers: { 'content-type': XLSX },
      });
      const api = world.apiFor(owner.token, String(memberAt(body, 'document', 'id')));
      const { body: read } = await api.get('A1:C1', { render: 'plain' });
      return { api, body, values: memberAt(read, 'values', 'cells') };
    };
    const { api, body, values } = await importFile(await readFile(path));
    assert.deepEqual(memberAt(body, 'cached', 0, 'cells'), ['Data!A1', 'Data!C1']);
    assert.deepEqual(values, [[7, 14, '#REF!']]);
    const { leftOut } = await exportReport(api, '?report=true');
    assert.deepEqual([leftOut.length, leftOut[0].kind, leftOut[0].count], [1, 'lostLinks', 2]);
    assert.deepEqual((await importFile((await exportDocument(api, '')).bytes)).values, values);
  });

  it('keeps early dates, or writes them as ISO texts and reports it', async () => {
    const api = await world.createBook();
    const days = ['1850-05-05', '1899-12-31', '1900-01-01', '1900-02-28', '1900-03-01', '2026-12-31'];
    await api.put('A1', [days]);
    const values = (await exportCells(api)).map(({ value }) => value);
    assert.deepEqual(values, ['1850-05-05', '1899-12-31', 1, 59, 61, 46_387]);
    const { leftOut } = await exportReport(api, '?report=true');
    assert.deepEqual([leftOut[0].kind, leftOut[0].count], ['datesAsTexts', 2]);
    const { bytes } = await exportDocument(api, '?format=csv');
    assert.equal(bytes.toString(), `${days.join(',')}\r\n`);
  });
});

describe('a .csv export', () => {
  it('uses the requested delimiter, decimal mark and byte order mark', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1.5, 'a;b', 'c,d', '2026-12-31']]);
    const exportText = async (query: string) => (await exportDocument(api, `?format=csv${query}`)).bytes.toString();
    assert.equal(await exportText(''), '1.5,"a;b","c,d",2026-12-31\r\n');
    assert.equal(await exportText('&delimiter=;&decimal=,&bom=true'), '\ufeff1,5;"a;b";"c,d";2026-12-31\r\n');
    assert.equal(await exportText('&delimiter=tab'), '1.5\t"a;b"\t"c,d"\t2026-12-31\r\n');
    assert.equal(await exportText('&delimiter=|&bom=false'), '1.5|"a;b"|"c,d"|2026-12-31\r\n');
  });

  it('reports omitted formulas and sheets', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1, '=A1+1']]);
    await api.addSheet('Second');
    assert.deepEqual(await exportReport(api, '?format=csv&report=true'), {
      leftOut: [
        { kind: 'otherSheets', count: 1, what: 'other sheet' },
        { kind: 'formulas', count: 1, what: 'formula (its result is written)' },
      ],
      renamed: [],
      shortened: [],
    });
    assert.equal((await exportDocument(api, '?format=csv')).notes, '2');
  });

  it('counts numbers in date formats for which no date exists', async () => {
    const api = await world.createBook();
    await api.put('A1', [['2026-12-31', '08:30']]);
    await api.put('A1', [[-1e9, 1e9]]);
    const { leftOut } = await exportReport(api, '?format=csv&report=true');
    assert.deepEqual(leftOut, [
      {
        kind: 'datesAsNumbers',
        count: 2,
        what: 'numbers in date formats for which no dates exist, written as numbers',
      },
    ]);
  });

  it('has another ETag for other format options', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1.5]]);
    const url = `${api.base}/api/v1/documents/${api.document}/export?format=csv`;
    const authorization = `Bearer ${api.token}`;
    const tag = (await fetch(url, { headers: { authorization } })).headers.get('etag') ?? '';
    const requestAgain = (query: string) => fetch(url + query, { headers: { authorization, 'if-none-match': tag } });
    assert.equal((await requestAgain('')).status, 304);
    assert.equal((await requestAgain('&decimal=,')).status, 200);
    assert.equal((await requestAgain('&report=true')).status, 200);
  });

  it('refuses unknown CSV options, and CSV options for .xlsx', async () => {
    const api = await world.createBook();
    for (const query of ['?format=csv&delimiter=x', '?format=csv&decimal=;', '?format=csv&bom=1', '?report=yes']) {
      assert.equal((await exportDocument(api, query)).status, 422, query);
    }
    for (const query of ['?delimiter=;', '?decimal=,', '?bom=true']) {
      assert.equal((await exportDocument(api, query)).status, 422, query);
    }
  });
});
