import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gauge, Registry } from 'prom-client';
import { createMetrics } from '../../src/http/monitoring/metrics.ts';

test('the response omits a figure that cannot be read, and keeps all others', async () => {
  const registry = new Registry();
  const failures: string[] = [];
  const metrics = createMetrics(registry, (name) => failures.push(name));
  new Gauge({ name: 'good', help: 'Known.', registers: [registry] }).set(7);
  new Gauge({ name: 'bad', help: 'Throws.', registers: [registry], collect: () => Promise.reject(new Error('gone')) });
  new Gauge({
    name: 'worse',
    help: 'Throws at once.',
    registers: [registry],
    collect: () => {
      throw new Error('gone');
    },
  });
  const first = await metrics.formatMetrics();
  assert.match(first, /^good 7$/m);
  assert.doesNotMatch(first, /^(?:bad|worse) /m);
  assert.deepEqual(failures.toSorted(), ['bad', 'worse']);
  assert.match(await metrics.formatMetrics(), /^cellwire_metrics_failures_total\{metric="bad"\} 1$/m);
});

test('requests are counted by method, route and status, with cumulative duration buckets', async () => {
  const metrics = createMetrics(new Registry(), assert.fail);
  const client = { address: '192.0.2.1', user: null, token: null, document: null };
  const line = { requestId: 'r', traceId: null, method: 'GET', route: '/a/:b', path: null, ...client };
  metrics.countRequest({ ...line, status: 200, ms: 1 });
  metrics.countRequest({ ...line, status: 404, ms: 30 });
  metrics.countRequest({ ...line, route: null, status: 404, ms: 60_000 });
  const text = await metrics.formatMetrics();
  const counters = text.split('\n').filter((line_) => line_.startsWith('cellwire_http_requests_total{'));
  assert.deepEqual(counters, [
    'cellwire_http_requests_total{method="GET",route="/a/:b",status="200"} 1',
    'cellwire_http_requests_total{method="GET",route="/a/:b",status="404"} 1',
    'cellwire_http_requests_total{method="GET",route="none",status="404"} 1',
  ]);
  const duration = 'cellwire_http_request_duration_seconds';
  const labels = 'method="GET",route="/a/:b"';
  for (const [bound, count] of [
    ['0.001', 1],
    ['0.025', 1],
    ['0.05', 2],
    ['+Inf', 2],
  ]) {
    assert.ok(text.includes(`\n${duration}_bucket{le="${bound}",${labels}} ${count}\n`), `${bound}`);
  }
  assert.ok(text.includes(`\n${duration}_sum{${labels}} 0.031\n`));
  assert.ok(text.includes(`\n${duration}_count{${labels}} 2\n`));
  assert.ok(text.includes(`\n${duration}_bucket{le="10",method="GET",route="none"} 0\n`));
});
