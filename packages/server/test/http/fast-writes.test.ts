import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, StoreError } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { BODY_CAPACITY_BYTES } from '../../src/limits/http.ts';
import {
  countRequests,
  FRAMEWORK_ONLY,
  measureSpentRequests,
  PASSED_ON_STATUS,
  startFastPathAlone,
  toComparable,
} from './fast-path-support.ts';
import {
  ALL_SCOPES,
  type Api,
  type ApiResponse,
  ON_ONE_NODE,
  type RequestOptions,
  startWorld,
  type World,
} from './support.ts';

const PUT_PATTERN = '/api/v1/documents/:document/values/:range';
const APPEND_PATTERN = '/api/v1/documents/:document/values/append';
const NOW = Date.parse('2026-05-05T05:05:05.500Z');
interface WriteRequest extends RequestOptions {
  readonly method?: 'PUT' | 'POST';
  /** Path below the document's values; by default `append` for POST and `A1` for PUT. */
  readonly path?: string;
}

const createPut = (path: string, values: unknown, extra: object = {}): WriteRequest => ({
  path,
  body: { values, ...extra },
});
const createAppend = (range: unknown, values: unknown, extra: object = {}): WriteRequest => ({
  method: 'POST',
  body: { range, values, ...extra },
});
const createRawRequest = (text: string | Uint8Array): WriteRequest => ({ raw: text });

function sendWrite(
  api: Api,
  { method = 'PUT', path: to = method === 'PUT' ? 'A1' : 'append', ...options }: WriteRequest,
  extra = {},
) {
  return api.requestInDocument(method, `/values/${to}`, { ...options, headers: { ...options.headers, ...extra } });
}

/** Requests that the fast path answers itself, with success or an error. */
const FAST_REQUESTS: Readonly<Record<string, WriteRequest>> = {
  number: createPut('A1', [[1.5]]),
  'number again': createPut('A1', [[1.5]]),
  block: createPut('B2:C3', [[1, 'text'], [true, null], ['']]),
  'typed input': createPut('A3', [['1,5', '=A1*2', '50%', '2026-01-02']]),
  raw: createPut('A4', [['=A1', '007']], { valueInputOption: 'RAW' }),
  columns: createPut('A5', [[1, 2], [3]], { majorDimension: 'COLUMNS' }),
  locale: createPut('A6', [['1.234,5']], { inputLocale: 'de-DE' }),
  'cells that say what they are': createPut('A7', [[{ value: '00501', as: 'text' }, { error: '#N/A' }]]),
  'bad cell': createPut('A7', [[{ value: '00501', as: 'colour' }]]),
  'formula that cannot be read': createPut('A8', [['=SUM(']]),
  'formula that spills': createPut('F1', [['=SEQUENCE(3)']]),
  'longest cell': createPut('A10', [['x'.repeat(8_000)]]),
  'too long a cell': createPut('A10', [['x'.repeat(11_000)]]),
  'letters of two bytes': createPut('A11', [['Я', 'ÿ', '😀']]),
  'quoted sheet': createPut("'Sheet1'!A12", [[1]]),
  'sheet by name': createPut('Sheet1!A12', [[1]]),
  'missing sheet': createPut('Nowhere!A1', [[1]]),
  'locked sheet': createPut('Locked!A1', [[1]]),
  'hidden sheet': createPut('Hidden!A1', [[1]]),
  'sheet with a name of other letters': createAppend('A1', [['in']]),
  'no range': createPut('nonsense', [[1]]),
  'outside the grid': createPut('A1048577', [[1]]),
  'row that is too wide': createPut('XFD1', [[1, 2]]),
  'open range': createPut('A:B', [[1]]),
  'no cells': createPut('A1', [[]]),
  appended: createAppend('A1', [[1, 'name', 2.5, true]]),
  'appended to a column': createAppend('C1', [[1], [2]]),
  'appended to nothing': createAppend('Nowhere!A1', [[1]]),
  'appended nowhere': createAppend('nonsense', [[1]]),
  'appended to a locked sheet': createAppend('Locked!A1', [[1]]),
  'range in another case': createPut('sheet1!a1', [[1]]),
  'names twice': createRawRequest('{"values":[[1]],"values":[[2]]}'),
  'mark of bytes': createRawRequest('\uFEFF{"values":[[1]]}'),
  'half a letter': createRawRequest('{"values":[["\\ud800"]]}'),
  'names that are escaped': createRawRequest('{"valu\\u0065s":[[1]]}'),
  blanks: createRawRequest(' {\n\t"values" : [ [ 1 ] ] }\r\n'),
  'charset named': { ...createPut('A1', [[1]]), headers: { 'content-type': 'application/json; charset=utf-8' } },
};

/** Requests that the fast path passes to the framework. */
const FRAMEWORK_REQUESTS: Readonly<Record<string, WriteRequest>> = {
  'no matrix': createPut('A1', 'no matrix'),
  'no values': createRawRequest('{}'),
  'no rows': createPut('A1', []),
  prototype: createRawRequest('{"__proto__":{"values":[[1]]},"values":[[1]]}'),
  'prototype only': createRawRequest('{"__proto__":{"values":[[1]]}}'),
  'too deep a cell': createRawRequest(`{"values":[[${'['.repeat(20)}${']'.repeat(20)}]]}`),
  'list as a cell': createPut('A1', [[[1]]]),
  'no object': createRawRequest('[]'),
  nothing: createRawRequest('null'),
  'empty body': createRawRequest(''),
  'no JSON': createRawRequest('{"values":[[1]]'),
  'two values': createRawRequest('{"values":[[1]]}{}'),
  'no UTF-8': createRawRequest(Buffer.from('{"values":[["\xff"]]}', 'latin1')),
  'other members': createPut('A9', [[1]], { comment: 'ours' }),
  'dry run in the body': createPut('A9', [[1]], { dryRun: true }),
  'unknown option': createPut('A1', [[1]], { valueInputOption: 'SOMEHOW' }),
  'too many members': createRawRequest(
    `{"values":[[1]]${Array.from({ length: 1_100 }, (_, i) => `,"m${i}":1`).join('')}}`,
  ),
  'range that is none': createAppend(7, [[1]]),
  'no range at all': { method: 'POST', raw: '{"values":[[1]]}' },
  'revision asked for': createPut('A1', [[1]], { ifRevision: '0' }),
  'cells expected': createPut('A1', [[1]], { expect: [{ range: 'A1', values: [[null]] }] }),
  'long body': createPut('A1', [[1]], { comment: 'x'.repeat(BODY_CAPACITY_BYTES.uncounted) }),
  'trial run': createPut('A1?dryRun=true', [[1]]),
  'unknown query': createPut('A1?x=1', [[1]]),
  'encoded range': createPut('%41%31', [[1]]),
  'encoded sheet': createPut("'Sheet1'%21A1", [[1]]),
  'broken encoding': createPut('%A1', [[1]]),
  'semicolon in the address': createPut('A1;x', [[1]]),
  'no such route': createPut('A1/B2', [[1]]),
  'reserved: append': createPut('append', [[1]]),
  'reserved: clear': createPut('clear', [[1]]),
  'reserved: batchGet': createPut('batchGet', [[1]]),
  'reserved: batchUpdate': createPut('batchUpdate', [[1]]),
  'address that is too long': createPut('A'.repeat(5_000), [[1]]),
  'posted to a range': { method: 'POST', path: 'A1', body: { values: [[1]] } },
  key: { ...createPut('A1', [[1]]), key: 'once' },
  'key that is none': { ...createPut('A1', [[1]]), key: 'é' },
  condition: { ...createPut('A1', [[1]]), headers: { 'if-match': '"x"' } },
  origin: { ...createPut('A1', [[1]]), headers: { origin: 'https://app.example.com' } },
  'other type': { ...createPut('A1', [[1]]), headers: { 'content-type': 'text/plain' } },
  'compressed body': { ...createPut('A1', [[1]]), headers: { 'content-encoding': 'gzip' } },
};

/** A database that can refuse commits and that counts all commits. */
class RefusingDatabase {
  reason: Error | null = null;
  commits = 0;

  readonly wrap = (database: Database): Database =>
    replaceMethods(database, {
      write: async (unit) => {
        if (!unit.statements.some(({ sql }) => sql.startsWith('insert into "commits"'))) return database.write(unit);
        this.commits++;
        if (this.reason !== null) throw this.reason;
        return database.write(unit);
      },
    });
}

describe('a plain write', () => {
  let world: World;
  const refusingDatabase = new RefusingDatabase();
  before(async () => {
    world = await startWorld({
      clock: () => NOW,
      wrap: refusingDatabase.wrap,
      allowedOrigins: ['https://app.example.com'],
      plans: {
        professional: { requestsPerSecond: 0 },
        standard: { requestsPerSecond: 1_000_000 },
        free: { agentQuota: { window: 'month', limit: 0 } },
      },
    });
  });
  after(() => world.close());

  /** Creates a document with a locked sheet and a hidden sheet. */
  async function createBook(): Promise<Api> {
    const created = await world.createBook();
    for (const name of ['Locked', 'Hidden']) assert.equal((await created.addSheet(name)).status, 200);
    await world.protect(created.document, 'Locked', { lock: true });
    await world.protect(created.document, 'Hidden', { hideValues: true });
    return created;
  }

  /** Sends a request through the fast path and through the framework, to two equal documents. */
  async function assertSameResponse(
    caseName: string,
    writeRequest: WriteRequest,
    byFastPath: Api,
    byFramework: Api,
  ): Promise<ApiResponse> {
    const [first, second] = [
      await sendWrite(byFastPath, writeRequest),
      await sendWrite(byFramework, { ...writeRequest }, frameworkHeaders(writeRequest)),
    ];
    assert.deepEqual(toComparable(first), toComparable(second), caseName);
    return first;
  }

  /** The request's own header wins. */
  const frameworkHeaders = ({ headers = {} }: WriteRequest) => ({ ...FRAMEWORK_ONLY, ...headers });

  it('gets the same response as from the framework, including headers', async () => {
    const owners = [await createBook(), await createBook()] as const;
    const editors = [
      await world.addMember(owners[0].document, 'edit'),
      await world.addMember(owners[1].document, 'edit'),
    ];
    const pairs = [owners, editors.map(({ api }) => api)] as readonly (readonly [Api, Api])[];
    for (const [byFastPath, byFramework] of pairs) {
      for (const [caseName, writeRequest] of Object.entries({ ...FAST_REQUESTS, ...FRAMEWORK_REQUESTS }))
        await assertSameResponse(caseName, writeRequest, byFastPath, byFramework);
      assert.deepEqual(await byFastPath.cells('A1:H40'), await byFramework.cells('A1:H40'));
      assert.equal(await byFastPath.revision(), await byFramework.revision());
    }
    const removeEntryTimes = (audit: ApiResponse['body']) =>
      (audit['entries'] as unknown as Record<string, unknown>[]).map(
        ({ id: _id, requestId: _request, ...entry }) => entry,
      );
    const [one, other] = [
      await owners[0].listAuditEntries('?limit=200'),
      await owners[1].listAuditEntries('?limit=200'),
    ];
    assert.deepEqual(
      removeEntryTimes(one).map((entry) => ({ ...entry, userName: '', userId: 0 })),
      removeEntryTimes(other).map((entry) => ({ ...entry, userName: '', userId: 0 })),
    );
  });

  it('handles non-Latin sheet names', async () => {
    const [one, other] = [await world.createBook(), await world.createBook()];
    for (const api of [one, other]) assert.equal((await api.renameSheet('Sheet1', 'Лист ÿ')).status, 200);
    for (const writeRequest of [createPut('A1', [['=SUM(']]), createAppend('A1', [[1]])]) {
      const { status } = await assertSameResponse('other letters', writeRequest, one, other);
      assert.equal(status, 200);
    }
  });

  it('is subject to all permission checks', async () => {
    const owner = await world.createBook();
    const createApi = (token: string) => world.apiFor(token, owner.document);
    const user = await world.createUser();
    await world.share(owner.document, user.id, 'edit');
    const agent = await world.createUser('free');
    const limited = await world.createToken(user.id, ALL_SCOPES, [(await world.createBook()).document]);
    const noWrites = ALL_SCOPES.filter((scope) => scope !== 'sheets.write');
    const callers: readonly [caseName: string, api: Api, status: number][] = [
      ['nobody', createApi('nonsense'), 401],
      ['a right that lacks', createApi(await world.createToken(user.id, noWrites)), 403],
      ['a token for others', createApi(limited), 403],
      ['a stranger', createApi(await world.createToken((await world.createUser()).id)), 403],
      ['a reader', (await world.addMember(owner.document, 'view')).api, 403],
      ['a plan without writes', (await world.addMember(owner.document, 'edit', ALL_SCOPES, 'free')).api, 403],
      ['a rate', (await world.addMember(owner.document, 'edit', ALL_SCOPES, 'professional')).api, 429],
      ['a quota', createApi(await world.createToken(agent.id, ['sheets.agent.write'])), 429],
      ['no document', owner.forDocument('00000000-0000-4000-8000-000000000000'), 404],
      ['no id', owner.forDocument('no-uuid'), 404],
      ['an id in capitals', owner.forDocument(owner.document.toUpperCase()), 200],
      ['a rate that is far', (await world.addMember(owner.document, 'edit', ALL_SCOPES, 'standard')).api, 200],
    ];
    for (const [caseName, api, status] of callers) {
      for (const writeRequest of [createPut('A1', [[1]]), createAppend('A1', 'no matrix'), createAppend('A1', [[1]])]) {
        const [first, second] = [
          await sendWrite(api, writeRequest),
          await sendWrite(api, writeRequest, FRAMEWORK_ONLY),
        ];
        const [one, other] = [toComparable(first), toComparable(second)];
        // The second append writes one row lower and counts one more request.
        if (status !== 200) assert.deepEqual(one, other, caseName);
        assert.deepEqual(Object.keys(one.fields).sort(), Object.keys(other.fields).sort(), caseName);
        if (writeRequest.body !== undefined && writeRequest.path === 'A1') assert.equal(one.status, status, caseName);
      }
    }
  });

  it('is performed once, even if it fails', async () => {
    const [one, other] = [await world.createBook(), await world.createBook()];
    for (const reason of [
      new StoreError('away', 'UNAVAILABLE'),
      new StoreError('too much', 'OVERLOADED'),
      new Error('a bug'),
    ]) {
      for (const writeRequest of [createPut('A1', [[1]]), createAppend('A1', [[1]])]) {
        const identified = { ...writeRequest, headers: { 'x-request-id': 'mine' } };
        await assertSameResponse('before', writeRequest, one, other);
        refusingDatabase.reason = reason;
        refusingDatabase.commits = 0;
        const { status } = await assertSameResponse(String(reason), identified, one, other);
        assert.equal(status, reason instanceof StoreError ? 503 : 500);
        assert.equal(refusingDatabase.commits, 2);
        refusingDatabase.reason = null;
        await assertSameResponse('after', writeRequest, one, other);
      }
    }
  });

  it('counts once against the rate limit', async () => {
    const { document } = await world.createBook();
    const { api } = await world.addMember(document, 'edit', ALL_SCOPES, 'standard');
    for (const writeRequest of [createPut('A1', [[1]]), createPut('A1', 'no matrix')]) {
      assert.equal(await measureSpentRequests(() => sendWrite(api, writeRequest)), 1);
    }
  });

  it('appears in the metrics', ON_ONE_NODE, async () => {
    const api = await world.createBook();
    const readFigures = async () => [
      await countRequests(api, 'PUT', PUT_PATTERN, 200),
      await countRequests(api, 'PUT', PUT_PATTERN, 404),
      await countRequests(api, 'POST', APPEND_PATTERN, 200),
    ];
    const initial = await readFigures();
    await sendWrite(api, createPut('A1', [[1]]));
    await sendWrite(api, createPut('Nowhere!A1', [[1]]));
    await sendWrite(api, createAppend('A1', [[1]]));
    assert.deepEqual(
      await readFigures(),
      initial.map((count) => count + 1),
    );
  });

  it('is handled before the framework; other requests reach the framework unchanged', async () => {
    const alone = await startFastPathAlone(world);
    try {
      const { token, document } = await createBook();
      const { api: editor } = await world.addMember(document, 'edit');
      for (const api of [alone.toApi(world.apiFor(token, document)), alone.toApi(editor)]) {
        for (const [caseName, writeRequest] of Object.entries(FAST_REQUESTS))
          assert.notEqual((await sendWrite(api, writeRequest)).status, PASSED_ON_STATUS, caseName);
        for (const [caseName, writeRequest] of Object.entries({
          ...FRAMEWORK_REQUESTS,
          'said to go on': { ...FAST_REQUESTS['number'], headers: FRAMEWORK_ONLY },
        })) {
          const { status, body } = await sendWrite(api, writeRequest);
          assert.equal(status, PASSED_ON_STATUS, caseName);
          assert.equal(
            body,
            Buffer.from(writeRequest.raw ?? JSON.stringify(writeRequest.body)).toString('hex'),
            caseName,
          );
        }
      }
    } finally {
      await alone.close();
    }
  });
});
