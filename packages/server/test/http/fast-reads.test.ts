import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { elementAt } from '../../../../test/elements.ts';
import { sendHttp } from './send.ts';
import { type Api, type ApiResponse, memberAt, ON_ONE_NODE, startWorld, type World } from './support.ts';

const PATTERN = '/api/v1/documents/:document/values/:range';

/** Headers that differ in every response. */
const VOLATILE_HEADERS = ['x-request-id', 'date', 'ratelimit'];

function readHeaderFields({ headers }: ApiResponse): Record<string, string> {
  const fields = JSON.parse(String(headers)) as Record<string, string>;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !VOLATILE_HEADERS.includes(name)));
}

/** Reads until the response is cached. */
async function readUntilCached(api: Api, range = 'A1'): Promise<ApiResponse> {
  for (let i = 0; i < 3; i++) await api.get(range);
  return api.get(range);
}

describe('a cached read', () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      allowedOrigins: ['https://app.example.com'],
      plans: {
        standard: { requestsPerSecond: 1_000_000 },
        professional: { requestsPerSecond: 2 },
        free: { agentQuota: { window: 'month', limit: 1_000 } },
      },
    });
  });
  after(() => world.close());

  it('returns the same response and headers as the first read', async () => {
    for (const plan of ['enterprise', 'standard'] as const) {
      const book = await world.createBook({ plan });
      await book.put('A1', [['ÿ', 'Я']]);
      for (const range of ['A1', 'B1', 'A1:B2', 'A1:Z400']) {
        const first = await book.get(range);
        const again = await readUntilCached(book, range);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, first.body);
        assert.deepEqual(readHeaderFields(again), readHeaderFields(first));
        assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
      }
    }
  });

  it('checks the current permissions', async () => {
    const owner = await world.createBook();
    const { api: editor } = await world.addMember(owner.document, 'edit');
    for (const api of [owner, editor]) assert.equal((await readUntilCached(api)).status, 200);
    assert.equal((await owner.forDocument('no-uuid').get('A1')).status, 404);
    assert.equal((await world.apiFor('nobody', owner.document).get('A1')).status, 401);
    const stranger = await world.createBook({ plan: 'free' });
    assert.equal((await stranger.forDocument(owner.document).get('A1')).status, 403);
    const writeOnly = await world.addMember(owner.document, 'edit', ['sheets.write']);
    assert.match((await writeOnly.api.get('A1')).headers.get('www-authenticate') ?? '', /sheets\.read/);
    await world.protect(owner.document, 'Sheet1', { hideValues: true });
    assert.equal((await editor.get('A1')).status, 403);
    assert.equal((await owner.get('A1')).status, 200);
    assert.equal((await editor.get('A1')).status, 403);
  });

  it('takes the regular path for requests with special headers', async () => {
    const book = await world.createBook();
    const { headers } = await readUntilCached(book);
    const read = (headers: Record<string, string>) => book.requestInDocument('GET', '/values/A1', { headers: headers });
    assert.equal((await read({ 'if-none-match': headers.get('etag') ?? '' })).status, 304);
    assert.equal((await read({ 'x-request-id': 'mine' })).headers.get('x-request-id'), 'mine');
    const origin = 'https://app.example.com';
    assert.equal((await read({ origin })).headers.get('access-control-allow-origin'), origin);
    const { text } = await sendHttp(`${book.base}/api/v1/documents/${book.document}/values/A1`, {
      headers: { authorization: `Bearer ${book.token}`, accept: 'application/x-ndjson' },
    });
    assert.match(text, /"end":true/);
  });

  it('counts once against the rate limit', async () => {
    const book = await world.createBook({ plan: 'standard' });
    await readUntilCached(book);
    const readRemainingRequests = async () => {
      const policy = (await book.get('A1')).headers.get('ratelimit') ?? '';
      const policyMatch = /r=(\d+);t=1/.exec(policy);
      return Number(policyMatch?.[1]);
    };
    // A new window may start between two requests. Then repeat.
    const measureSpent = async (between: () => Promise<unknown>, expected: number): Promise<void> => {
      const initial = await readRemainingRequests();
      await between();
      const spent = initial - (await readRemainingRequests());
      if (spent < 0) return measureSpent(between, expected);
      assert.equal(spent, expected + 1);
    };
    await measureSpent(async () => {}, 0);
    // The newest state has no cached response yet, so the request takes the regular path.
    await measureSpent(() => book.put('A1', [[Math.random()]]), 1);
  });

  it('is refused beyond the rate limit', async () => {
    const book = await world.createBook({ plan: 'professional' });
    let answer = await readUntilCached(book);
    while (answer.status === 200) answer = elementAt(await Promise.all([1, 2, 3].map(() => book.get('A1'))), 0);
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  it('uses the agent quota', async () => {
    const user = await world.createUser('free');
    const agent = world.apiFor(
      await world.createToken(user.id, ['sheets.read', 'sheets.agent.write']),
      await world.createDocument(user.id),
    );
    const readUsedQuota = async () => Number((await agent.request('GET', '/usage')).body['used']);
    await readUntilCached(agent);
    const initial = await readUsedQuota();
    for (let i = 0; i < 5; i++) await agent.get('A1');
    assert.equal((await readUsedQuota()) - initial, 5);
  });

  it('appears in the metrics', ON_ONE_NODE, async () => {
    const book = await world.createBook();
    await readUntilCached(book);
    const count = async () => {
      const { text } = await sendHttp(`${book.base}/metrics`);
      const line = text
        .split('\n')
        .find((one) => one.includes(`requests_total{method="GET",route="${PATTERN}",status="200"`));
      return Number(line?.split(' ').at(-1));
    };
    const initial = await count();
    for (let i = 0; i < 5; i++) await book.get('A1');
    assert.equal((await count()) - initial, 5);
  });
});

describe('a read of an address that was not read before', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ plans: { free: { agentQuota: { window: 'month', limit: 1_000 } } } });
  });
  after(() => world.close());

  /** The same request with a header that only the framework reads. */
  const requestByFramework = (book: Api, path: string) =>
    book.requestInDocument('GET', path, { headers: { 'if-none-match': '"another"' } });

  it('gets the answer of the framework, for any range, page and form', async () => {
    const book = await world.createBook();
    await book.addSheet('Я');
    await book.put(
      'A1',
      Array.from({ length: 700 }, (_, i) => [i / 3, `ÿ"${i}`, i % 2 === 0, `=A${i + 1}*2`]),
    );
    const paths = [
      ...['A1', 'B7', 'b7', '$C$3', 'A1:D20', 'A:A', '2:4', 'A5:C', 'ZZ900', 'A1:D700', 'Sheet1!A1', "'Sheet1'!B2"],
      ...['C2?offset=0', 'A1:D50?offset=3&limit=5', 'A1:B9?majorDimension=COLUMNS', 'A1:D9?render=plain'],
      ...['D1:D3?inputLocale=en-US', 'batchGet?ranges[]=A1&ranges[]=B2:C9', 'batchGet?ranges=D1&ranges=nowhere!A1'],
      ...['Sheet1', 'A1?', "'append'"],
      // The framework refuses these requests in any case.
      ...['nowhere!A1', 'A0', 'ZZZZ1', 'append', 'clear', 'batchGet', 'batchGet?range=A1', 'A1?limit=0', 'A1?other=1'],
      ...[
        'A1?limit=x',
        `${'A'.repeat(600)}1`,
        'A1%3AB2',
        '%D0%AF!A1',
        '%41ppend',
        '%61ppend',
        'A1%',
        'A1%2FB2',
        '%2541',
        '%D0!A1',
        'A1/',
        'A1?revision=1',
        'A1?revision=9',
      ],
    ];
    for (const path of paths) {
      const answer = await book.requestInDocument('GET', `/values/${path}`);
      const expected = await requestByFramework(book, `/values/${path}`);
      assert.equal(answer.status, expected.status, path);
      assert.deepEqual(answer.body, expected.body, path);
      assert.deepEqual(readHeaderFields(answer), readHeaderFields(expected), path);
    }
  });

  it('shows the newest values and follows the rights of the moment', async () => {
    const owner = await world.createBook();
    const { api: editor } = await world.addMember(owner.document, 'edit');
    const addresses = Array.from({ length: 30 }, (_, i) => `A${i + 1}`);
    for (const [i, address] of addresses.entries()) {
      await owner.put(address, [[i]]);
      assert.equal(memberAt((await editor.get(address)).body, 'values', 'cells', 0, 0).v, i);
    }
    await world.protect(owner.document, 'Sheet1', { hideValues: true });
    for (const address of ['B1', ...addresses.slice(0, 3)]) assert.equal((await editor.get(address)).status, 403);
    assert.equal((await owner.get('B2')).status, 200);
    assert.equal((await owner.forDocument('00000000-0000-4000-8000-000000000000').get('B3')).status, 404);
    assert.equal((await world.apiFor('nobody', owner.document).get('B4')).status, 401);
    const upper = owner.forDocument(owner.document.toUpperCase());
    assert.equal(memberAt((await upper.get('A30')).body, 'values', 'cells', 0, 0).v, 29);
  });

  it('uses the quota of agents once', async () => {
    const user = await world.createUser('free');
    const token = await world.createToken(user.id, ['sheets.read', 'sheets.agent.write']);
    const agent = world.apiFor(token, await world.createDocument(user.id));
    const readUsedQuota = async () => Number((await agent.request('GET', '/usage')).body['used']);
    const before_ = await readUsedQuota();
    for (const range of ['A1', 'A2', 'A3:B4', 'nowhere!A1']) await agent.get(range);
    assert.equal((await readUsedQuota()) - before_, 4);
  });
});
