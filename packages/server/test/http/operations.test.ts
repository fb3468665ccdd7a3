import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { renderOpenApi } from '../../src/compose/openapi.ts';
import { type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ oneNode: true });
});
after(() => world.close());

const OPENAPI = new URL('../../../../openapi.json', import.meta.url);

async function readText(path: string): Promise<string> {
  const response = await fetch(`${world.server.address}${path}`);
  assert.equal(response.status, 200, path);
  return response.text();
}

describe('the OpenAPI document', () => {
  it('in the repository equals the routes (npm run openapi writes it)', async () => {
    assert.equal(await readFile(OPENAPI, 'utf8'), await renderOpenApi());
  });

  it('is served and covers every endpoint of the contract', async () => {
    const document_ = JSON.parse(await readText('/api/v1/openapi.json')) as {
      openapi: string;
      paths: Record<string, Record<string, unknown>>;
    };
    assert.match(document_.openapi, /^3\.1/);
    const operations = Object.entries(document_.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
    );
    for (const operation of [
      'GET /documents',
      'GET /documents/{document}',
      'GET /documents/{document}/values/{range}',
      'PUT /documents/{document}/values/{range}',
      'GET /documents/{document}/values/batchGet',
      'POST /documents/{document}/values/batchUpdate',
      'POST /documents/{document}/values/append',
      'POST /documents/{document}/values/clear',
      'GET /documents/{document}/sheets',
      'POST /documents/{document}/sheets',
      'PATCH /documents/{document}/sheets/{sheet}',
      'DELETE /documents/{document}/sheets/{sheet}',
      'GET /documents/{document}/webhooks',
      'POST /documents/{document}/webhooks',
      'DELETE /documents/{document}/webhooks/{webhook}',
      'GET /documents/{document}/audit',
      'GET /userinfo',
      'GET /usage',
    ]) {
      assert.ok(operations.includes(operation), operation);
    }
  });

  it('has a page that loads nothing from other origins', async () => {
    const response = await fetch(`${world.server.address}/docs`);
    const page = await response.text();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    assert.ok(addresses.length > 0);
    for (const address of addresses) {
      assert.doesNotMatch(address, /^(?:https?:)?\/\//);
      await readText(new URL(address, `${world.server.address}/docs`).pathname);
    }
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    // The policy forbids inline scripts.
    assert.doesNotMatch(page, /<script(?![^>]*src=)/);
  });
});

describe('the service', () => {
  it('reports that it is alive and ready', async () => {
    assert.deepEqual(JSON.parse(await readText('/healthz')), { status: 'ok' });
    assert.deepEqual(JSON.parse(await readText('/readyz')), { status: 'ready' });
  });

  it('counts requests by route and status, without user content', async () => {
    const book = await world.createBook();
    await book.get('A1');
    await book.get('no range');
    await book.request('GET', '/nothing/like/this');
    const metrics = await readText('/metrics');
    const route = '/api/v1/documents/:document/values/:range';
    assert.match(metrics, new RegExp(`requests_total\\{method="GET",route="${route}",status="200"\\} [1-9]`));
    assert.match(metrics, new RegExp(`requests_total\\{method="GET",route="${route}",status="422"\\} [1-9]`));
    assert.match(metrics, /requests_total\{method="GET",route="none",status="404"\} [1-9]/);
    assert.match(metrics, /nodejs_eventloop_lag_seconds/);
    assert.equal(metrics.includes(book.document), false);
    assert.equal(metrics.includes('nothing/like'), false);
  });
});

describe('the metrics', () => {
  const readFigure = (metrics: string, name: string): number => {
    const metricValue = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1];
    assert.ok(metricValue !== undefined, name);
    return Number(metricValue);
  };

  it('show open documents, commits and waiting work', async () => {
    const fresh = await startWorld({ oneNode: true });
    try {
      const read = async (): Promise<string> => (await fetch(`${fresh.server.address}/metrics`)).text();
      const book = await fresh.createBook();
      await book.put('A1', [[1]]);
      await book.append('A1', [[2]]);
      await (await fresh.createBook()).put('A1', [[1]]);
      let metrics = await read();
      // Notification windows are written in the background.
      while (readFigure(metrics, 'cellwire_store_writes_waiting') > 0) metrics = await read();
      const names = ['cellwire_documents_open', 'cellwire_commits_total', 'cellwire_store_write_failures_total'];
      assert.deepEqual(
        names.map((name) => readFigure(metrics, name)),
        [2, 3, 0],
      );
      assert.ok(readFigure(metrics, 'cellwire_documents_open_bytes') > 0);
      assert.ok(readFigure(metrics, 'cellwire_http_connections') >= 1);
      assert.ok(readFigure(metrics, 'cellwire_store_write_duration_seconds_count') >= 3);
      assert.ok(readFigure(metrics, 'cellwire_store_write_duration_seconds_sum') > 0);
      // Acknowledged writes do not wait.
      assert.equal(readFigure(metrics, 'cellwire_store_writes_waiting'), 0);
      assert.equal(readFigure(metrics, 'cellwire_document_writes_waiting'), 0);
      assert.equal(readFigure(metrics, 'cellwire_calculation_tasks_waiting'), 0);
      assert.equal(readFigure(metrics, 'cellwire_document_jobs_waiting'), 0);
    } finally {
      await fresh.close();
    }
  });

  it('have names and units by the conventions of Prometheus', async () => {
    const metrics = await readText('/metrics');
    const types = [...metrics.matchAll(/^# TYPE (cellwire_\S+) (\S+)$/gm)];
    assert.ok(types.length >= 10);
    for (const [, name = '', type] of types) {
      assert.equal(name.endsWith('_total'), type === 'counter', name);
      if (type === 'histogram') assert.match(name, /_(?:seconds|bytes)$/);
      assert.doesNotMatch(name, /_(?:ms|milliseconds|kb|mb)(?:_|$)/);
      assert.ok(metrics.includes(`# HELP ${name} `), name);
    }
  });
});

describe('a restart', () => {
  it('keeps cells, stored replies and quota usage', async () => {
    // The clock is stopped, because the quota starts again at zero in each month.
    const startedAt = Date.now();
    const first = await startWorld({
      plans: { professional: { agentQuota: { window: 'month', limit: 100 } } },
      clock: () => startedAt,
    });
    const owner = await first.createUser('professional');
    const document = await first.createDocument(owner.id);
    const token = await first.createToken(owner.id);
    const agentToken = await first.createToken(owner.id, ['sheets.agent.write']);
    const book = first.apiFor(token, document);
    await book.put('A1', [[1, '=A1+1']]);
    const firstReply = await book.append('A1', [[5]], { key: 'k' });
    await first.apiFor(agentToken, document).put('C1', [['by an agent']]);
    const second = await first.restart();
    try {
      const again = second.apiFor(token, document);
      assert.equal(await again.revision(), '3');
      assert.deepEqual(await again.cell('B1'), { v: 2, m: '2', f: '=A1+1' });
      const replay = await again.append('A1', [[5]], { key: 'k' });
      assert.deepEqual(replay.body, firstReply.body);
      assert.equal(replay.headers.get('idempotency-replayed'), 'true');
      assert.equal((await again.request('GET', '/usage')).body['used'], 1 as unknown as Json);
      await again.put('A1', [[10]]);
      assert.equal((await again.cell('B1'))['v'], 11 as unknown as Json);
    } finally {
      await second.close();
    }
  });

  it('lets running requests finish', async () => {
    const stoppedWorld = await startWorld();
    const book = await stoppedWorld.createBook();
    const writes = Array.from({ length: 20 }, (_, index) =>
      book.append('A1', [[index]]).then(
        ({ status }) => status,
        () => 'refused',
      ),
    );
    const first = await Promise.race(writes);
    const restartedWorld = await stoppedWorld.restart();
    try {
      const answers = await Promise.all(writes);
      const acknowledged = answers.filter((status) => status === 200).length;
      assert.equal(first, 200);
      // Every acknowledged write is stored.
      const { body } = await restartedWorld.apiFor(book.token, book.document).get('A:A');
      assert.ok(Number(memberAt(body, 'values', 'pagination')['total']) >= acknowledged);
    } finally {
      await restartedWorld.close();
    }
  });
});
