import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, StoreError } from '@cellwire/store';
import Fastify from 'fastify';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { mountGoogle } from '../../src/google/http/mount.ts';
import { ON_ONE_NODE } from '../http/support.ts';
import { GoogleClient, startGoogle } from './support.ts';

type MountOptions = Parameters<typeof mountGoogle>[1];

describe('the routes of the Google-compatible API', () => {
  it('add no asynchronous step to requests of other routes', async () => {
    const app = Fastify();
    let isSameTurn = false;
    app.addHook('onRequest', (_request, _reply, done) => {
      isSameTurn = true;
      queueMicrotask(() => {
        isSameTurn = false;
      });
      done();
    });
    mountGoogle(app, {} as MountOptions);
    app.get('/documents/:document', async () => ({ isSameTurn }));
    for (const url of ['/documents/a', '/documents/a?format=csv']) {
      assert.deepEqual((await app.inject({ url })).json(), { isSameTurn: true }, url);
    }
    const headers = { authorization: 'Bearer token' };
    assert.deepEqual((await app.inject({ url: '/documents/a', headers })).json(), { isSameTurn: true });
    await app.close();
  });

  it('answer 503 for every failure for which the API answers 503', async (t) => {
    let failure: StoreError | null = null;
    const wrap = (database: Database): Database =>
      replaceMethods(database, {
        write: async (unit) => {
          const isCommit = unit.statements.some(({ sql }) => sql.startsWith('insert into "commits"'));
          if (isCommit && failure !== null) throw failure;
          return database.write(unit);
        },
      });
    const { world, google } = await startGoogle({ wrap });
    t.after(() => world.close());
    const book = await google.createSpreadsheet();
    for (const code of ['UNAVAILABLE', 'SQLITE_FULL', 'DAMAGED_DOCUMENT']) {
      failure = new StoreError('the database refuses commits', code);
      assert.equal((await book.put('A1', [[1]])).status, 503, code);
    }
    failure = null;
    assert.equal((await book.put('A1', [[1]])).status, 200);
  });

  it('describe both APIs to callers without a token, who load the description first', async (t) => {
    const { world } = await startGoogle();
    t.after(() => world.close());
    const anonymous = new GoogleClient(world.server.address, '');
    const paths = { '/$discovery/rest?version=v4': 'sheets:v4', '/discovery/v1/apis/drive/v3/rest': 'drive:v3' };
    for (const [path, id] of Object.entries(paths)) {
      const { status, body } = await anonymous.request('GET', path);
      assert.deepEqual([status, body['id'], body['rootUrl']], [200, id, `${world.server.address}/google/`]);
    }
    assert.equal((await anonymous.request('GET', '/drive/v3/files')).status, 401);
  });

  it('count refused tokens, like the API and the MCP endpoint', ON_ONE_NODE, async (t) => {
    const { world, google } = await startGoogle();
    t.after(() => world.close());
    const { address } = world.server;
    const token = `${google.token.slice(0, -1)}${google.token.endsWith('a') ? 'b' : 'a'}`;
    const unknown = new GoogleClient(address, token);
    assert.equal((await unknown.request('GET', '/drive/v3/files')).status, 401);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    assert.equal((await fetch(`${address}/mcp`, { method: 'POST', headers, body: '{}' })).status, 401);
    assert.equal((await fetch(`${address}/api/v1/documents`, { headers })).status, 401);
    const countRefusedTokens = async () => {
      const page = await (await fetch(`${address}/metrics`)).text();
      return /^cellwire_refused_tokens_total\{reason="(?:unknown|malformed)"\} [1-9]\d*$/gm
        .exec(page)?.[0]
        .split(' ')[1];
    };
    // Counting is asynchronous.
    for (let i = 0; i < 1_000 && (await countRefusedTokens()) !== '3'; i++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await countRefusedTokens(), '3');
  });
});
