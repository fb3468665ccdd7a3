import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sendHttp } from './send.ts';
import { type Api, startWorld, type World } from './support.ts';

const APP = 'https://app.example.com';

function sendPreflight(api: Api, origin: string, path = '/documents') {
  const headers = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
  return sendHttp(`${api.base}/api/v1${path}`, { method: 'OPTIONS', headers });
}

describe('pages of an allowed origin', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ allowedOrigins: [APP, 'http://localhost:3000'] });
  });
  after(() => world.close());

  it('pass the preflight without a token', async () => {
    const book = await world.createBook();
    for (const origin of [APP, 'http://localhost:3000']) {
      const { status, headers, text } = await sendPreflight(book, origin, `/documents/${book.document}/values/A1`);
      assert.deepEqual([status, text], [204, '']);
      assert.equal(headers.get('access-control-allow-origin'), origin);
      assert.equal(headers.get('vary'), 'Origin');
      assert.match(headers.get('access-control-allow-methods') ?? '', /\bPUT\b.*\bPATCH\b.*\bDELETE\b/);
      assert.match(headers.get('access-control-allow-headers') ?? '', /Authorization.*Idempotency-Key.*If-Match/);
      assert.equal(headers.has('access-control-allow-credentials'), false);
    }
  });

  it('can read every response and its headers, including refusals', async () => {
    const book = await world.createBook();
    const headers = { origin: APP };
    const answers = [
      await book.requestInDocument('GET', '/values/A1', { headers }),
      await book.requestInDocument('GET', '/values/nonsense', { headers }),
      await world.apiFor('nobody', book.document).requestInDocument('GET', '/values/A1', { headers }),
      await book.request('GET', '/nothing', { headers }),
      await book.requestInDocument('PUT', '/values/A1', { headers, body: { values: [[1]] } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 422, 401, 404, 200],
    );
    for (const { headers: responseHeaders } of answers) {
      assert.equal(responseHeaders.get('access-control-allow-origin'), APP);
      assert.match(
        responseHeaders.get('access-control-expose-headers') ?? '',
        /ETag.*RateLimit.*Retry-After.*X-Request-Id/,
      );
      assert.equal(responseHeaders.has('access-control-allow-credentials'), false);
    }
  });

  it('are refused from other origins, and caches vary by origin', async () => {
    const book = await world.createBook();
    for (const origin of ['https://evil.example', 'null', `${APP}.evil.example`, `${APP}:444`, APP.toUpperCase()]) {
      assert.equal((await sendPreflight(book, origin)).status, 404, origin);
      const { status, headers } = await book.requestInDocument('GET', '/values/A1', { headers: { origin } });
      assert.deepEqual([status, headers.has('access-control-allow-origin')], [200, false], origin);
      assert.equal(headers.get('vary'), 'Origin');
    }
    assert.equal((await book.get('A1')).headers.has('access-control-allow-origin'), false);
  });

  it('have access to the API only', async () => {
    for (const path of ['/metrics', '/healthz', '/console/api/documents', '/console/me', '/docs']) {
      const { headers } = await sendHttp(`${world.server.address}${path}`, { headers: { origin: APP } });
      assert.equal(headers.has('access-control-allow-origin'), false, path);
    }
  });
});

describe('pages of all origins', () => {
  it('can use the API if all origins are allowed, and not if no origin is allowed', async () => {
    const openWorld = await startWorld({ allowedOrigins: ['*'] });
    const { status, headers } = await sendPreflight(openWorld.apiFor(''), 'null');
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, '*']);
    assert.equal(headers.has('access-control-allow-credentials'), false);
    await openWorld.close();
    const closedWorld = await startWorld();
    assert.equal((await sendPreflight(closedWorld.apiFor(''), APP)).status, 404);
    assert.equal((await (await closedWorld.createBook()).get('A1')).headers.has('vary'), false);
    await closedWorld.close();
  });
});
