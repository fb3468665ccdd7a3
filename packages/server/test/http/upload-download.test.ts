import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  writeZip,
} from '../../../files/test/workbook-files.ts';
import { createPerson, signInAs } from './browser.ts';
import { ALL_SCOPES, Api, type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
const folder = await createTestFolder();
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const ACCESS_DENIED = { success: false, access: false };

interface FileOptions {
  readonly type?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function upload(
  api: Api,
  file: string | Uint8Array,
  query = '',
  { type = 'text/csv', key, headers }: FileOptions = {},
) {
  return api.request('POST', `/documents${query}`, {
    raw: file,
    headers: { 'content-type': type, ...headers },
    ...(key === undefined ? {} : { key }),
  });
}

async function createApi(): Promise<Api> {
  return world.apiFor(await world.createToken((await world.createUser()).id));
}

function openCreatedBook(api: Api, { status, body }: ApiResponse): Api {
  assert.equal(status, 200, JSON.stringify(body));
  return api.forDocument(String(memberAt(body, 'document')['id']));
}

/** Downloads a document. Returns the file with its headers. */
async function download(api: Api, query = '') {
  const response = await fetch(`${api.base}/api/v1/documents/${api.document}/export${query}`, {
    headers: { authorization: `Bearer ${api.token}` },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

function listValues(cells: Json): unknown {
  return (cells as unknown as (Json | null)[][]).map((row) => row.map((cell) => cell?.['v'] ?? null));
}

async function createZipOfParts(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  return readFile(await writeZip(join(folder, 'sent.xlsx'), parts));
}

async function countDocuments(api: Api): Promise<number> {
  const { body } = await api.request('GET', '/documents');
  return (body['documents'] as unknown as Json[]).length;
}

/** Remaining temporary files of the services in this process. */
async function listRemainingFiles(): Promise<readonly string[]> {
  const folders = (await readdir(tmpdir())).filter((name) => name.startsWith(`cellwire-transient-${process.pid}-`));
  const fileLists = await Promise.all(folders.map((name) => readdir(join(tmpdir(), name)).catch(() => [])));
  return fileLists.flat();
}

const TIMEOUT_MS = 120_000;

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    assert.ok(performance.now() < end, 'it does not come');
    await new Promise(setImmediate);
  }
}

describe('a document from a .csv file', () => {
  it('contains the values of the file, and the response lists the detected column types', async () => {
    const api = await createApi();
    const answer = await upload(api, 'Article,Price,Day\r\n007,1.5,2026-12-31\r\n', '?title=Stock&locale=en-US');
    const book = openCreatedBook(api, answer);
    assert.equal(memberAt(answer.body, 'document')['title'], 'Stock');
    assert.deepEqual((await book.requestInDocument('GET', '')).body['document'], answer.body['document']);
    const types = (answer.body['columns'] as unknown as Json[]).map((column) => [column['name'], column['type']]);
    assert.deepEqual(types, [
      ['Article', 'text'],
      ['Price', 'number'],
      ['Day', 'date'],
    ]);
    assert.deepEqual(answer.body['leftOut'], []);
    assert.deepEqual(listValues(await book.cells('A2:C2')), [['007', 1.5, 46_387]]);
    const log = (await book.listAuditEntries())['entries'] as unknown as Json[];
    assert.deepEqual(
      log.map((entry) => [entry['action'], entry['origin']]),
      [
        ['update', 'import'],
        ['document.create', 'api'],
      ],
    );
    assert.equal((await book.append('A1', [['x', 1]])).status, 200);
  });

  it('is parsed with the options of the query', async () => {
    const api = await createApi();
    const query = (values: Record<string, string>) => `?${new URLSearchParams(values)}`;
    const encodedText = Buffer.from('cff0e8e2e5f27cd6e5ede02c20f0f3e10d0a317c320d0a', 'hex');
    const csvOptions = { delimiter: '|', encoding: 'windows-1251', sheet: 'Цены', columns: 'A:text,Цена, руб:text' };
    const book = openCreatedBook(api, await upload(api, encodedText, query({ ...csvOptions, locale: 'ru-RU' })));
    assert.equal(memberAt((await book.sheets()).body, 'sheets', 0)['name'], 'Цены');
    assert.deepEqual(listValues(await book.cells('A1:B2')), [
      ['Привет', 'Цена, руб'],
      ['1', '2'],
    ]);
    const tabs = openCreatedBook(api, await upload(api, 'a\tb\n', query({ delimiter: '\\t' })));
    assert.deepEqual(listValues(await tabs.cells('A1:B1')), [['a', 'b']]);
    const listed = openCreatedBook(api, await upload(api, 'a,b\n1,2\n', '?columns=a:text&columns=b:text'));
    assert.deepEqual(listValues(await listed.cells('A2:B2')), [['1', '2']]);
  });

  it('reports its parsing options and the first rows', async () => {
    const api = await createApi();
    const answer = await upload(api, 'Day;Sum\n31/12/2026;1,5\n', '?locale=de-DE');
    openCreatedBook(api, answer);
    assert.deepEqual(answer.body['csv'], {
      delimiter: ';',
      encoding: 'utf-8',
      decimal: ',',
      dateOrder: 'dmy',
      preview: [
        ['Day', 'Sum'],
        ['2026-12-31', 1.5],
      ],
    });
  });

  it('is parsed with tabs if the content type, the file name or the query says so, and with the given decimal mark', async () => {
    const api = await createApi();
    const text = 'a, b\tc, d\n1,250\tx\n';
    const tabResponses = [
      await upload(api, text, '?decimal=,', { type: 'text/tab-separated-values' }),
      await upload(api, text, '?decimal=,&title=Stock.tsv'),
      await upload(api, text, '?decimal=,&title=Stock.TAB'),
      await upload(api, text, '?decimal=,&delimiter=tab'),
    ];
    for (const answer of tabResponses) {
      assert.equal(memberAt(answer.body, 'csv')['delimiter'], 'tab');
      assert.deepEqual(listValues(await openCreatedBook(api, answer).cells('A1:B2')), [
        ['a, b', 'c, d'],
        [1.25, 'x'],
      ]);
    }
    const refused = await upload(api, text, '?decimal=x');
    assert.equal(refused.status, 422);
  });

  it('is refused if the file is a workbook', async () => {
    const api = await createApi();
    const { status, body } = await upload(api, await createZipOfParts(createSingleSheetParts('<sheetData/>')));
    assert.equal(status, 422);
    assert.match(String(memberAt(body, 'errors', 'file')[0]), /workbook/);
  });

  it('is stored while it is parsed, and parsed again if later rows change a column type', async () => {
    const api = await createApi();
    const text = 'x'.repeat(5_000);
    const createRowXml = (i: number) =>
      `${i < 1_000 ? i : '007'},${i % 7 ? 2 : 0.5},2026-01-${String(1 + (i % 28)).padStart(2, '0')},${i}${text}`;
    const rows = Array.from({ length: 1_100 }, (_, i) => createRowXml(i + 1));
    const book = openCreatedBook(api, await upload(api, `Code,Price,Day,Text\n${rows.join('\n')}\n`, '?locale=en-US'));
    for (const [cells, expected] of [
      ['A2:D2', ['1', 2, 46_024, `1${text}`]],
      ['A701:D701', ['700', 0.5, 46_023, `700${text}`]],
      ['A1101:D1101', ['007', 2, 46_031, `1100${text}`]],
    ] as const) {
      assert.deepEqual(listValues(await book.cells(cells)), [expected], cells);
    }
    assert.equal((await book.cell('C701'))['m'], '1/1/2026');
    await waitUntil(async () => (await listRemainingFiles()).length === 0);
  });

  it('is refused with the name of an invalid option, and creates nothing', async () => {
    const api = await createApi();
    const cases: readonly [query: string, field: string][] = [
      ['?columns=Day:day', 'columns'],
      ['?columns=Nope:text', 'columns'],
      ['?delimiter=ab', 'delimiter'],
      ['?delimiter=abc', 'delimiter'],
      ['?encoding=klingon', 'encoding'],
      ['?sheet=', 'sheet'],
      ['?locale=xx', 'locale'],
      ['?title=', 'title'],
      ['?title=a&title=b', 'title'],
    ];
    for (const [query, field] of cases) {
      const { status, body } = await upload(api, 'a,b\n1,2\n', query);
      assert.equal(status, 422, query);
      assert.ok(memberAt(body, 'errors')[field], `${query}: ${JSON.stringify(body)}`);
    }
    assert.equal(memberAt((await upload(api, 'a,"b\n')).body, 'errors', 'file').constructor, Array);
    assert.equal(await countDocuments(api), 0);
  });
});

describe('a document from an .xlsx file', () => {
  const ROWS = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>';

  it('is unchanged after a download and an upload', async () => {
    const book = await world.createBook({ title: 'Bücher "1"', locale: 'en-US' });
    await book.put('A1', [
      ['Number', 'Sum', '31.12.2026'],
      ['007', 1.5, '=B2*2'],
    ]);
    await book.addSheet('Two');
    const file = await download(book);
    assert.equal(file.status, 200);
    assert.equal(file.headers.get('content-type'), XLSX);
    assert.equal(file.headers.get('content-length'), String(file.bytes.length));
    assert.equal(
      file.headers.get('content-disposition'),
      `attachment; filename="B_cher _1_.xlsx"; filename*=UTF-8''B%C3%BCcher%20%221%22.xlsx`,
    );
    for (const type of [XLSX, 'application/octet-stream']) {
      const imported = openCreatedBook(book, await upload(book, file.bytes, '?locale=en-US', { type }));
      assert.deepEqual(await imported.cells('A1:C2'), await book.cells('A1:C2'));
      assert.deepEqual((await imported.sheets()).body, (await book.sheets()).body);
    }
  });

  it('has a file name from its title, without folders and with one extension', async () => {
    const names: readonly (readonly [title: string, name: string])[] = [
      ['Q1/Q2', 'Q1_Q2.xlsx'],
      ['..\\stock', '.._stock.xlsx'],
      ['Stock.XLSX', 'Stock.XLSX'],
    ];
    for (const [title, name] of names) {
      const { headers } = await download(await world.createBook({ title }));
      assert.equal(headers.get('content-disposition'), `attachment; filename="${name}"; filename*=UTF-8''${name}`);
    }
  });

  it('reports omitted parts', async () => {
    const api = await createApi();
    const links = createRelationships({ r1: ['worksheet', 'worksheets/sheet1.xml'], r2: ['vbaProject', 'part.bin'] });
    const file = await createZipOfParts(
      createSingleSheetParts(ROWS, { 'xl/_rels/workbook.xml.rels': links, 'xl/part.bin': 'x' }),
    );
    const answer = await upload(api, file, '', { type: XLSX });
    assert.deepEqual(answer.body['leftOut'], [{ kind: 'macros', count: 1, what: 'macro project' }]);
  });

  it('is the same with streamed cells and with formulas at the end', async () => {
    const api = await createApi();
    const styles = `<styleSheet ${MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="2"/></cellXfs></styleSheet>`;
    const rows = Array.from({ length: 700 }, (_, i) => {
      const [r, style] = [i + 1, i % 100 === 0 ? '' : ' s="1"'];
      return `<row r="${r}"><c r="A${r}"${style}><v>${r}</v></c><c r="B${r}" t="inlineStr"><is><t>row ${r}</t></is></c></row>`;
    });
    const columns = '<cols><col min="1" max="1" style="1"/></cols>';
    const createSheetXml = (extraRows: string) => `${columns}<sheetData>${rows.join('')}${extraRows}</sheetData>`;
    const sum = '<row r="701"><c r="A701"><f>SUM(A1:A700)</f></c></row>';
    const unsortedRows =
      '<row r="702"><c r="A702" s="1"><v>9</v></c></row><row r="3"><c r="C3"><v>3</v></c><c r="A3" s="1"><v>33</v></c></row>';
    const results: unknown[] = [];
    for (const extraRows of ['', sum, unsortedRows]) {
      const file = await createZipOfParts(
        createSingleSheetParts(createSheetXml(extraRows), { 'xl/styles.xml': styles }),
      );
      const book = openCreatedBook(api, await upload(api, file, '?locale=en-US', { type: XLSX }));
      const [first, third, lateCells, lastCells] = await Promise.all(
        ['A1:B2', 'A3:C3', 'A699:B700', 'A701:A702'].map((range) => book.cells(range)),
      );
      results.push([first, listValues(lateCells as Json)]);
      const end =
        extraRows === sum ? [[245_350], [null]] : extraRows === unsortedRows ? [[null], [9]] : [[null], [null]];
      assert.deepEqual(listValues(lastCells as unknown as Json), end);
      assert.deepEqual(
        listValues(third as unknown as Json),
        extraRows === unsortedRows ? [[33, 'row 3', 3]] : [[3, 'row 3', null]],
      );
      assert.deepEqual(
        (first as unknown as Json[][]).map(([cell]) => cell?.['m']),
        ['1', '2.00'],
      );
      await book.put('A800', [[5]]);
      assert.equal((await book.cell('A800'))['m'], '5.00', 'a cell that was never written looks as its column');
    }
    assert.deepEqual(results[1], results[0]);
    assert.deepEqual(results[2], results[0]);
  });

  it('is refused if the file is invalid, has CSV options, or is a decompression bomb', async () => {
    const api = await createApi();
    const validFile = await createZipOfParts(createSingleSheetParts(ROWS));
    const cases: readonly [description: string, bytes: Uint8Array | string, query: string, type: string][] = [
      ['no zip', 'a,b\n', '', XLSX],
      ['a zip that is cut off', validFile.subarray(0, validFile.length / 2), '', XLSX],
      ['a zip of something else', await createZipOfParts({ 'a.txt': 'x' }), '', XLSX],
      ['an old binary file', Buffer.from('d0cf11e0a1b11ae100000000', 'hex'), '', 'application/octet-stream'],
      ['options of a .csv file', validFile, '?columns=A:text', XLSX],
      [
        'a bomb',
        await createZipOfParts(
          createSingleSheetParts('', { 'xl/worksheets/sheet1.xml': Buffer.alloc(70 * 1024 * 1024, ' ') }),
        ),
        '',
        XLSX,
      ],
    ];
    for (const [what, bytes, query, type] of cases) {
      const { status, body } = await upload(api, bytes, query, { type });
      assert.equal(status, 422, `${what}: ${JSON.stringify(body)}`);
      assert.equal(typeof (memberAt(body, 'errors', 'file')[0] as unknown), 'string', what);
    }
    assert.equal(await countDocuments(api), 0);
  });
});

describe('an upload', () => {
  it('creates one document per key on two services with the same folder', async () => {
    const firstApi = await createApi();
    const secondService = await world.startSecondService();
    try {
      const secondApi = new Api(secondService.address, firstApi.token, '');
      const answers = await Promise.all(
        [firstApi, secondApi, firstApi, secondApi].map((api) => upload(api, 'a,b\n1,2\n', '', { key: 'one' })),
      );
      const ids = new Set(answers.map((answer) => openCreatedBook(firstApi, answer).document));
      assert.equal(ids.size, 1);
      for (const api of [firstApi, secondApi]) {
        assert.equal(await countDocuments(api), 1);
        assert.deepEqual(listValues(await api.forDocument([...ids][0] ?? '').cells('A2:B2')), [[1, 2]]);
      }
    } finally {
      await secondService.close();
    }
  });

  it('creates one document per key', async () => {
    const api = await createApi();
    const send = (key: string, text = 'a,b\n1,2\n', query = '') => upload(api, text, query, { key });
    const [first, same, other] = await Promise.all([send('u'), send('u'), send('v')]);
    assert.equal(memberAt(same.body, 'document')['id'], memberAt(first.body, 'document')['id']);
    assert.equal([first, same].filter(({ headers }) => headers.has('idempotency-replayed')).length, 1);
    assert.notEqual(memberAt(other.body, 'document')['id'], memberAt(first.body, 'document')['id']);
    assert.equal(await countDocuments(api), 2);
    for (const answer of [await send('u', 'a,b\n1,3\n'), await send('u', 'a,b\n1,2\n', '?title=Other')]) {
      assert.equal(answer.body['message'], 'Idempotency-Key was used with a different request');
    }
  });

  it('is refused for an invalid type, encoding or length, and without the permission to create documents', async () => {
    const api = await createApi();
    const cases: readonly [type: string, headers: Record<string, string>, status: number][] = [
      ['application/pdf', {}, 422],
      ['multipart/form-data; boundary=x', {}, 422],
      ['text/csv', { 'content-encoding': 'gzip' }, 422],
      ['text/csv; charset=utf-8', {}, 200],
      ['TEXT/CSV', {}, 200],
    ];
    for (const [type, headers, status] of cases) {
      assert.equal((await upload(api, 'a,b\n1,2\n', '', { type, headers })).status, status, type);
    }
    const other = await upload(api, 'a', '', { type: 'text/plain' });
    assert.match(
      String(other.body['message']),
      /application\/json or text\/csv or .*sheet or application\/octet-stream$/,
    );
    const unknownColumn = await upload(api, 'a,b\n', '?columns=Nope:text');
    assert.match(String(unknownColumn.body['message']), /^There is no column Nope\./);
    const owner = await world.createUser();
    const limited = await world.createToken(owner.id, ALL_SCOPES, [await world.createDocument(owner.id)]);
    const reader = await world.createToken(owner.id, ['sheets.read']);
    const free = await world.createToken((await world.createUser('free')).id);
    for (const token of [limited, reader, free]) {
      const { status, body } = await upload(world.apiFor(token), 'a');
      assert.deepEqual([status, body], [403, ACCESS_DENIED]);
    }
    const longTitle = await api.request('POST', '/documents', { body: { title: 'x'.repeat(100_000) } });
    assert.equal(longTitle.status, 413);
    assert.equal(await readStatus(api, { 'content-length': String(600 * 1024 * 1024) }), 413);
    assert.deepEqual(memberAt((await upload(api, '')).body, 'document')['title'], 'Untitled');
  });

  it('is accepted from console pages, and not from other origins', async () => {
    const browser = await signInAs(world, await createPerson(world));
    const uploadRequest = { body: 'word', headers: { 'content-type': 'text/csv' } };
    const answer = await browser.request('POST', '/api/documents?title=Stock', uploadRequest);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { id } = answer.body['document'] as unknown as { readonly id: string };
    const cells = await browser.request('GET', `/api/documents/${id}/values/A1`);
    assert.deepEqual(listValues(memberAt(cells.body, 'values', 'cells')), [['word']]);
    assert.equal((await browser.request('POST', `/api/documents/${id}/copy`, { body: {} })).status, 200);
    const foreign = { ...uploadRequest, headers: { ...uploadRequest.headers, origin: 'https://evil.example' } };
    assert.equal((await browser.request('POST', '/api/documents', foreign)).status, 403);
  });

  it('creates and leaves nothing if it is aborted', async () => {
    const api = await createApi();
    const { hostname, port } = new URL(api.base);
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'text/csv', 'content-length': '1000000' };
    const clientRequest = request({ hostname, port, path: '/api/v1/documents', method: 'POST', headers });
    clientRequest.on('error', () => {});
    clientRequest.write('a,b\n'.repeat(1_000));
    await waitUntil(async () => (await listRemainingFiles()).length > 0);
    clientRequest.destroy();
    await waitUntil(async () => (await listRemainingFiles()).length === 0);
    assert.equal(await countDocuments(api), 0);
  });

  it('creates nothing if the client disconnects during parsing', async () => {
    const api = await createApi();
    const rows = Array.from({ length: 50_000 }, (_, i) => `${i},${i * 2},row${i}x`).join('\n');
    const abortController = new AbortController();
    const answer = fetch(`${api.base}/api/v1/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'text/csv' },
      body: rows,
      signal: abortController.signal,
    });
    await waitUntil(async () => (await listRemainingFiles()).length > 0);
    abortController.abort();
    await assert.rejects(answer);
    await waitUntil(async () => (await listRemainingFiles()).length === 0);
    assert.equal(await countDocuments(api), 0);
  });
});

describe('a download', () => {
  it('in CSV format contains the values of one sheet', async () => {
    const book = await world.createBook({ title: 'Orders' });
    await book.put('A1', [
      ['a', 'b'],
      ['x,y', '=1+1'],
    ]);
    await book.addSheet('Two');
    await book.put('Two!A1', [['only here']]);
    const first = await download(book, '?format=csv');
    assert.deepEqual([first.status, first.headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
    assert.equal(String(first.bytes), 'a,b\r\n"x,y",2\r\n');
    assert.equal(String((await download(book, '?format=csv&sheet=two')).bytes), '"only here"\r\n'.replaceAll('"', ''));
    const tag = first.headers.get('etag') ?? '';
    const unchanged = await book.requestInDocument('GET', '/export?format=csv', { headers: { 'if-none-match': tag } });
    assert.equal(unchanged.status, 304);
    await book.put('A1', [['changed']]);
    assert.notEqual((await download(book, '?format=csv')).headers.get('etag'), tag);
  });

  it('is refused for an invalid query, a hidden sheet, or another document type', async () => {
    const book = await world.createBook();
    await book.addSheet('Salaries');
    const { api: editor } = await world.addMember(book.document, 'view');
    assert.equal((await download(editor)).status, 200);
    await world.protect(book.document, 'Salaries', { hideValues: true });
    const cases: readonly [api: Api, query: string, status: number, message: RegExp][] = [
      [book, '?format=pdf', 422, /format must be one of xlsx, csv/],
      [book, '?sheet=Sheet1', 422, /one sheet alone goes into a .csv file/],
      [book, '?format=csv&sheet=Nope', 404, /Sheet not found/],
      [editor, '', 403, /Sheet values are hidden/],
      [editor, '?format=csv&sheet=Sheet1', 403, /Sheet values are hidden/],
      [await world.createBook({ type: 'text' }), '', 422, /Document is not a table/],
      [book.forDocument('nowhere'), '', 404, /Document not found/],
    ];
    for (const [api, query, status, message] of cases) {
      const answer = await api.requestInDocument('GET', `/export${query}`);
      assert.equal(answer.status, status, query);
      assert.match(String(answer.body['message']), message);
      assert.equal(answer.headers.has('etag'), false);
    }
    assert.equal((await download(book)).status, 200);
    const legacyDownload = await download(await world.createBook({ format: 'legacy' }));
    assert.equal(legacyDownload.status, 200);
  });

  it('of a large document runs in the background, and an aborted one leaves no files', async () => {
    const book = await world.createBook();
    const rows = Array.from({ length: 6_000 }, (_, i) => `${i},${i * 1.5},row${i}x`).join('\n');
    const large = openCreatedBook(book, await upload(book, `n,m,t\n${rows}\n`, '?locale=en-US'));
    const csv = await download(large, '?format=csv');
    assert.equal(String(csv.bytes), `n,m,t\r\n${rows.replaceAll('\n', '\r\n')}\r\n`);
    const reimported = openCreatedBook(
      book,
      await upload(book, (await download(large)).bytes, '?locale=en-US', { type: XLSX }),
    );
    assert.deepEqual(await reimported.cells('A5500:C6001'), await large.cells('A5500:C6001'));
    const abortController = new AbortController();
    const headers = { authorization: `Bearer ${large.token}` };
    const exportRequest = fetch(`${large.base}/api/v1/documents/${large.document}/export`, {
      headers,
      signal: abortController.signal,
    });
    abortController.abort();
    await assert.rejects(exportRequest);
    await waitUntil(async () => (await listRemainingFiles()).length === 0);
  });
});

/** The status of a response to headers without a body. */
async function readStatus(api: Api, extraRows: Readonly<Record<string, string>>): Promise<number> {
  const { hostname, port } = new URL(api.base);
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'text/csv', ...extraRows };
  const clientRequest = request({ hostname, port, path: '/api/v1/documents', method: 'POST', headers });
  clientRequest.on('error', () => {});
  clientRequest.flushHeaders();
  const [response] = await once(clientRequest, 'response');
  clientRequest.destroy();
  return response.statusCode;
}
