import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PlanName } from '../../src/config/types.ts';
import { ALL_SCOPES, type Answer, startWorld, type World } from './support.ts';

let world: World;
/** Where the plan `standard` lets 3 requests through a second, and agents 3 a month. */
let narrow: World;
before(async () => {
  world = await startWorld({ plans: { professional: { agentQuota: { window: 'minute', limit: 1000 } } } });
  narrow = await startWorld({
    plans: { standard: { requestsPerSecond: 3, agentQuota: { window: 'month', limit: 3 } } },
  });
});
after(async () => {
  await world.close();
  await narrow.close();
});

const CLOSED = { success: false, access: false };

describe('plans', () => {
  it('open what the table of decisions §8 says', async () => {
    const plans: readonly [plan: PlanName, values: number, sheets: number, audit: number, webhooks: number][] = [
      ['free', 403, 403, 403, 403],
      ['standard', 200, 403, 403, 200],
      ['professional', 200, 200, 200, 200],
      ['enterprise', 200, 200, 200, 200],
    ];
    for (const [plan, values, sheets, audit, webhooks] of plans) {
      const book = await world.book({ plan });
      const answers: readonly [Answer, number][] = [
        [await book.put('A1', [[1]]), values],
        [await book.append('A1', [[1]]), values],
        [await book.batchUpdate([{ range: 'A1', values: [[1]] }]), values],
        [await book.clear('A1'), values],
        [await book.addSheet('X'), sheets],
        [await book.renameSheet('X', 'Y'), sheets],
        [await book.deleteSheet('Y'), sheets],
        [await book.here('GET', '/audit'), audit],
        [await book.post('/webhooks', { url: 'https://example.com' }), webhooks],
        [await book.get('A1'), 200],
        [await book.sheets(), 200],
        [await book.here('GET', '/webhooks'), 200],
      ];
      for (const [index, [{ status, body }, expected]] of answers.entries()) {
        assert.equal(status, expected, `${plan} ${index}`);
        if (expected === 403) assert.deepEqual(body, CLOSED);
      }
    }
  });

  it('are those of the token’s user, not of the document’s owner', async () => {
    const book = await world.book({ plan: 'enterprise' });
    const free = await world.member(book.document, 'edit', ALL_SCOPES, 'free');
    assert.deepEqual((await free.api.put('A1', [[1]])).body, CLOSED);
    const rich = await world.book({ plan: 'free' });
    const guest = await world.member(rich.document, 'edit', ALL_SCOPES, 'enterprise');
    assert.equal((await guest.api.put('A1', [[1]])).status, 200);
  });
});

describe('the request rate', () => {
  /** What a user of a plan with three requests a second is told who makes five at once. */
  async function fiveAtOnce(): Promise<readonly Answer[]> {
    const user = await narrow.user('standard');
    const first = narrow.api(await narrow.token(user.id));
    const second = narrow.api(await narrow.token(user.id));
    return Promise.all([
      first.request('GET', '/userinfo'),
      second.request('GET', '/userinfo'),
      first.request('GET', '/documents/no-uuid'),
      second.request('GET', '/usage'),
      first.request('GET', '/documents'),
    ]);
  }

  it('is counted by user in windows of a second, refused requests among them', { timeout: 120_000 }, async () => {
    let answers = await fiveAtOnce();
    const refusedOf = () => answers.filter(({ status }) => status === 429);
    // On a busy machine the window may end between them: then somebody else once more.
    while (refusedOf().length < 2) answers = await fiveAtOnce();
    const refused = refusedOf();
    assert.equal(refused.length, 2);
    for (const { headers, body } of refused) {
      assert.deepEqual(body, { message: 'Too many requests', retryAfter: 1 });
      assert.equal(headers.get('retry-after'), '1');
      assert.equal(headers.get('ratelimit'), '"requests";r=0;t=1');
    }
    for (const { headers } of answers) assert.equal(headers.get('ratelimit-policy'), '"requests";q=3;w=1');
  });

  it('does not count what is unknown, and says nothing where there is no limit', async () => {
    const { headers, status } = await world.api('unknown').request('GET', '/userinfo');
    assert.deepEqual([status, headers.get('ratelimit')], [401, null]);
    const book = await world.book();
    assert.equal((await book.get('A1')).headers.get('ratelimit'), null);
  });
});

describe('the quota of AI agents', () => {
  const AGENT = ['sheets.read', 'sheets.agent.write'] as const;

  it('counts the requests of agents’ tokens only, and asking for it is free', async () => {
    const user = await world.user('professional');
    const agent = world.api(await world.token(user.id, AGENT), await world.document(user.id));
    const person = world.api(await world.token(user.id), agent.document);
    const usage = async () => (await person.request('GET', '/usage')).body;
    const { resetInSeconds, ...rest } = (await usage()) as unknown as Record<string, unknown>;
    assert.deepEqual(rest, { unlimited: false, window: 'minute', limit: 1000, used: 0, remaining: 1000 });
    assert.ok(Number(resetInSeconds) >= 1 && Number(resetInSeconds) <= 60);
    await person.put('A1', [[1]]);
    await agent.request('GET', '/usage');
    assert.equal((await usage())['used'], 0 as never);
    await agent.get('A1');
    await agent.put('A1', [[1]], { key: 'k' });
    await agent.put('A1', [[1]], { key: 'k' });
    const after_ = await usage();
    // The minute may have turned meanwhile; then less is counted, never more.
    assert.ok(Number(after_['used']) <= 2);
    assert.equal(Number(after_['used']) + Number(after_['remaining']), 1000);
  });

  it('refuses what is beyond it, a replay aside', async () => {
    const user = await narrow.user('standard');
    const document = await narrow.document(user.id);
    const agent = narrow.api(await narrow.token(user.id, AGENT), document);
    const patiently = async (send: () => Promise<Answer>): Promise<Answer> => {
      let answer = await send();
      while (answer.status === 429 && answer.body['retryAfter'] === (1 as never)) answer = await send();
      return answer;
    };
    const put = (key: string) => patiently(() => agent.put('A1', [[1]], { key }));
    assert.equal((await put('a')).status, 200);
    assert.equal((await put('a')).status, 200);
    assert.equal((await put('b')).status, 200);
    assert.equal((await patiently(() => agent.get('A1'))).status, 200);
    const refused = await patiently(() => agent.get('A1'));
    const { status, body, headers } = refused;
    assert.deepEqual([status, body['message']], [429, 'Too many requests']);
    assert.equal(headers.get('retry-after'), String(body['retryAfter']));
    assert.ok(Number(body['retryAfter']) <= 31 * 24 * 3600);
    assert.equal((await put('c')).status, 429);
    assert.equal((await put('a')).status, 200);
    const usage = (await patiently(() => agent.request('GET', '/usage'))).body;
    assert.deepEqual([usage['window'], usage['used'], usage['remaining']], ['month', 3, 0]);
  });

  it('is unlimited where the plan has none', async () => {
    const book = await world.book({ plan: 'enterprise' });
    assert.deepEqual((await book.request('GET', '/usage')).body, {
      unlimited: true,
      window: null,
      limit: null,
      used: null,
      remaining: null,
      resetInSeconds: null,
    });
  });
});
