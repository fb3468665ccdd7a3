import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { writeOrders } from './records-support.ts';
import { sendHttp } from './send.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const NDJSON = 'application/x-ndjson';

/** Requests NDJSON; returns the parsed lines. */
async function readNdjson(book: Api, method: string, path: string, body?: object) {
  const { text, ...answer } = await sendAccepting(book, NDJSON, method, path, body);
  const texts = text.split('\n');
  assert.equal(texts.pop(), '', 'the last line ends');
  return { ...answer, type: answer.headers.get('content-type'), lines: texts.map((line) => JSON.parse(line)) };
}

function sendAccepting(book: Api, accept: string, method: string, path: string, body?: object) {
  return sendHttp(`${book.base}/api/v1/documents/${book.document}${path}`, {
    method,
    headers: { authorization: `Bearer ${book.token}`, accept, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe('NDJSON responses', () => {
  it('contain all records of one revision and an end line', async () => {
    const book = await world.createBook();
    const count = 2_500;
    const rows = Array.from({ length: count }, (_, i) => [`k${i}`, i]);
    await writeOrders(book, [['Key', 'Sum'], ...rows]);
    const revisionId = await book.revision();
    const queryBody = { range: 'A:B', where: { Sum: { gte: 100 } }, sort: ['-Sum'], select: ['Key'] };
    const all = await readNdjson(book, 'POST', '/records/query', queryBody);
    assert.deepEqual([all.status, all.type], [200, `${NDJSON}; charset=utf-8`]);
    assert.equal(all.lines.length, count - 100 + 1);
    assert.deepEqual(all.lines[0], { row: count + 1, fields: { Key: `k${count - 1}` } });
    assert.deepEqual(all.lines.at(-1), { end: true, records: count - 100, revisionId });
    const some = await readNdjson(book, 'POST', '/records/query', { ...queryBody, offset: 1, limit: 1_200 });
    assert.deepEqual(some.lines.at(-1), { end: true, records: 1_200, revisionId });
    const grouped = { range: 'A:B', aggregate: { measures: { n: { count: '*' } } } };
    assert.deepEqual((await readNdjson(book, 'POST', '/records/query', grouped)).lines[0], { fields: { n: count } });
    const fromGet = await readNdjson(book, 'GET', '/records/query?range=A:B&limit=1');
    assert.deepEqual(fromGet.lines, [
      { row: 2, fields: { Key: 'k0', Sum: 0 } },
      { end: true, records: 1, revisionId },
    ]);
  });

  it('are sent according to the Accept header', async () => {
    const book = await writeOrders(await world.createBook(), [['Key'], ['a']]);
    const ACCEPT_CASES: readonly (readonly [accept: string, isLines: boolean])[] = [
      [NDJSON, true],
      [`${NDJSON}, */*;q=0.5`, true],
      [`application/json;q=0.5, ${NDJSON.toUpperCase()} ; q=0.7`, true],
      [`application/json, ${NDJSON}`, true],
      [`application/json, ${NDJSON};q=0.1`, false],
      [`${NDJSON};q=0`, false],
      [`${NDJSON};q=0.000, */*`, false],
      ['*/*', false],
    ];
    for (const [accept, isLines] of ACCEPT_CASES) {
      for (const path of ['/records/query?range=A:A', '/values/A:A']) {
        const { status, headers } = await sendAccepting(book, accept, 'GET', path);
        const type = headers.get('content-type')?.split(';')[0];
        assert.deepEqual([status, type], [200, isLines ? NDJSON : 'application/json'], `${accept} ${path}`);
      }
    }
  });

  it('contain the rows of a range in the form of a cell read', async () => {
    const book = await world.createBook();
    await book.put(
      'A1',
      Array.from({ length: 1_300 }, (_, i) => [i, `=A${i + 1}*2`]),
    );
    const revisionId = await book.revision();
    const read = await readNdjson(book, 'GET', '/values/A:B');
    assert.equal(read.lines.length, 1_301);
    assert.deepEqual(read.lines[1_299], [
      { v: 1299, m: '1299' },
      { v: 2598, m: '2598', f: '=A1300*2' },
    ]);
    assert.deepEqual(read.lines.at(-1), { end: true, records: 1_300, revisionId });
    const page = await readNdjson(book, 'GET', '/values/A2:C1300?offset=1298&limit=5');
    assert.deepEqual(page.lines, [
      [{ v: 1299, m: '1299' }, { v: 2598, m: '2598', f: '=A1300*2' }, null],
      { end: true, records: 1, revisionId },
    ]);
    assert.deepEqual((await readNdjson(book, 'GET', '/values/A2000:A')).lines, [{ end: true, records: 0, revisionId }]);
  });

  it('start only after all checks have passed', async () => {
    const book = await writeOrders(await world.createBook());
    const headers = { accept: NDJSON };
    const bad = await book.requestInDocument('POST', '/records/query', {
      body: { range: 'A:H', sort: ['Colour'] },
      headers,
    });
    assert.deepEqual([bad.status, Object.keys(memberAt(bad.body, 'errors'))], [422, ['sort']]);
    assert.equal((await book.requestInDocument('GET', '/values/A1?majorDimension=COLUMNS', { headers })).status, 422);
    assert.equal((await book.requestInDocument('GET', '/values/Nope!A1', { headers })).status, 404);
    await world.protect(book.document, 'Sheet1', { hideValues: true });
    const { api } = await world.addMember(book.document, 'view');
    assert.equal((await api.requestInDocument('GET', '/values/A1', { headers })).status, 403);
  });
});

describe('resumed NDJSON responses', () => {
  const HEADER = [['Key', 'Sum']];

  async function createBookWithRows(plan: 'standard' | 'professional', rows: number): Promise<Api> {
    const data = Array.from({ length: rows }, (_, i) => [`k${i}`, i]);
    return writeOrders(await world.createBook({ plan }), [...HEADER, ...data]);
  }

  it('continue at their revision, independent of later writes, on every plan', async () => {
    for (const plan of ['standard', 'professional'] as const) {
      const book = await createBookWithRows(plan, 5);
      const records = { range: 'A:B', sort: ['-Sum'] };
      const query = await readNdjson(book, 'POST', '/records/query', records);
      const values = await readNdjson(book, 'GET', '/values/A:B?render=plain');
      const revision = Number(query.headers.get('x-revision'));
      assert.equal(values.headers.get('x-revision'), String(revision));
      await book.put('A2', [['other', 100]]);
      const restOfQuery = await readNdjson(book, 'POST', '/records/query', { ...records, offset: 3, revision });
      assert.deepEqual(restOfQuery.lines.slice(0, -1), query.lines.slice(3, -1), plan);
      const restFromGet = await readNdjson(
        book,
        'GET',
        `/records/query?range=A:B&sort[]=-Sum&offset=3&revision=${revision}`,
      );
      assert.deepEqual(restFromGet.lines, restOfQuery.lines);
      const restOfValues = await readNdjson(book, 'GET', `/values/A:B?render=plain&offset=1&revision=${revision}`);
      assert.deepEqual(restOfValues.lines.slice(0, -1), values.lines.slice(1, -1), plan);
      assert.equal(restOfValues.lines.at(-1).revisionId, String(revision));
    }
  });

  it('continue the result of a formula query', async () => {
    const book = await createBookWithRows('standard', 6);
    const queryBody = { range: 'A:B', formula: '=[Sum]>=2' };
    const all = await readNdjson(book, 'POST', '/records/query', queryBody);
    const revision = Number(all.headers.get('x-revision'));
    await book.put('B2', [[100]]);
    const rest = await readNdjson(book, 'POST', '/records/query', { ...queryBody, offset: 1, revision });
    assert.deepEqual(rest.lines.slice(0, -1), all.lines.slice(1, -1));
  });

  it('are refused for an unknown revision or together with a cursor', async () => {
    const book = await createBookWithRows('standard', 3);
    const ahead = await sendAccepting(book, NDJSON, 'POST', '/records/query', { range: 'A:B', revision: 99 });
    assert.equal(ahead.status, 404);
    const both = { range: 'A:B', revision: 1, cursor: 'x' };
    assert.equal((await sendAccepting(book, NDJSON, 'POST', '/records/query', both)).status, 422);
  });

  it('are refused for a sheet that is now hidden from the caller', async () => {
    const book = await createBookWithRows('professional', 3);
    const { api: reader } = await world.addMember(book.document, 'edit');
    const firstRead = await readNdjson(reader, 'GET', '/values/A:B');
    const revision = firstRead.headers.get('x-revision');
    const sheet = memberAt((await book.sheets()).body, 'sheets', 0);
    await world.protect(book.document, String(sheet['name']), { hideValues: true });
    await book.put('A2', [['other']]);
    const rest = await sendAccepting(reader, NDJSON, 'GET', `/values/A:B?revision=${revision}&offset=1`);
    assert.equal(rest.status, 403);
  });
});
