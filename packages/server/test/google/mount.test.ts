import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { mountGoogle } from '../../src/google/http/mount.ts';
import { ON_ONE_NODE } from '../http/support.ts';
import { Google, startGoogle } from './support.ts';

type Parts = Parameters<typeof mountGoogle>[1];

describe('the mount of Google’s methods', () => {
  it('adds no asynchronous step to requests of other routes', async () => {
    const app = Fastify();
    let isSameTurn = false;
    app.addHook('onRequest', (_request, _reply, done) => {
      isSameTurn = true;
      queueMicrotask(() => {
        isSameTurn = false;
      });
      done();
    });
    mountGoogle(app, {} as Parts);
    app.get('/documents/:document', async () => ({ isSameTurn }));
    for (const url of ['/documents/a', '/documents/a?format=csv']) {
      assert.deepEqual((await app.inject({ url })).json(), { isSameTurn: true }, url);
    }
    const headers = { authorization: 'Bearer token' };
    assert.deepEqual((await app.inject({ url: '/documents/a', headers })).json(), { isSameTurn: true });
    await app.close();
  });

  it('reports refused tokens, like the API and the endpoint for agents', ON_ONE_NODE, async (t) => {
    const { world, google } = await startGoogle();
    t.after(() => world.close());
    const { address } = world.server;
    const token = `${google.token.slice(0, -1)}${google.token.endsWith('a') ? 'b' : 'a'}`;
    const unknown = new Google(address, token);
    assert.equal((await unknown.request('GET', '/drive/v3/files')).status, 401);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    assert.equal((await fetch(`${address}/mcp`, { method: 'POST', headers, body: '{}' })).status, 401);
    assert.equal((await fetch(`${address}/api/v1/documents`, { headers })).status, 401);
    const refused = async () => {
      const page = await (await fetch(`${address}/metrics`)).text();
      return /^cellwire_refused_tokens_total\{reason="(?:unknown|malformed)"\} [1-9]\d*$/gm
        .exec(page)?.[0]
        .split(' ')[1];
    };
    // The answers do not wait for the reports.
    for (let i = 0; i < 100 && (await refused()) !== '3'; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await refused(), '3');
  });
});
