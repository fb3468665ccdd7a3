import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createDocument } from '../../src/service/operator/new-document.ts';
import { createToken } from '../../src/service/operator/tokens.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { sendHttp } from './send.ts';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

function put(book: Api, range: string, values: readonly (readonly unknown[])[], options: object): Promise<ApiResponse> {
  return book.requestInDocument('PUT', `/values/${range}`, { body: { values, ...options } });
}

async function readFirstCell(book: Api, range: string, query: Record<string, string> = {}): Promise<unknown> {
  const { status, body } = await book.get(range, query);
  assert.equal(status, 200, JSON.stringify(body));
  return memberAt(body, 'values', 'cells', 0)[0];
}

/** For a Russian document: locale, typed text, and the resulting cell. */
const TYPED_INPUTS: readonly (readonly [locale: string, typed: string, cell: object])[] = [
  ['en-US', '1.5', { v: 1.5, m: '1,5' }],
  ['en-US', '.5', { v: 0.5, m: '0,5' }],
  ['en-US', '1,234.5', { v: 1234.5, m: '1234,5' }],
  ['en-US', '1,234', { v: 1234, m: '1234' }],
  ['en-US', '-12.5%', { v: -0.125, m: '-12,50%' }],
  ['en-US', '$5.00', { v: 5, m: '$5,00' }],
  ['en-US', '$1,000', { v: 1000, m: '$1 000,00' }],
  ['en-US', '03/02/2026', { v: 46_083, m: '02.03.2026', t: 'd' }],
  ['en-GB', '03/02/2026', { v: 46_056, m: '03.02.2026', t: 'd' }],
  ['en-US', '2:30 PM', { v: 14.5 / 24, m: '14:30', t: 'd' }],
  ['en-US', '12:05:09 am', { v: 309 / 86_400, m: '00:05:09', t: 'd' }],
  ['en-US', '3/2/2026 2:30 PM', { v: 46_083 + 14.5 / 24, m: '02.03.2026 14:30', t: 'd' }],
  ['en-US', 'March 2, 2026', { v: 46_083, m: '02.03.2026', t: 'd' }],
  ['de-DE', '2 März 2026', { v: 46_083, m: '02.03.2026', t: 'd' }],
  ['en-US', '2026-03-02', { v: 46_083, m: '02.03.2026', t: 'd' }],
  ['de-DE', '1.234,5', { v: 1234.5, m: '1234,5' }],
  ['de-DE', '1.234', { v: 1234, m: '1234' }],
  ['de-DE', '5,00 €', { v: 5, m: '5,00 €' }],
  ['de-DE', 'wahr', { v: true, m: 'TRUE' }],
  ['fr-FR', '1 234,5', { v: 1234.5, m: '1234,5' }],
  ['document', '1 234,5', { v: 1234.5, m: '1234,5' }],
  ['document', 'ложь', { v: false, m: 'FALSE' }],
  ['en-US', '007', { v: '007', m: '007' }],
  ['en-US', '1234567890123456', { v: '1234567890123456', m: '1234567890123456' }],
  ['en-US', "'1.5", { v: '1.5', m: '1.5' }],
  ['en-US', '1,5', { v: '1,5', m: '1,5' }],
  ['en-US', '13/13/2026', { v: '13/13/2026', m: '13/13/2026' }],
  ['en-US', 'May', { v: 'May', m: 'May' }],
  ['en-US', 'A-1001', { v: 'A-1001', m: 'A-1001' }],
  ['en-US', '192.168.0.1', { v: '192.168.0.1', m: '192.168.0.1' }],
  ['en-US', '=SUM(1.5,2)', { v: 3.5, m: '3,5', f: '=SUM(1,5;2)' }],
  ['en-US', '=SUM({1,2;3,4})', { v: 10, m: '10', f: '=SUM({1\\2;3\\4})' }],
  ['de-DE', '=SUM(1,5;2)', { v: 3.5, m: '3,5', f: '=SUM(1,5;2)' }],
];

suite('typed values are parsed with the conventions of the locale', () => {
  let book: Api;
  before(async () => {
    book = await world.createBook({ locale: 'ru-RU' });
  });

  for (const [locale, typed, cell] of TYPED_INPUTS) {
    test(`${typed} of ${locale}`, async () => {
      await book.addSheet(`${locale} ${typed.replaceAll('/', ' ')}`);
      const name = `'${`${locale} ${typed.replaceAll('/', ' ')}`.replaceAll("'", "''")}'!A1`;
      const answer = await put(book, encodeURIComponent(name), [[typed]], { inputLocale: locale });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(await readFirstCell(book, name), cell);
    });
  }
});

test('all value writes accept inputLocale; RAW values and records ignore it', async () => {
  const book = await world.createBook({ locale: 'ru-RU' });
  await put(book, 'A1', [['1.5']], { inputLocale: 'en-US', valueInputOption: 'RAW' });
  await book.post('/values/batchUpdate', { data: [{ range: 'A2', values: [['1.5']] }], inputLocale: 'en-US' });
  await book.post('/values/append', {
    range: 'A1',
    values: [['2.5'], [{ value: '1.5', as: 'text' }]],
    inputLocale: 'en-US',
  });
  const cells = memberAt((await book.get('A1:A4', { render: 'plain' })).body, 'values')['cells'];
  assert.deepEqual(cells, [['1.5'], [1.5], [2.5], ['1.5']]);
  await put(book, 'A6', [['Name'], ['x']], {});
  const record = { range: 'A6:A', records: [{ Name: '1.5' }], inputLocale: 'en-US' };
  assert.equal((await book.post('/records/append', record)).status, 200);
  assert.deepEqual(await readFirstCell(book, 'A8', { render: 'plain' }), '1.5');
  const queried = await book.requestInDocument(
    'GET',
    '/records/query?range=A6:A&where={"Name":"1.5"}&inputLocale=en-US',
  );
  assert.equal(memberAt(queried.body, 'pagination')['total'], 1);
});

test('replacements and defined names accept inputLocale', async () => {
  const book = await world.createBook({ locale: 'ru-RU' });
  await put(book, 'A1', [[1.5, '=SUM(1,5;2)', '1.5']], {});
  const { status, body } = await book.post('/structure', {
    operations: [
      { replace: { range: 'A1:C1', find: '1.5', with: '2.5', formulas: true } },
      { setName: { name: 'rate', refersTo: '=SUM(1.5,2)' } },
    ],
    inputLocale: 'en-US',
  });
  assert.deepEqual([status, memberAt(body, 'structure')['operations']], [200, [{ cells: 3 }, { cells: 0 }]]);
  await put(book, 'D1', [['=rate']], {});
  assert.deepEqual(memberAt((await book.get('A1:D1', { render: 'plain' })).body, 'values')['cells'], [
    [2.5, 4.5, '2.5', 3.5],
  ]);
  assert.equal(((await readFirstCell(book, 'B1')) as { f: string }).f, '=SUM(2,5;2)');
});

test('formulas are formatted for the requested locale in pages, batches, old revisions and NDJSON', async () => {
  const book = await world.createBook({ locale: 'ru-RU' });
  await put(book, 'A1', [['=SUM(B1;1,5)'], ['=SUM(B2;1,5)'], ['=SUM(B3;1,5)'], ['=SUM(B4;1,5)'], ['=SUM(B5;1,5)']], {});
  const revision = await book.revision();
  const english = { inputLocale: 'en-US' };
  assert.equal(((await readFirstCell(book, 'A2', english)) as { f: string }).f, '=SUM(B2,1.5)');
  assert.equal(((await readFirstCell(book, 'A2')) as { f: string }).f, '=SUM(B2;1,5)');
  assert.equal(((await readFirstCell(book, 'A2', { inputLocale: 'document' })) as { f: string }).f, '=SUM(B2;1,5)');
  const { valueRanges } = (await book.batchGet(['A1:A5'], english)).body as unknown as {
    readonly valueRanges: readonly { readonly cells: readonly (readonly { readonly f: string }[])[] }[];
  };
  assert.deepEqual(
    valueRanges[0]?.cells.map(([cell]) => cell?.f),
    [1, 2, 3, 4, 5].map((row) => `=SUM(B${row},1.5)`),
  );
  assert.equal(((await readFirstCell(book, 'A5', { ...english, revision })) as { f: string }).f, '=SUM(B5,1.5)');
  const lines = await sendHttp(`${book.base}/api/v1/documents/${book.document}/values/A1:A2?inputLocale=en-US`, {
    headers: { authorization: `Bearer ${book.token}`, accept: 'application/x-ndjson' },
  });
  assert.deepEqual(JSON.parse(lines.text.split('\n')[1] ?? '')[0].f, '=SUM(B2,1.5)');
});

test('a page in another locale has another ETag, and a conditional write accepts both', async () => {
  const book = await world.createBook();
  await book.put('A1', [['=SUM(B1;1,5)']]);
  const [documentPage, english] = [await book.get('A1'), await book.get('A1', { inputLocale: 'en-US' })];
  assert.notEqual(documentPage.headers.get('etag'), english.headers.get('etag'));
  const again = await book.requestInDocument('GET', '/values/A1?inputLocale=en-US', {
    headers: { 'if-none-match': String(documentPage.headers.get('etag')) },
  });
  assert.equal(again.status, 200);
  const written = await book.requestInDocument('PUT', '/values/A1', {
    body: { values: [[1]] },
    headers: { 'if-match': String(english.headers.get('etag')) },
  });
  assert.equal(written.status, 200);
});

test("the locale of the request overrides the token's, which overrides the document's", async () => {
  const { context } = world.server.service;
  const owner = await world.createUser();
  const created = await createDocument(context, { owner: owner.id, title: 'T', locale: 'ru-RU', inputLocale: 'de-DE' });
  const token = await createToken(context, { user: owner.id, name: 'n', scopes: ['sheets.read', 'sheets.write'] });
  const english = await createToken(context, {
    user: owner.id,
    name: 'n',
    scopes: ['sheets.read', 'sheets.write'],
    inputLocale: 'en-US',
  });
  assert.ok(!isRefusal(created) && !isRefusal(token) && !isRefusal(english));
  const [byDocument, byToken] = [world.apiFor(token.token, created.id), world.apiFor(english.token, created.id)];
  await byDocument.put('A1', [['1.234']]);
  await byToken.put('A2', [['1.234']]);
  await put(byToken, 'A3', [['1.234']], { inputLocale: 'document' });
  await put(byToken, 'A4', [['=SUM(1;2)']], { inputLocale: 'fr-FR' });
  const { body } = await byToken.get('A1:A4');
  const cells = memberAt(body, 'values')['cells'] as unknown as readonly (readonly {
    readonly v: unknown;
    readonly f?: string;
  }[])[];
  assert.deepEqual(
    cells.map(([cell]) => cell?.v),
    [1234, 1.234, '1.234', 3],
  );
  assert.equal(cells[3]?.[0]?.f, '=SUM(1,2)');
});

test('the configuration sets the locale of new documents', async (t) => {
  const germanWorld = await startWorld({ locale: 'de-DE' });
  t.after(() => germanWorld.close());
  const owner = await germanWorld.createUser();
  const created = await createDocument(germanWorld.server.service.context, { owner: owner.id, title: 'T' });
  assert.ok(!isRefusal(created));
  assert.equal(created.locale, 'de-DE');
});

for (const inputLocale of ['xx', 'en', '', 'DOCUMENT', 5, null]) {
  test(`inputLocale ${JSON.stringify(inputLocale)} is refused`, async () => {
    const book = await world.createBook();
    const answer = await put(book, 'A1', [['1']], { inputLocale });
    assert.deepEqual([answer.status, Object.keys(answer.body['errors'] as object)], [422, ['inputLocale']]);
    const read = await book.get('A1', { inputLocale: String(inputLocale) });
    assert.equal(read.status, 422);
    const several = await book.batchGet(['A1'], { inputLocale: String(inputLocale) });
    assert.equal(several.status, 422);
    const operations = [{ setName: { name: 'rate', refersTo: '=1' } }];
    assert.equal((await book.post('/structure', { operations, inputLocale })).status, 422);
  });
}

/** Text typed into a Russian document, options, and the expected warning. */
const WARNING_CASES: readonly (readonly [typed: unknown, options: object, warning: RegExp | null])[] = [
  ['1234.5', {}, /"inputLocale": "en-US"/],
  ['1,234.5', {}, /"inputLocale": "en-US"/],
  ['1.234,5', {}, /"inputLocale": "de-DE"/],
  ['$5.00', {}, /"inputLocale": "en-US"/],
  ['12/31/2026', {}, /"inputLocale": "en-US"/],
  ['2:30 PM', {}, /"inputLocale"/],
  ['=SUM(A5,B5)', {}, /"inputLocale": "en-US"/],
  ['=1.5*2', {}, /"inputLocale": "en-US"/],
  ['1 234,5', { inputLocale: 'en-US' }, /"inputLocale": "ru-RU"/],
  ['1,5', { inputLocale: 'en-US' }, /"inputLocale": "ru-RU"/],
  ['=SUM(A5;B5)', { inputLocale: 'en-US' }, /"inputLocale": "de-DE"/],
  ['1234.5', { valueInputOption: 'RAW' }, null],
  ["'1234.5", {}, null],
  [{ value: '1234.5', as: 'text' }, {}, null],
  ['007', {}, null],
  ['1.2.3', {}, null],
  ['A-1001', {}, null],
  ['12345678901234567', {}, null],
  ['+4915112345678', {}, null],
  ['1,5', {}, null],
];
for (const [typed, options, warning] of WARNING_CASES) {
  test(`${JSON.stringify(typed)} with ${JSON.stringify(options)} gets ${warning === null ? 'no warning' : 'a warning'}`, async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    const answer = await put(book, 'B2', [[typed]], options);
    assert.equal(answer.status, 200);
    const warnings = answer.body['warnings'] as unknown as
      | readonly { readonly cell: string; readonly message: string }[]
      | undefined;
    if (warning === null) return assert.equal(warnings, undefined);
    assert.equal(warnings?.length, 1);
    assert.match(warnings?.[0]?.cell ?? '', /^Лист1!B2$/);
    assert.match(warnings?.[0]?.message ?? '', warning);
  });
}
