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
import { writeOrders } from './records-support.ts';
import {
  ALL_SCOPES,
  type Api,
  type ApiResponse,
  ON_ONE_NODE,
  type RequestOptions,
  startWorld,
  type World,
} from './support.ts';

const QUERY_PATTERN = '/api/v1/documents/:document/records/query';
/** Cursors are encrypted, each with another nonce. */
function toComparableQuery(response: ApiResponse) {
  const { body, ...others } = toComparable(response);
  return { ...others, text: JSON.stringify(body).replace(/"nextCursor":"[^"]+"/, '"nextCursor":"…"') };
}

const createQuery = (body: object, options: RequestOptions = {}): RequestOptions => ({
  ...options,
  body: { range: 'A:H', ...body },
});

function sendQuery(api: Api, options: RequestOptions, extra: Readonly<Record<string, string>> = {}) {
  return api.requestInDocument('POST', '/records/query', { ...options, headers: { ...extra, ...options.headers } });
}

/** Requests that the fast path answers itself, with success or an error. */
const FAST_REQUESTS: Readonly<Record<string, RequestOptions>> = {
  all: createQuery({}),
  page: createQuery({ limit: 2 }),
  filter: createQuery({ where: { Status: ['open', 'new'], Sum: { gte: 100 } }, sort: ['-Sum'] }),
  'letters of two bytes': createQuery({ where: { City: 'Rīga' } }),
  columns: createQuery({ select: ['City', 'Sum'] }),
  groups: createQuery({ aggregate: { groupBy: ['City'], measures: { n: { count: '*' } } } }),
  formula: createQuery({ formula: '=Sum>100' }),
  'formula that cannot be read': createQuery({ formula: '=SUM(' }),
  'unknown column': createQuery({ where: { Nothing: 1 } }),
  'unknown cursor': createQuery({ cursor: 'nonsense' }),
  'missing sheet': createQuery({ range: 'Nowhere!A:H' }),
  'hidden sheet': createQuery({ range: 'Hidden!A:H' }),
  'no range': createQuery({ range: '' }),
};

/** Requests that the fast path passes to the framework. */
const FRAMEWORK_REQUESTS: Readonly<Record<string, RequestOptions>> = {
  'unknown member': createQuery({ columns: {}, colour: 'red' }),
  'wrong type': createQuery({ limit: 'ten' }),
  'dry run': createQuery({ dryRun: true }),
  'no object': { raw: '[]' },
  'no JSON': { raw: '{"range":"A:H"' },
  'empty body': { raw: '' },
  'no UTF-8': { raw: Buffer.from('{"range":"A:H","where":{"City":"\xff"}}', 'latin1') },
  'long integer': { raw: '{"range":"A:H","where":{"Sum":12345678901234567890}}' },
  'long body': createQuery({ where: { City: 'x'.repeat(BODY_CAPACITY_BYTES.uncounted) } }),
  origin: createQuery({}, { headers: { origin: 'https://app.example.com' } }),
  condition: createQuery({}, { headers: { 'if-match': '"x"' } }),
  key: createQuery({}, { key: 'once' }),
};

/** A database that can fail to read the newest commit of a document. */
class FailingDatabase {
  reason: Error | null = null;

  readonly wrap = (database: Database): Database =>
    replaceMethods(database, {
      readLatest: (query) => {
        if (this.reason !== null && query.sql.includes('"documents"')) throw this.reason;
        return database.readLatest(query);
      },
    });
}

describe('a query on the fast path', () => {
  let world: World;
  const failing = new FailingDatabase();
  before(async () => {
    world = await startWorld({
      wrap: failing.wrap,
      allowedOrigins: ['https://app.example.com'],
      plans: { professional: { requestsPerSecond: 0 }, standard: { requestsPerSecond: 1_000_000 } },
    });
  });
  after(() => world.close());

  async function createOrders(): Promise<Api> {
    const book = await writeOrders(await world.createBook());
    assert.equal((await book.addSheet('Hidden')).status, 200);
    await world.protect(book.document, 'Hidden', { hideValues: true });
    return book;
  }

  it('gets the same response as from the framework, including headers', async () => {
    const owner = await createOrders();
    const { api: reader } = await world.addMember(owner.document, 'view');
    for (const api of [owner, reader]) {
      for (const [caseName, options] of Object.entries({ ...FAST_REQUESTS, ...FRAMEWORK_REQUESTS })) {
        const [fast, slow] = [await sendQuery(api, options), await sendQuery(api, options, FRAMEWORK_ONLY)];
        assert.deepEqual(toComparableQuery(fast), toComparableQuery(slow), caseName);
      }
    }
  });

  it('is subject to all permission checks', async () => {
    const owner = await createOrders();
    const createApi = (token: string) => world.apiFor(token, owner.document);
    const noReads = ALL_SCOPES.filter((scope) => scope !== 'sheets.read');
    const user = await world.createUser();
    await world.share(owner.document, user.id, 'view');
    const callers: readonly [caseName: string, api: Api, status: number][] = [
      ['nobody', createApi('nonsense'), 401],
      ['a right that lacks', createApi(await world.createToken(user.id, noReads)), 403],
      ['a stranger', createApi(await world.createToken((await world.createUser()).id)), 403],
      ['a rate', (await world.addMember(owner.document, 'view', ALL_SCOPES, 'professional')).api, 429],
      ['no document', owner.forDocument('00000000-0000-4000-8000-000000000000'), 404],
      ['an id in capitals', owner.forDocument(owner.document.toUpperCase()), 200],
      ['a reader', createApi(await world.createToken(user.id)), 200],
    ];
    for (const [caseName, api, status] of callers) {
      const query = createQuery({ limit: 1 });
      const [fast, slow] = [await sendQuery(api, query), await sendQuery(api, query, FRAMEWORK_ONLY)];
      assert.equal(fast.status, status, caseName);
      assert.deepEqual(
        { ...toComparableQuery(fast), fields: null },
        { ...toComparableQuery(slow), fields: null },
        caseName,
      );
    }
  });

  it('counts once against the rate limit, also if its schema refuses it', async () => {
    const owner = await createOrders();
    const { api } = await world.addMember(owner.document, 'view', ALL_SCOPES, 'standard');
    for (const query of [createQuery({}), createQuery({ limit: 'ten' })]) {
      assert.equal(await measureSpentRequests(() => sendQuery(api, query)), 1);
    }
  });

  it('is refused like other requests if the store fails', async () => {
    const owner = await createOrders();
    await sendQuery(owner, createQuery({}));
    failing.reason = new StoreError('away', 'UNAVAILABLE');
    const [fast, slow] = [
      await sendQuery(owner, createQuery({})),
      await sendQuery(owner, createQuery({}), FRAMEWORK_ONLY),
    ];
    failing.reason = null;
    assert.equal(fast.status, 503);
    assert.deepEqual(toComparableQuery(fast), toComparableQuery(slow));
  });

  it('appears in the metrics', ON_ONE_NODE, async () => {
    const api = await createOrders();
    const count = (status: number) => countRequests(api, 'POST', QUERY_PATTERN, status);
    const [found, refused] = [await count(200), await count(422)];
    await sendQuery(api, createQuery({}));
    await sendQuery(api, createQuery({ where: { Nothing: 1 } }));
    assert.deepEqual([await count(200), await count(422)], [found + 1, refused + 1]);
  });

  it('is handled before the framework; other requests reach the framework unchanged', async () => {
    const alone = await startFastPathAlone(world);
    try {
      const api = alone.toApi(await createOrders());
      for (const [caseName, options] of Object.entries(FAST_REQUESTS))
        assert.notEqual((await sendQuery(api, options)).status, PASSED_ON_STATUS, caseName);
      for (const [caseName, options] of Object.entries({
        ...FRAMEWORK_REQUESTS,
        lines: { ...createQuery({}), headers: { accept: 'application/x-ndjson' } },
        'header for the framework': { ...createQuery({}), headers: FRAMEWORK_ONLY },
      })) {
        const { status, body } = await sendQuery(api, options);
        assert.equal(status, PASSED_ON_STATUS, caseName);
        assert.equal(body, Buffer.from(options.raw ?? JSON.stringify(options.body)).toString('hex'), caseName);
      }
    } finally {
      await alone.close();
    }
  });
});
