import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from './send.ts';
import { type Api, startWorld, type World } from './support.ts';

const APP = 'https://app.example.com';

function preflight(api: Api, origin: string, path = '/documents') {
  const headers = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
  return send(`${api.base}/api/v1${path}`, { method: 'OPTIONS', headers });
}

describe('pages of allowed origins', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ allowedOrigins: [APP, 'http://localhost:3000'] });
  });
  after(() => world.close());

  it('may ask before a request what it may be like, without a token', async () => {
    const book = await world.book();
    for (const origin of [APP, 'http://localhost:3000']) {
      const { status, headers, text } = await preflight(book, origin, `/documents/${book.document}/values/A1`);
      assert.deepEqual([status, text], [204, '']);
      assert.equal(headers.get('access-control-allow-origin'), origin);
      assert.equal(headers.get('vary'), 'Origin');
      assert.match(headers.get('access-control-allow-methods') ?? '', /\bPUT\b.*\bPATCH\b.*\bDELETE\b/);
      assert.match(headers.get('access-control-allow-headers') ?? '', /Authorization.*Idempotency-Key.*If-Match/);
      assert.equal(headers.has('access-control-allow-credentials'), false);
    }
  });

  it('may read every answer and the headers that go with it, refusals too', async () => {
    const book = await world.book();
    const headers = { origin: APP };
    const answers = [
      await book.here('GET', '/values/A1', { headers }),
      await book.here('GET', '/values/nonsense', { headers }),
      await world.api('nobody', book.document).here('GET', '/values/A1', { headers }),
      await book.request('GET', '/nothing', { headers }),
      await book.here('PUT', '/values/A1', { headers, body: { values: [[1]] } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 422, 401, 404, 200],
    );
    for (const { headers: answered } of answers) {
      assert.equal(answered.get('access-control-allow-origin'), APP);
      assert.match(answered.get('access-control-expose-headers') ?? '', /ETag.*RateLimit.*Retry-After.*X-Request-Id/);
      assert.equal(answered.has('access-control-allow-credentials'), false);
    }
  });

  it('of others may not, and no answer is kept for the wrong one', async () => {
    const book = await world.book();
    for (const origin of ['https://evil.example', 'null', `${APP}.evil.example`, `${APP}:444`, APP.toUpperCase()]) {
      assert.equal((await preflight(book, origin)).status, 404, origin);
      const { status, headers } = await book.here('GET', '/values/A1', { headers: { origin } });
      assert.deepEqual([status, headers.has('access-control-allow-origin')], [200, false], origin);
      assert.equal(headers.get('vary'), 'Origin');
    }
    assert.equal((await book.get('A1')).headers.has('access-control-allow-origin'), false);
  });

  it('get nothing but the API', async () => {
    for (const path of ['/metrics', '/healthz', '/console/api/documents', '/console/me', '/docs']) {
      const { headers } = await send(`${world.server.address}${path}`, { headers: { origin: APP } });
      assert.equal(headers.has('access-control-allow-origin'), false, path);
    }
  });
});

describe('pages of all origins', () => {
  it('may use the API where that is set, and those of none where nothing is', async () => {
    const open = await startWorld({ allowedOrigins: ['*'] });
    const { status, headers } = await preflight(open.api(''), 'null');
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, '*']);
    assert.equal(headers.has('access-control-allow-credentials'), false);
    await open.close();
    const closed = await startWorld();
    assert.equal((await preflight(closed.api(''), APP)).status, 404);
    assert.equal((await (await closed.book()).get('A1')).headers.has('vary'), false);
    await closed.close();
  });
});
