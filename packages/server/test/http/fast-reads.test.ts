import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from './send.ts';
import { type Answer, type Api, ON_ONE_NODE, startWorld, type World } from './support.ts';

const PATTERN = '/api/v1/documents/:document/values/:range';

/** Headers that differ between any two answers. */
const OWN = ['x-request-id', 'date', 'ratelimit'];

function fieldsOf({ headers }: Answer): Record<string, string> {
  const fields = JSON.parse(String(headers)) as Record<string, string>;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN.includes(name)));
}

/** Reads until the answer is cached. */
async function readOften(api: Api, range = 'A1'): Promise<Answer> {
  for (let i = 0; i < 3; i++) await api.get(range);
  return api.get(range);
}

describe('a read that was answered before', () => {
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

  it('is answered like the first one, header fields and all', async () => {
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

  it('is judged by the rights of this moment', async () => {
    const owner = await world.book();
    const { api: editor } = await world.member(owner.document, 'edit');
    for (const api of [owner, editor]) assert.equal((await readOften(api)).status, 200);
    assert.equal((await owner.at('no-uuid').get('A1')).status, 404);
    assert.equal((await world.api('nobody', owner.document).get('A1')).status, 401);
    const stranger = await world.book({ plan: 'free' });
    assert.equal((await stranger.at(owner.document).get('A1')).status, 403);
    const blind = await world.member(owner.document, 'edit', ['sheets.write']);
    assert.match((await blind.api.get('A1')).headers.get('www-authenticate') ?? '', /sheets\.read/);
    await world.protect(owner.document, 'Sheet1', { hideValues: true });
    assert.equal((await editor.get('A1')).status, 403);
    assert.equal((await owner.get('A1')).status, 200);
    assert.equal((await editor.get('A1')).status, 403);
  });

  it('is another one with another header', async () => {
    const book = await world.book();
    const { headers } = await readOften(book);
    const read = (sent: Record<string, string>) => book.here('GET', '/values/A1', { headers: sent });
    assert.equal((await read({ 'if-none-match': headers.get('etag') ?? '' })).status, 304);
    assert.equal((await read({ 'x-request-id': 'mine' })).headers.get('x-request-id'), 'mine');
    const origin = 'https://app.example.com';
    assert.equal((await read({ origin })).headers.get('access-control-allow-origin'), origin);
    const { text } = await send(`${book.base}/api/v1/documents/${book.document}/values/A1`, {
      headers: { authorization: `Bearer ${book.token}`, accept: 'application/x-ndjson' },
    });
    assert.match(text, /"end":true/);
  });

  it('counts once, whoever answers it', async () => {
    const book = await world.book({ plan: 'standard' });
    await readOften(book);
    const left = async () => {
      const said = (await book.get('A1')).headers.get('ratelimit') ?? '';
      const found = /r=(\d+);t=1/.exec(said);
      return Number(found?.[1]);
    };
    // A new window may begin between two of them: then once more.
    const once = async (between: () => Promise<unknown>, more: number): Promise<void> => {
      const before_ = await left();
      await between();
      const spent = before_ - (await left());
      if (spent < 0) return once(between, more);
      assert.equal(spent, more + 1);
    };
    await once(async () => {}, 0);
    // The newest state has no answer yet: the request goes on.
    await once(() => book.put('A1', [[Math.random()]]), 1);
  });

  it('is refused beyond the rate', async () => {
    const book = await world.book({ plan: 'professional' });
    let answer = await readOften(book);
    while (answer.status === 200) [answer] = await Promise.all([1, 2, 3].map(() => book.get('A1')));
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  it('uses the quota of agents', async () => {
    const user = await world.user('free');
    const agent = world.api(
      await world.token(user.id, ['sheets.read', 'sheets.agent.write']),
      await world.document(user.id),
    );
    const used = async () => Number((await agent.request('GET', '/usage')).body['used']);
    await readOften(agent);
    const before_ = await used();
    for (let i = 0; i < 5; i++) await agent.get('A1');
    assert.equal((await used()) - before_, 5);
  });

  it('is told of in the metrics', ON_ONE_NODE, async () => {
    const book = await world.book();
    await readOften(book);
    const count = async () => {
      const { text } = await send(`${book.base}/metrics`);
      const line = text
        .split('\n')
        .find((one) => one.includes(`requests_total{method="GET",route="${PATTERN}",status="200"`));
      return Number(line?.split(' ').at(-1));
    };
    const before_ = await count();
    for (let i = 0; i < 5; i++) await book.get('A1');
    assert.equal((await count()) - before_, 5);
  });
});
