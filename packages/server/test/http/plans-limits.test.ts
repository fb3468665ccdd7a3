import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PlanName } from '../../src/config/types.ts';
import { ALL_SCOPES, type ApiResponse, startWorld, type World } from './support.ts';

let world: World;
/** The plan `standard` allows 3 requests a second, and 3 agent requests a month. */
let limitedWorld: World;
before(async () => {
  world = await startWorld({ plans: { professional: { agentQuota: { window: 'minute', limit: 1000 } } } });
  limitedWorld = await startWorld({
    plans: { standard: { requestsPerSecond: 3, agentQuota: { window: 'month', limit: 3 } } },
  });
});
after(async () => {
  await world.close();
  await limitedWorld.close();
});

const ACCESS_DENIED = { success: false, access: false };

describe('plans', () => {
  it('permit the operations of each plan', async () => {
    const plans: readonly [plan: PlanName, values: number, sheets: number, audit: number, webhooks: number][] = [
      ['free', 403, 403, 403, 403],
      ['standard', 200, 403, 403, 200],
      ['professional', 200, 200, 200, 200],
      ['enterprise', 200, 200, 200, 200],
    ];
    for (const [plan, values, sheets, audit, webhooks] of plans) {
      const book = await world.createBook({ plan });
      const answers: readonly [ApiResponse, number][] = [
        [await book.put('A1', [[1]]), values],
        [await book.append('A1', [[1]]), values],
        [await book.batchUpdate([{ range: 'A1', values: [[1]] }]), values],
        [await book.clear('A1'), values],
        [await book.addSheet('X'), sheets],
        [await book.renameSheet('X', 'Y'), sheets],
        [await book.deleteSheet('Y'), sheets],
        [await book.requestInDocument('GET', '/audit'), audit],
        [await book.post('/webhooks', { url: 'https://example.com' }), webhooks],
        [await book.get('A1'), 200],
        [await book.sheets(), 200],
        [await book.requestInDocument('GET', '/webhooks'), 200],
      ];
      for (const [index, [{ status, body }, expected]] of answers.entries()) {
        assert.equal(status, expected, `${plan} ${index}`);
        if (expected === 403) assert.deepEqual(body, ACCESS_DENIED);
      }
    }
  });

  it("apply by the token's user, not by the document's owner", async () => {
    const book = await world.createBook({ plan: 'enterprise' });
    const free = await world.addMember(book.document, 'edit', ALL_SCOPES, 'free');
    assert.deepEqual((await free.api.put('A1', [[1]])).body, ACCESS_DENIED);
    const freeOwner = await world.createBook({ plan: 'free' });
    const guest = await world.addMember(freeOwner.document, 'edit', ALL_SCOPES, 'enterprise');
    assert.equal((await guest.api.put('A1', [[1]])).status, 200);
  });
});

describe('the request rate', () => {
  /** Responses to five simultaneous requests of a user with three requests a second. */
  async function sendFive(): Promise<readonly ApiResponse[]> {
    const user = await limitedWorld.createUser('standard');
    const first = limitedWorld.apiFor(await limitedWorld.createToken(user.id));
    const second = limitedWorld.apiFor(await limitedWorld.createToken(user.id));
    return Promise.all([
      first.request('GET', '/userinfo'),
      second.request('GET', '/userinfo'),
      first.request('GET', '/documents/no-uuid'),
      second.request('GET', '/usage'),
      first.request('GET', '/documents'),
    ]);
  }

  it('is counted by user in windows of a second, including refused requests', { timeout: 120_000 }, async () => {
    let answers = await sendFive();
    const listRefusedAnswers = () => answers.filter(({ status }) => status === 429);
    // On a busy machine, the window may end between the requests. The test then repeats them with another user.
    while (listRefusedAnswers().length < 2) answers = await sendFive();
    const refused = listRefusedAnswers();
    assert.equal(refused.length, 2);
    for (const { headers, body } of refused) {
      assert.deepEqual(body, { message: 'Too many requests', retryAfter: 1 });
      assert.equal(headers.get('retry-after'), '1');
      assert.equal(headers.get('ratelimit'), '"requests";r=0;t=1');
    }
    for (const { headers } of answers) assert.equal(headers.get('ratelimit-policy'), '"requests";q=3;w=1');
  });

  it('does not count unknown tokens, and has no headers without a limit', async () => {
    const { headers, status } = await world.apiFor('unknown').request('GET', '/userinfo');
    assert.deepEqual([status, headers.get('ratelimit')], [401, null]);
    const book = await world.createBook();
    assert.equal((await book.get('A1')).headers.get('ratelimit'), null);
  });
});

describe('the quota of AI agents', () => {
  const AGENT = ['sheets.read', 'sheets.agent.write'] as const;

  it('counts requests of agent tokens only, and usage queries are free', async () => {
    const user = await world.createUser('professional');
    const agent = world.apiFor(await world.createToken(user.id, AGENT), await world.createDocument(user.id));
    const person = world.apiFor(await world.createToken(user.id), agent.document);
    const readUsage = async () => (await person.request('GET', '/usage')).body;
    const { resetInSeconds, ...rest } = (await readUsage()) as unknown as Record<string, unknown>;
    assert.deepEqual(rest, { unlimited: false, window: 'minute', limit: 1000, used: 0, remaining: 1000 });
    assert.ok(Number(resetInSeconds) >= 1 && Number(resetInSeconds) <= 60);
    await person.put('A1', [[1]]);
    await agent.request('GET', '/usage');
    assert.equal((await readUsage())['used'], 0 as never);
    await agent.get('A1');
    await agent.put('A1', [[1]], { key: 'k' });
    await agent.put('A1', [[1]], { key: 'k' });
    const finalUsage = await readUsage();
    // A new minute may start during the test; then the count is lower, never higher.
    assert.ok(Number(finalUsage['used']) <= 2);
    assert.equal(Number(finalUsage['used']) + Number(finalUsage['remaining']), 1000);
  });

  it('refuses requests above it, except replays', async () => {
    const user = await limitedWorld.createUser('standard');
    const document = await limitedWorld.createDocument(user.id);
    const agent = limitedWorld.apiFor(await limitedWorld.createToken(user.id, AGENT), document);
    const retryOnRate = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
      let answer = await send();
      while (answer.status === 429 && answer.body['retryAfter'] === (1 as never)) answer = await send();
      return answer;
    };
    const put = (key: string) => retryOnRate(() => agent.put('A1', [[1]], { key }));
    assert.equal((await put('a')).status, 200);
    assert.equal((await put('a')).status, 200);
    assert.equal((await put('b')).status, 200);
    assert.equal((await retryOnRate(() => agent.get('A1'))).status, 200);
    const refused = await retryOnRate(() => agent.get('A1'));
    const { status, body, headers } = refused;
    assert.deepEqual([status, body['message']], [429, 'Too many requests']);
    assert.equal(headers.get('retry-after'), String(body['retryAfter']));
    assert.ok(Number(body['retryAfter']) <= 31 * 24 * 3600);
    assert.equal((await put('c')).status, 429);
    assert.equal((await put('a')).status, 200);
    const usage = (await retryOnRate(() => agent.request('GET', '/usage'))).body;
    assert.deepEqual([usage['window'], usage['used'], usage['remaining']], ['month', 3, 0]);
  });

  it('is unlimited if the plan has none', async () => {
    const book = await world.createBook({ plan: 'enterprise' });
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
