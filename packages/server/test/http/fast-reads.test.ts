import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from './send.ts';
import { type Api, type ApiResponse, ON_ONE_NODE, startWorld, type World } from './support.ts';

const PATTERN = '/api/v1/documents/:document/values/:range';

/** Headers that differ between any two responses. */
const VOLATILE_HEADERS = ['x-request-id', 'date', 'ratelimit'];

function fieldsOf({ headers }: ApiResponse): Record<string, string> {
  const fields = JSON.parse(String(headers)) as Record<string, string>;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !VOLATILE_HEADERS.includes(name)));
}

/** Reads until the response is cached. */
async function readOften(api: Api, range = 'A1'): Promise<ApiResponse> {
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
      const book = await world.book({ plan });
      await book.put('A1', [['ÿ', 'Я']]);
      for (const range of ['A1', 'B1', 'A1:B2', 'A1:Z400']) {
        const first = await book.get(range);
        const again = await readOften(book, range);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, first.body);
        assert.deepEqual(fieldsOf(again), fieldsOf(first));
        assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
      }
    }
  });

  it('checks the current permissions', async () => {
    const owner = await world.book();
    const { api: editor } = await world.member(owner.document, 'edit');
    for (const api of [owner, editor]) assert.equal((await readOften(api)).status, 200);
    assert.equal((await owner.at('no-uuid').get('A1')).status, 404);
    assert.equal((await world.api('nobody', owner.document).get('A1')).status, 401);
    const stranger = await world.book({ plan: 'free' });
    assert.equal((await stranger.at(owner.document).get('A1')).status, 403);
    const writeOnly = await world.member(owner.document, 'edit', ['sheets.write']);
    assert.match((await writeOnly.api.get('A1')).headers.get('www-authenticate') ?? '', /sheets\.read/);
    await world.protect(owner.document, 'Sheet1', { hideValues: true });
    assert.equal((await editor.get('A1')).status, 403);
    assert.equal((await owner.get('A1')).status, 200);
    assert.equal((await editor.get('A1')).status, 403);
  });

  it('takes the regular path for requests with special headers', async () => {
    const book = await world.book();
    const { headers } = await readOften(book);
    const read = (headers: Record<string, string>) => book.here('GET', '/values/A1', { headers: headers });
    assert.equal((await read({ 'if-none-match': headers.get('etag') ?? '' })).status, 304);
    assert.equal((await read({ 'x-request-id': 'mine' })).headers.get('x-request-id'), 'mine');
    const origin = 'https://app.example.com';
    assert.equal((await read({ origin })).headers.get('access-control-allow-origin'), origin);
    const { text } = await send(`${book.base}/api/v1/documents/${book.document}/values/A1`, {
      headers: { authorization: `Bearer ${book.token}`, accept: 'application/x-ndjson' },
    });
    assert.match(text, /"end":true/);
  });

  it('counts once against the rate limit', async () => {
    const book = await world.book({ plan: 'standard' });
    await readOften(book);
    const remainingRequests = async () => {
      const policy = (await book.get('A1')).headers.get('ratelimit') ?? '';
      const policyMatch = /r=(\d+);t=1/.exec(policy);
      return Number(policyMatch?.[1]);
    };
    // A new window may start between two requests. Then repeat.
    const measureSpent = async (between: () => Promise<unknown>, expected: number): Promise<void> => {
      const initial = await remainingRequests();
      await between();
      const spent = initial - (await remainingRequests());
      if (spent < 0) return measureSpent(between, expected);
      assert.equal(spent, expected + 1);
    };
    await measureSpent(async () => {}, 0);
    // The newest state has no cached response yet, so the request takes the regular path.
    await measureSpent(() => book.put('A1', [[Math.random()]]), 1);
  });

  it('is refused beyond the rate limit', async () => {
    const book = await world.book({ plan: 'professional' });
    let answer = await readOften(book);
    while (answer.status === 200) [answer] = await Promise.all([1, 2, 3].map(() => book.get('A1')));
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  it('uses the agent quota', async () => {
    const user = await world.user('free');
    const agent = world.api(
      await world.token(user.id, ['sheets.read', 'sheets.agent.write']),
      await world.document(user.id),
    );
    const used = async () => Number((await agent.request('GET', '/usage')).body['used']);
    await readOften(agent);
    const initial = await used();
    for (let i = 0; i < 5; i++) await agent.get('A1');
    assert.equal((await used()) - initial, 5);
  });

  it('appears in the metrics', ON_ONE_NODE, async () => {
    const book = await world.book();
    await readOften(book);
    const count = async () => {
      const { text } = await send(`${book.base}/metrics`);
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
