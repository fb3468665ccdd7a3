import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gauge, Registry } from 'prom-client';
import { createMetrics } from '../../src/http/metrics.ts';

test('a figure that cannot be read is left out, and nothing else is', async () => {
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
  const first = await metrics.text();
  assert.match(first, /^good 7$/m);
  assert.doesNotMatch(first, /^(?:bad|worse) /m);
  assert.deepEqual(failures.toSorted(), ['bad', 'worse']);
  assert.match(await metrics.text(), /^cellwire_metrics_failures_total\{metric="bad"\} 1$/m);
});
