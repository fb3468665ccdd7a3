import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Fastify from 'fastify';
import type { App } from '../../src/http/api.ts';
import { ConsoleBuild } from '../../src/http/console/build.ts';
import { addPageRoutes } from '../../src/http/console/pages.ts';
import { sendHttp } from './send.ts';
import { startWorld, type World } from './support.ts';

const PAGE = '<!doctype html><title>Cellwire</title><script type="module" src="/assets/app-1a2b.js"></script>';

let folder: string;
let app: App;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cellwire-build-'));
  await mkdir(join(folder, 'dist/assets'), { recursive: true });
  const files = {
    'secret.txt': 'not of the build',
    'dist/index.html': PAGE,
    'dist/favicon.svg': '<svg/>',
    'dist/assets/app-1a2b.js': 'plain',
    'dist/assets/app-1a2b.js.br': 'short',
    'dist/assets/.hidden.js': 'hidden',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  app = Fastify() as unknown as App;
  addPageRoutes(app, new ConsoleBuild(`${folder}/dist/`));
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => app.inject({ url, headers });

describe('the console application', () => {
  it('is served for each of its pages and the paths below', async () => {
    for (const url of [
      '/',
      '/documents/x',
      '/documents/x?y#range=A1',
      '/invite',
      '/sign-in',
      '/users/7',
      '/docs/guide',
    ]) {
      const { statusCode, headers, body } = await get(url);
      assert.deepEqual([statusCode, body], [200, PAGE], url);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-cache');
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    }
  });

  it('has cacheable files, compressed if the browser accepts it', async () => {
    const cases: readonly [accepted: string, body: string, encoding: string | undefined][] = [
      ['gzip, deflate, br', 'short', 'br'],
      ['gzip', 'plain', undefined],
      ['br;q=0, gzip', 'plain', undefined],
      ['', 'plain', undefined],
    ];
    for (const [accepted, body, encoding] of cases) {
      const answer = await get('/assets/app-1a2b.js', { 'accept-encoding': accepted });
      assert.deepEqual([answer.body, answer.headers['content-encoding']], [body, encoding], accepted);
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8');
    }
    assert.equal((await get('/favicon.svg')).headers['cache-control'], 'no-cache');
  });

  it('serves no other files', async () => {
    const paths = [
      '/assets/..%2findex.html',
      '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
      '/..%2fsecret.txt',
      '/assets/nope.js',
    ];
    for (const url of [...paths, '/assets/.hidden.js', '/assets', '/assets/', '/nope', '/nope.svg', '/index.html%00']) {
      assert.equal((await get(url)).statusCode, 404, url);
    }
  });

  it('answers an unknown path with a page for browsers and with JSON for programs', async () => {
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const url of ['/nope', '/nope/deeper?x=1', '/documentz/1']) {
      const { statusCode, body, headers } = await get(url, html);
      assert.deepEqual([statusCode, body], [404, PAGE], url);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
      assert.deepEqual((await get(url, { accept: '*/*' })).json(), { message: 'Not found' });
    }
    for (const url of ['/api/v1/nope', '/api', '/console/nope', '/assets/nope.js']) {
      const { statusCode, body } = await get(url, html);
      assert.deepEqual([statusCode, JSON.parse(body)], [404, { message: 'Not found' }], url);
    }
    const postResponse = await app.inject({ method: 'POST', url: '/nope', headers: html });
    assert.deepEqual([postResponse.statusCode, postResponse.json()], [404, { message: 'Not found' }]);
  });

  it('says so if it was not built', async () => {
    const unbuiltApp = Fastify() as unknown as App;
    addPageRoutes(unbuiltApp, new ConsoleBuild(`${folder}/nothing/`));
    const { statusCode, body } = await unbuiltApp.inject({ url: '/documents/x' });
    assert.equal(statusCode, 200);
    assert.match(body, /not built/);
    await unbuiltApp.close();
  });
});

describe('the service', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('answers the path of a document with a page, also without a session', async () => {
    const { document } = await world.createBook();
    for (const id of [document, '00000000-0000-4000-8000-000000000000']) {
      const { status, headers } = await sendHttp(`${world.server.address}/documents/${id}`);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    }
  });
});
