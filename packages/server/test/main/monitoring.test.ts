import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parseConfig } from '../../src/config/config.ts';
import { sendHttp } from '../http/send.ts';
import { startReceiver } from '../notify/receiver.ts';
import { createInstallation, type Installation, type LocalService } from './support.ts';

const ROOT = new URL('../../../../', import.meta.url);
const ALERTS = 'deploy/prometheus-alerts.yml';
const DASHBOARD = 'deploy/grafana-dashboard.json';
const TOKEN = 'a-token-of-the-scraper-0123456789';

/** Additional metrics of a service with PostgreSQL. */
const POSTGRES_METRICS = [
  'cellwire_database_connections',
  'cellwire_database_requests_waiting',
  'cellwire_database_standbys',
  'cellwire_database_replication_lag_bytes',
];

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const PROMTOOL = { skip: hasPromtool ? false : 'promtool is not installed' };

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

interface MetricFamily {
  readonly type: string;
  readonly samples: readonly { readonly name: string; readonly labels: string; readonly value: string }[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$/;

/** Parses the Prometheus text format; throws if the page violates the format. */
function parseMetrics(page: string): ReadonlyMap<string, MetricFamily> {
  assert.ok(page.endsWith('\n'));
  const families = new Map<string, { type: string; samples: MetricFamily['samples'][number][] }>();
  const described = new Set<string>();
  let current = '';
  for (const line of page.split('\n').filter((one) => one !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      assert.ok(!described.has(name), `${name} has two helps`);
      described.add(name);
    } else if (kind === 'TYPE') {
      assert.ok(described.has(name) && !families.has(name), line);
      families.set(name, { type: rest, samples: [] });
      current = name;
    } else {
      const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      assert.notEqual(sample, '', line);
      assert.ok(/^[+-]?Inf$|^NaN$/i.test(value) || Number.isFinite(Number(value)), line);
      assert.match(sample, new RegExp(`^${current}(?:_bucket|_sum|_count)?$`), `${line} stands under ${current}`);
      families.get(current)?.samples.push({ name: sample, labels, value });
    }
  }
  return families;
}

let cellwire: Installation;
let service: LocalService;
let page: string;

suite('monitoring', { concurrency: false }, () => {
  before(async () => {
    cellwire = await createInstallation();
    service = await cellwire.serveInProcess();
    await service.call(
      service.readFirstStartValue('token'),
      'PUT',
      `/documents/${service.readFirstStartValue('document')}/values/A30`,
      {
        values: [[1]],
      },
    );
    await service.readText('/nowhere');
    page = (await service.readText('/metrics')).text;
  });
  after(async () => {
    await service.end();
    await cellwire.remove();
  });

  test('the metrics page follows the text format and the naming rules', () => {
    const families = parseMetrics(page);
    for (const [name, { type, samples }] of families) {
      assert.match(name, /^[a-z][a-z0-9_]*$/);
      assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
      assert.doesNotMatch(name, /_(?:ms|milliseconds|minutes|kb|kilobytes|mb|count|sum|bucket|info_total)$/, name);
      const series = samples.map((one) => `${one.name}{${one.labels}}`);
      assert.equal(new Set(series).size, series.length, `${name} has a series twice`);
      if (type !== 'histogram') continue;
      const infiniteBuckets = samples.filter(
        (one) => one.name === `${name}_bucket` && one.labels.includes('le="+Inf"'),
      );
      const counts = samples.filter((one) => one.name === `${name}_count`);
      assert.deepEqual(
        infiniteBuckets.map(({ value }) => value),
        counts.map(({ value }) => value),
      );
    }
  });

  test('promtool accepts the metrics page', PROMTOOL, () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
    assert.equal(`${stdout}${stderr}`, '');
    assert.equal(status, 0);
  });

  test('the metrics cover requests, threads, files, streams, disks, deliveries, backups and the build', () => {
    for (const sample of [
      /^cellwire_build_info\{version="\d+\.\d+\.\d+[^"]*",commit="[0-9a-f]{40}",node="v\d+[^"]*"\} 1$/m,
      /^cellwire_http_requests_total\{method="PUT",route="[^"]+values[^"]*",status="200"\} 1$/m,
      /^cellwire_http_requests_total\{method="GET",route="[^"]+",status="404"\} 1$/m,
      /^cellwire_http_request_duration_seconds_bucket\{le="\+Inf",method="PUT",route="[^"]+"\} 1$/m,
      /^nodejs_eventloop_lag_p99_seconds \S+$/m,
      /^cellwire_calculation_threads\{state="busy"\} \d+$/m,
      /^cellwire_calculation_tasks_waiting 0$/m,
      /^cellwire_calculation_threads_ended_total\{reason="memory"\} 0$/m,
      /^cellwire_document_jobs_waiting 0$/m,
      /^cellwire_event_streams 0$/m,
      /^cellwire_disk_free_bytes\{folder="data"\} \d{6,}$/m,
      /^cellwire_disk_size_bytes\{folder="temporary"\} \d{6,}$/m,
      /^cellwire_oldest_unnotified_change_age_seconds \S+$/m,
      /^cellwire_deliveries_total\{channel="http",outcome="exhausted"\} 0$/m,
      /^cellwire_sign_in_failures_total\{reason="password"\} 0$/m,
      /^cellwire_refused_tokens_total\{reason="expired"\} 0$/m,
      /^cellwire_last_backup_age_seconds \+Inf$/m,
      /^cellwire_sources_changed 0$/m,
    ]) {
      assert.match(page, sample);
    }
  });

  test('a successful backup is recorded, and a failed one is not', async () => {
    const file = join(cellwire.folder, 'whole.backup');
    await cellwire.runForJson('backup', '--to', file);
    const readAge = async () => {
      const { text: now } = await service.readText('/metrics');
      return Number(/^cellwire_last_backup_age_seconds (\S+)$/m.exec(now)?.[1]);
    };
    const first = await readAge();
    assert.ok(first >= 0 && first < 300, `${first}`);
    const { code } = await cellwire.runCommand('backup', '--to', file);
    assert.equal(code, 1, 'a file is never replaced');
    assert.ok((await readAge()) >= first);
  });

  test('an abandoned delivery is logged and counted', async (t) => {
    const receiver = await startReceiver(t);
    receiver.behaviour = (response) => response.writeHead(400).end();
    const config = join(cellwire.folder, 'config.json');
    const fast = { quietMs: 0, maxWaitMs: 0, allowPrivateNetworks: true };
    await writeFile(config, JSON.stringify({ notifications: fast }));
    const other = await createInstallation({ CELLWIRE_CONFIG: config });
    const otherService = await other.serve({ isLogKept: true });
    t.after(async () => {
      await otherService.end('SIGTERM');
      await other.remove();
    });
    const documentPath = `/documents/${otherService.readFirstStartValue('document')}`;
    const subscription = await otherService.call(
      otherService.readFirstStartValue('token'),
      'POST',
      `${documentPath}/webhooks`,
      { url: receiver.url },
    );
    assert.equal(subscription.status, 200, JSON.stringify(subscription.body));
    await otherService.call(otherService.readFirstStartValue('token'), 'PUT', `${documentPath}/values/A30`, {
      values: [[1]],
    });
    const [line] = await otherService.waitForLogLine(/^.*"msg":"delivery given up".*$/m);
    const { outcome, document, webhook, attempts, reason } = JSON.parse(line ?? '');
    assert.deepEqual(
      { outcome, document, webhook, attempts, reason },
      {
        outcome: 'refused',
        document: otherService.readFirstStartValue('document'),
        webhook: subscription.body.webhook.id,
        attempts: 1,
        reason: 'status 400',
      },
    );
    const { text: figures } = await otherService.readText('/metrics');
    assert.match(figures, /^cellwire_deliveries_total\{channel="http",outcome="refused"\} 1$/m);
  });

  test('metrics can have their own port and token', async (t) => {
    const other = await createInstallation();
    const [config, tokenFile] = [join(other.folder, 'config.json'), join(other.folder, 'token')];
    await writeFile(tokenFile, `${TOKEN}\n`);
    await writeFile(config, JSON.stringify({ metrics: { port: 0, tokenFile } }));
    const otherService = await other.addEnvironment({ CELLWIRE_CONFIG: config }).serve({ isLogKept: true });
    t.after(async () => {
      await otherService.end('SIGTERM');
      await other.remove();
    });
    const [, url = ''] = await otherService.waitForLogLine(/"address":"(http:[^"]+\/metrics)"/);
    assert.equal((await otherService.readText('/metrics')).status, 404);
    for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `Bearer ${TOKEN.slice(1)}`]) {
      const refused = await sendHttp(url, { headers: { authorization } });
      assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer'], authorization);
      assert.doesNotMatch(refused.text, /cellwire_/);
    }
    assert.equal((await sendHttp(url)).status, 401);
    const authorized = await sendHttp(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal(authorized.status, 200);
    assert.match(authorized.text, /^cellwire_build_info/m);
    assert.equal((await sendHttp(url.replace(/metrics$/, 'healthz'))).status, 404);
    const written = { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` } };
    assert.equal((await sendHttp(url, written)).status, 404);
    assert.doesNotMatch(otherService.log, new RegExp(TOKEN));
  });

  test('a token can protect metrics on the main port', async (t) => {
    const other = await createInstallation();
    const [config, tokenFile] = [join(other.folder, 'config.json'), join(other.folder, 'token')];
    await writeFile(tokenFile, TOKEN);
    await writeFile(config, JSON.stringify({ metrics: { tokenFile } }));
    const otherService = await other.addEnvironment({ CELLWIRE_CONFIG: config }).serveInProcess();
    t.after(async () => {
      await otherService.end();
      await other.remove();
    });
    assert.equal((await otherService.readText('/metrics')).status, 401);
    assert.equal((await otherService.readText('/metrics', { authorization: `Bearer ${TOKEN}` })).status, 200);
    assert.equal((await otherService.readText('/healthz')).status, 200);
  });

  test('invalid metrics settings are reported', () => {
    const problemsOf = (metrics: unknown, token = TOKEN) => {
      const files: Readonly<Record<string, string>> = { config: JSON.stringify({ port: 8080, metrics }), token };
      const read = (path: string) => files[path] ?? assert.fail(`no file ${path}`);
      const config = parseConfig({ CELLWIRE_CONFIG: 'config' }, read);
      return 'kind' in config ? config.problems.join('\n') : '';
    };
    assert.equal(problemsOf({ port: 9464, tokenFile: 'token' }), '');
    assert.match(problemsOf({ port: 8080 }), /metrics\.port must be another port/);
    assert.match(problemsOf({ port: '9464' }), /metrics\.port/);
    assert.match(problemsOf({ prot: 9464 }), /metrics\.prot/);
    assert.match(problemsOf({ tokenFile: 'missing' }), /metrics\.tokenFile: missing cannot be read/);
    assert.match(problemsOf({ tokenFile: 'token' }, 'short'), /metrics\.tokenFile must hold/);
    assert.match(problemsOf({ tokenFile: 'token' }, ''), /metrics\.tokenFile must hold/);
  });

  test('promtool accepts the alert rules', PROMTOOL, () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', ALERTS], { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('alerts and dashboard use existing metrics, and the documentation explains each', () => {
    const knownMetrics = new Set([...parseMetrics(page).keys(), ...POSTGRES_METRICS, 'up']);
    const documents = readText('docs/monitoring.md');
    for (const path of [ALERTS, DASHBOARD]) {
      const usedMetrics = [...readText(path).matchAll(/\b(?:cellwire|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
        name.replace(/_bucket$/, ''),
      );
      assert.ok(usedMetrics.length > 20);
      for (const name of usedMetrics) assert.ok(knownMetrics.has(name), `${path} names ${name}`);
    }
    for (const name of [...knownMetrics].filter((one) => one.startsWith('cellwire_'))) {
      assert.ok(documents.includes(`\`${name}`), `docs/monitoring.md does not explain ${name}`);
    }
    const alerts = [...readText(ALERTS).matchAll(/- alert: (\S+)/g)].map(([, name]) => name ?? '');
    assert.ok(alerts.length > 20);
    const explained = [...documents.matchAll(/^\| `(Cellwire\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(explained, alerts);
  });

  test('the dashboard panels have distinct ids and positions', () => {
    const { panels } = JSON.parse(readText(DASHBOARD)) as {
      readonly panels: readonly { readonly id: number; readonly gridPos: { readonly x: number; readonly y: number } }[];
    };
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    assert.equal(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size, panels.length);
  });
});
