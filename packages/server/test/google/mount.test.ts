import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { mountGoogle } from '../../src/google/http/mount.ts';

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
});
