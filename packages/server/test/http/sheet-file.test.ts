import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { DateSystem } from '@cellwire/engine';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  writeZip,
} from '../../../files/test/workbook-files.ts';
import { createDocument } from '../../src/service/operator/new-document.ts';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Api, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
let anna: Person;
let annaBrowser: Browser;
const folder = await createTestFolder();
before(async () => {
  world = await startWorld();
  anna = await createPerson(world);
  annaBrowser = await signInAs(world, anna);
});
after(() => world.close());

interface FileOptions {
  readonly name?: string;
  readonly type?: string;
  readonly key?: string;
  readonly query?: string;
  readonly browser?: Browser;
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

async function createBook(dateSystem: DateSystem = 'google'): Promise<Api> {
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells: [] };
  const settings = { locale: 'en-US', dateSystem, timeZone: 'UTC' } as const;
  const created = await createDocument(world.server.service.context, {
    owner: String(anna.id),
    title: 'Book',
    content: { kind: 'data', data: { settings, names: [], tables: [], sheets: [sheet] } },
  });
  assert.ok('id' in created, JSON.stringify(created));
  return world.apiFor(await world.createToken(String(anna.id)), created.id);
}

function sendFile(
  { document }: Api,
  action: string,
  file: string | Uint8Array,
  { name = 'Prices.csv', type = 'text/csv', key, query = '', browser = annaBrowser }: FileOptions = {},
) {
  const headers = { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const path = `/documents/${document}/sheet-file/${action}?name=${encodeURIComponent(name)}${query}`;
  return browser.request('POST', path, { raw: file, headers });
}

async function readSheetId({ document }: Api, name: string): Promise<number> {
  const { body } = await annaBrowser.request('GET', `/documents/${document}/sheets/${encodeURIComponent(name)}/layout`);
  return Number(memberAt(body, 'layout')['id']);
}

async function readFormattedValues(book: Api, range: string): Promise<unknown> {
  const cells = (await book.cells(range)) as unknown as (Json | null)[][];
  return cells.map((row) => row.map((cell) => cell?.['m'] ?? null));
}

describe('a file imported into an open document', () => {
  it('is previewed without a change', async () => {
    const book = await createBook();
    const before = await book.revision();
    const file = 'Article;Price;Since\nNut;1,5;13.02.2026\nBolt;2,25;14.02.2026\n';
    const { status, body } = await sendFile(book, 'preview', file);
    assert.equal(status, 200, JSON.stringify(body));
    const { size, sheet, csv, preview, append } = memberAt(body, 'file');
    assert.deepEqual([size, sheet, append], [{ rows: 3, columns: 3 }, 'Prices', null] as unknown);
    assert.deepEqual(csv, { delimiter: ';', encoding: 'utf-8', decimal: ',', dateOrder: 'mdy' });
    assert.deepEqual(memberAt(preview, 1), ['Nut', 1.5, '2026-02-13']);
    assert.equal(await book.revision(), before);
  });

  it('becomes a new sheet in one revision, which can be undone', async () => {
    const book = await createBook();
    const before = await book.revision();
    const { status, body, headers } = await sendFile(book, 'new-sheet', 'Article,Since\nNut,2026-02-13\n');
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(memberAt(body, 'imported')['sheet'], 'Prices');
    const revision = String(headers.get('x-revision'));
    assert.equal(Number(revision), Number(before) + 1);
    assert.deepEqual(await readFormattedValues(book, 'Prices!A1:B2'), [
      ['Article', 'Since'],
      ['Nut', '2/13/2026'],
    ]);
    assert.equal((await book.cell('Prices!B2'))['t'], 'd');
    assert.equal(memberAt((await sendFile(book, 'new-sheet', 'x')).body, 'imported')['sheet'], 'Prices 2');
    assert.equal((await book.undo(revision)).status, 200);
    const { sheets } = (await book.sheets()).body;
    assert.deepEqual(
      (sheets as unknown as Json[]).map((sheet) => sheet['name']),
      ['Sheet1', 'Prices 2'] as unknown,
    );
  });

  it('is written once per key', async () => {
    const book = await createBook();
    for (const replayed of [null, 'true']) {
      const { status, headers } = await sendFile(book, 'new-sheet', 'a,b', { key: 'once' });
      assert.deepEqual([status, headers.get('idempotency-replayed')], [200, replayed]);
    }
    assert.equal(((await book.sheets()).body['sheets'] as unknown as Json[]).length, 2);
  });

  it('replaces the contents of a sheet, and references to its cells stay', async () => {
    const book = await createBook();
    await book.put('A1', [
      ['Old', '2026-01-05', 7],
      ['Older', 8, 9],
    ]);
    await book.addSheet('Sum');
    await book.put('Sum!A1', [['=SUM(Sheet1!B:B)']]);
    const query = `&sheet=${await readSheetId(book, 'Sheet1')}`;
    const answer = await sendFile(book, 'replace', 'New,41\nNewer,1\n', { query });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(await readFormattedValues(book, 'A1:C3'), [
      ['New', '41', null],
      ['Newer', '1', null],
      [null, null, null],
    ]);
    assert.equal((await book.cell('Sum!A1'))['v'], 42);
    await book.undo(String(answer.headers.get('x-revision')));
    assert.deepEqual(await readFormattedValues(book, 'A1:C2'), [
      ['Old', '1/5/2026', '7'],
      ['Older', '8', '9'],
    ]);
  });

  it('is appended below the last row, without a repeated header', async () => {
    const book = await createBook();
    await book.put('A1', [
      ['Article', 'Count'],
      ['Nut', 1],
    ]);
    const query = `&sheet=${await readSheetId(book, 'Sheet1')}`;
    const preview = await sendFile(book, 'preview', 'article,COUNT\nBolt,2\n', { query });
    assert.deepEqual(memberAt(preview.body, 'file')['append'], { row: 3, skipsHeader: true });
    await sendFile(book, 'append', 'article,COUNT\nBolt,2\n', { query });
    await sendFile(book, 'append', 'Washer,3\n', { query });
    assert.deepEqual(await readFormattedValues(book, 'A1:B5'), [
      ['Article', 'Count'],
      ['Nut', '1'],
      ['Bolt', '2'],
      ['Washer', '3'],
      [null, null],
    ]);
  });

  it('keeps formulas over its sheet, adjusted to their new cells, and results of other formulas', async () => {
    const book = await createBook();
    await book.put('A1', [['n'], [1], [2]]);
    const names = '<definedNames><definedName name="Rate">Data!$A$1</definedName></definedNames>';
    const rows =
      '<row r="1"><c r="A1"><v>5</v></c><c r="B1"><f>A1*2</f><v>10</v></c><c r="C1"><f>Data!A1+1</f><v>6</v></c><c r="D1"><f>Rate*3</f><v>15</v></c></row>' +
      '<row r="2"><c r="A2"><v>6</v></c><c r="B2"><f>SUM(A1:A2)</f><v>11</v></c></row>';
    const parts = createSingleSheetParts(`<sheetData>${rows}</sheetData>`);
    const book1 = String(parts['xl/workbook.xml']).replace('</workbook>', `${names}</workbook>`);
    const file = await readFile(await writeZip(join(folder, 'names.xlsx'), { ...parts, 'xl/workbook.xml': book1 }));
    const query = `&sheet=${await readSheetId(book, 'Sheet1')}`;
    const preview = await sendFile(book, 'preview', file, { name: 'a.xlsx', type: XLSX, query });
    assert.deepEqual(memberAt(preview.body, 'file')['leftOut'], [
      { kind: 'formulas', count: 1, what: 'formula (its result is written)' },
    ] as unknown);
    const answer = await sendFile(book, 'append', file, { name: 'a.xlsx', type: XLSX, query });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const cells = (await book.cells('A4:D5')) as unknown as (Json | null)[][];
    assert.deepEqual(
      cells.map((row) => row.map((cell) => cell?.['f'] ?? cell?.['v'] ?? null)),
      [
        [5, '=A4*2', '=A4+1', 15],
        [6, '=SUM(A4:A5)', null, null],
      ],
    );
  });

  it('keeps number formats and dates with any date system', async () => {
    const book = await createBook();
    const styles = `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts><font/></fonts><fills><fill/></fills><borders><border/></borders><cellXfs><xf/><xf numFmtId="170" applyNumberFormat="1"/><xf numFmtId="10" applyNumberFormat="1"/></cellXfs></styleSheet>`;
    const rows = '<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1" s="2"><v>0.5</v></c></row>';
    for (const [date1904, date] of [
      ['0', '1900-01-01'],
      ['1', '1904-01-02'],
    ]) {
      const parts = createSingleSheetParts(`<sheetData>${rows}</sheetData>`, { 'xl/styles.xml': styles });
      const settings = `<workbookPr date1904="${date1904}"/><sheets>`;
      const text = String(parts['xl/workbook.xml']).replace('<sheets>', settings);
      const file = await readFile(await writeZip(join(folder, 'dates.xlsx'), { ...parts, 'xl/workbook.xml': text }));
      const answer = await sendFile(book, 'new-sheet', file, { name: 'Dates.xlsx', type: XLSX });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(await readFormattedValues(book, `'${memberAt(answer.body, 'imported')['sheet']}'!A1:B1`), [
        [date, '50.00%'],
      ]);
    }
  });

  it('keeps dates of a .csv file in a document of every date system', async () => {
    const file = 'Day,Time\n1850-05-05,08:30:00\n1900-01-15,25:30:00\n2026-03-01 12:30:00,00:00:00\n';
    for (const dateSystem of ['google', '1900', '1904'] as const) {
      const book = await createBook(dateSystem);
      const { status, body } = await sendFile(book, 'new-sheet', file);
      assert.equal(status, 200, JSON.stringify(body));
      const read = await book.get(`'${memberAt(body, 'imported')['sheet']}'!A2:B4`, { render: 'plain' });
      const expected = [
        ['1850-05-05', '08:30:00'],
        ['1900-01-15', '25:30:00'],
        ['2026-03-01T12:30:00', '00:00:00'],
      ];
      assert.deepEqual(memberAt(read.body, 'values')['cells'], expected, dateSystem);
    }
  });

  it('is refused with a reason if it does not fit', async () => {
    const book = await createBook();
    const readRefusal = async (answer: ReturnType<typeof sendFile>) => {
      const { status, body } = await answer;
      return [status, JSON.stringify(body['errors'] ?? body['message'])] as const;
    };
    const cell = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>';
    const oneSheet = createSingleSheetParts(cell);
    const secondSheet = '<sheet name="More" sheetId="9" r:id="r9"/></sheets>';
    const twoSheets = createSingleSheetParts(cell, {
      'xl/workbook.xml': String(oneSheet['xl/workbook.xml']).replace('</sheets>', secondSheet),
      'xl/_rels/workbook.xml.rels': createRelationships({
        r1: ['worksheet', 'worksheets/sheet1.xml'],
        r9: ['worksheet', 'worksheets/sheet2.xml'],
      }),
      'xl/worksheets/sheet2.xml': String(oneSheet['xl/worksheets/sheet1.xml']),
    });
    const file = await readFile(await writeZip(join(folder, 'two.xlsx'), twoSheets));
    const [severalStatus, reason] = await readRefusal(
      sendFile(book, 'preview', file, { name: 'Two.xlsx', type: XLSX }),
    );
    assert.equal(severalStatus, 422);
    assert.match(reason, /The file has 2 sheets \(Data, More\)/);
    assert.match((await readRefusal(sendFile(book, 'new-sheet', 'not a workbook', { type: XLSX })))[1], /file/);
    assert.match((await readRefusal(sendFile(book, 'new-sheet', '')))[1], /no values/);
    const wide = Array.from({ length: 1_001 }, () => '1').join(',');
    const many = Array.from({ length: 1_000 }, () => wide).join('\n');
    assert.match((await readRefusal(sendFile(book, 'new-sheet', many)))[1], /1000000 cells/);
    assert.deepEqual(await readRefusal(sendFile(book, 'append', 'x', { query: '&sheet=99' })), [
      404,
      '"Sheet not found"',
    ]);
  });

  it('is refused for viewers, and for editors on locked and hidden sheets', async () => {
    const book = await createBook();
    await book.addSheet('Locked');
    await book.addSheet('Hidden');
    const ben = await createPerson(world);
    const browser = await signInAs(world, ben);
    await world.share(book.document, String(ben.id), 'view');
    assert.equal((await sendFile(book, 'preview', 'x', { browser })).status, 403);
    assert.equal((await sendFile(book, 'new-sheet', 'x', { browser })).status, 403);
    await world.share(book.document, String(ben.id), 'edit');
    await annaBrowser.request('PUT', `/api/documents/${book.document}/sheets/Locked/protection`, {
      body: { lock: true },
    });
    await annaBrowser.request('PUT', `/api/documents/${book.document}/sheets/Hidden/protection`, {
      body: { hideValues: true },
    });
    const readMessage = async (action: string, sheet: string) => {
      const query = `&sheet=${await readSheetId(book, sheet)}`;
      return (await sendFile(book, action, 'x', { query, browser })).body['message'] as unknown;
    };
    for (const action of ['replace', 'append']) {
      assert.equal(await readMessage(action, 'Locked'), 'Sheet is protected');
      assert.equal(await readMessage(action, 'Hidden'), 'Sheet values are hidden');
    }
    assert.equal(await readMessage('append', 'Sheet1'), undefined);
  });
});
