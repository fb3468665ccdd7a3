import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFrom, type ProcessEnvironment } from '../../src/config/config.ts';
import type { Config } from '../../src/config/types.ts';

function noFile(path: string): string {
  throw new Error(`ENOENT: ${path}`);
}

/** The configuration of an environment and the JSON file's content. */
function configOf(environment: ProcessEnvironment, file?: unknown): Config {
  const result = read(environment, file);
  if ('kind' in result) throw new Error(result.problems.join('; '));
  return result;
}

function problemsOf(environment: ProcessEnvironment, file?: unknown): readonly string[] {
  const result = read(environment, file);
  return 'kind' in result ? result.problems : [];
}

function read(environment: ProcessEnvironment, file?: unknown) {
  if (file === undefined) return configFrom(environment, noFile);
  return configFrom({ ...environment, CELLWIRE_CONFIG: 'c.json' }, () => JSON.stringify(file));
}

test('without settings the documented defaults hold', () => {
  const config = configOf({ PATH: '/bin' });
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 8080);
  assert.equal(config.dataFolder, './data');
  assert.equal(config.publicUrl, null);
  assert.equal(config.logLevel, 'info');
  assert.equal(config.timeZone, 'UTC');
  assert.equal(config.idempotency.retentionMs, 86_400_000);
  assert.equal(config.audit.retentionDays, 365);
  assert.deepEqual(config.notifications.retryDelaysMs, [5_000, 300_000, 1_800_000, 7_200_000]);
  assert.equal(config.limits.maxResponseCells, 500_000);
  assert.equal(config.limits.maxBodyBytes, 10_485_760);
});

test('the number of calculating threads is in the file', () => {
  assert.ok(configOf({}).workers >= 1);
  assert.equal(configOf({}, { workers: 3 }).workers, 3);
  for (const workers of [0, 257, 1.5, '2', null]) assert.ok('problems' in read({}, { workers }));
});

test('origins are as browsers name them', () => {
  assert.deepEqual(configOf({}).allowedOrigins, []);
  for (const allowedOrigins of [['*'], ['https://app.example.com', 'http://localhost:3000']]) {
    assert.deepEqual(configOf({}, { allowedOrigins }).allowedOrigins, allowedOrigins);
  }
  for (const wrong of [
    'app.example.com',
    'https://app.example.com/',
    'https://A.example',
    'null',
    'ftp://a.example',
    5,
  ]) {
    assert.match(problemsOf({}, { allowedOrigins: [wrong] })[0] ?? '', /allowedOrigins/);
  }
  assert.equal(problemsOf({}, { allowedOrigins: '*' }).length, 1);
});

test('the plans are the table of the decisions', () => {
  const { plans } = configOf({});
  assert.deepEqual(
    Object.values(plans).map((plan) => [
      plan.requestsPerSecond,
      plan.valueWrites,
      plan.sheetOperations,
      plan.webhooksPerDocument,
      plan.agentQuota === null ? null : `${plan.agentQuota.limit}/${plan.agentQuota.window}`,
      plan.tokensPerUser,
    ]),
    [
      [1, false, false, 0, '100/month', 2],
      [3, true, false, 5, '30/minute', 10],
      [5, true, true, 20, '120/minute', 50],
      [10, true, true, 100, null, 200],
    ],
  );
});

test('the environment sets what it names, and wins over the file', () => {
  const config = configOf(
    {
      CELLWIRE_HOST: '0.0.0.0',
      CELLWIRE_PORT: '0',
      CELLWIRE_DATA: '/var/lib/cellwire',
      CELLWIRE_PUBLIC_URL: 'https://cells.example.org/',
      CELLWIRE_LOG_LEVEL: 'warn',
    },
    { host: '127.0.0.2', port: 9000, timeZone: 'Europe/Moscow' },
  );
  assert.equal(config.host, '0.0.0.0');
  assert.equal(config.port, 0);
  assert.equal(config.dataFolder, '/var/lib/cellwire');
  assert.equal(config.publicUrl, 'https://cells.example.org');
  assert.equal(config.logLevel, 'warn');
  assert.equal(config.timeZone, 'Europe/Moscow');
});

test('a partial table of plans is merged into the defaults; null lifts a limit', () => {
  const { plans } = configOf(
    {},
    {
      plans: {
        free: { requestsPerSecond: null, agentQuota: { limit: 7 } },
        enterprise: { agentQuota: { window: 'minute', limit: 3 }, tokensPerUser: null },
      },
    },
  );
  assert.equal(plans.free.requestsPerSecond, null);
  assert.deepEqual(plans.free.agentQuota, { window: 'month', limit: 7 });
  assert.equal(plans.free.tokensPerUser, 2);
  assert.deepEqual(plans.enterprise.agentQuota, { window: 'minute', limit: 3 });
  assert.equal(plans.enterprise.tokensPerUser, null);
  assert.equal(plans.standard.requestsPerSecond, 3);
});

test('a quota without a limit is no quota', () => {
  const plan = { agentQuota: { window: 'minute', limit: null } };
  const { plans } = configOf({}, { plans: { free: plan, enterprise: { agentQuota: { limit: null } } } });
  assert.deepEqual([plans.free.agentQuota, plans.enterprise.agentQuota], [null, null]);
});

test('private networks may be all, none, or some', () => {
  const of = (allowPrivateNetworks: unknown) =>
    configOf({}, { notifications: { allowPrivateNetworks } }).notifications.allowPrivateNetworks;
  assert.equal(of(true), true);
  assert.deepEqual(of(['10.0.0.0/8', 'fd00::/8']), ['10.0.0.0/8', 'fd00::/8']);
});

test('the configuration cannot be changed after the start', () => {
  const config = configOf({});
  assert.throws(() => Object.assign(config.plans.free, { valueWrites: true }), TypeError);
});

const REFUSED: readonly (readonly [name: string, environment: ProcessEnvironment, file: unknown])[] = [
  ['CELLWIRE_PROT', { CELLWIRE_PROT: '1' }, undefined],
  ['CELLWIRE_PORT', { CELLWIRE_PORT: '80a' }, undefined],
  ['CELLWIRE_PORT', { CELLWIRE_PORT: '65536' }, undefined],
  ['CELLWIRE_PORT', { CELLWIRE_PORT: '' }, undefined],
  ['CELLWIRE_HOST', { CELLWIRE_HOST: ' ' }, undefined],
  ['CELLWIRE_PUBLIC_URL', { CELLWIRE_PUBLIC_URL: 'cells.example.org' }, undefined],
  ['CELLWIRE_PUBLIC_URL', { CELLWIRE_PUBLIC_URL: 'ftp://cells.example.org' }, undefined],
  ['CELLWIRE_PUBLIC_URL', { CELLWIRE_PUBLIC_URL: 'https://cells.example.org/base/' }, undefined],
  ['CELLWIRE_DATABASE_URL', { CELLWIRE_DATABASE_URL: 'postgres://u:p@h/d?sslmoed=require' }, undefined],
  ['CELLWIRE_DATABASE_URL', { CELLWIRE_DATABASE_URL: 'postgres://u:p@h/d?sslmode=maybe' }, undefined],
  ['CELLWIRE_LOG_LEVEL', { CELLWIRE_LOG_LEVEL: 'loud' }, undefined],
  ['CELLWIRE_DATABASE_URL', { CELLWIRE_DATABASE_URL: 'mysql://localhost/x' }, undefined],
  ['CELLWIRE_CONFIG', { CELLWIRE_CONFIG: '/nowhere.json' }, undefined],
  ['CELLWIRE_CONFIG', {}, [1]],
  ['databaseUrl', {}, { databaseUrl: 'localhost' }],
  ['database.connections', {}, { database: { connections: 1 } }],
  ['port', {}, { port: '8080' }],
  ['port', { CELLWIRE_PORT: '0' }, { port: '8080' }],
  ['colour', {}, { colour: 'red' }],
  ['timeZone', {}, { timeZone: 'Mars/Base' }],
  ['locale', {}, { locale: 'xx' }],
  ['plans.gold', {}, { plans: { gold: {} } }],
  ['plans.free.speed', {}, { plans: { free: { speed: 1 } } }],
  ['plans.free.requestsPerSecond', {}, { plans: { free: { requestsPerSecond: 0 } } }],
  ['plans.free.valueWrites', {}, { plans: { free: { valueWrites: 1 } } }],
  ['plans.enterprise.agentQuota', {}, { plans: { enterprise: { agentQuota: { limit: 1 } } } }],
  ['plans.free.agentQuota.window', {}, { plans: { free: { agentQuota: { window: 'day' } } } }],
  ['notifications.retryDelaysMs', {}, { notifications: { retryDelaysMs: [1, 2, 3] } }],
  ['notifications.retryDelaysMs', {}, { notifications: { retryDelaysMs: [1, 2, 3, -1] } }],
  ['notifications.retryJitter', {}, { notifications: { retryJitter: 1.5 } }],
  ['notifications.allowPrivateNetworks', {}, { notifications: { allowPrivateNetworks: ['10.0.0.0/33'] } }],
  ['notifications.allowPrivateNetworks', {}, { notifications: { allowPrivateNetworks: ['10.0.0.0'] } }],
  ['notifications.messengerBaseUrl', {}, { notifications: { messengerBaseUrl: 7 } }],
  ['limits.maxBodyBytes', {}, { limits: { maxBodyBytes: 1.5 } }],
  ['limits.calculationMs', {}, { limits: { calculationMs: null } }],
  ['idempotency.retentionMs', {}, { idempotency: { retentionMs: -1 } }],
  ['audit.retentionDays', {}, { audit: { retentionDays: 0 } }],
  ['audit', {}, { audit: 365 }],
];

for (const [name, environment, file] of REFUSED) {
  test(`refused by name: ${name} of ${JSON.stringify(file ?? environment)}`, () => {
    const problems = problemsOf(environment, file);
    assert.equal(problems.length, 1, problems.join('; '));
    assert.ok(problems[0]?.split(/[ :]/).includes(name), problems[0]);
  });
}

test('PostgreSQL is chosen by its address, which no message repeats', () => {
  const url = 'postgres://anna:secret@db.example.org:5432/cells';
  assert.deepEqual(configOf({ CELLWIRE_DATABASE_URL: url }).database, { url, connections: 10 });
  assert.deepEqual(configOf({}, { databaseUrl: url, database: { connections: 40 } }).database, {
    url,
    connections: 40,
  });
  const [problem = ''] = problemsOf({ CELLWIRE_DATABASE_URL: 'anna:secret@db.example.org' });
  assert.doesNotMatch(problem, /secret/);
});

test('every problem is told at once', () => {
  assert.equal(problemsOf({ CELLWIRE_PORT: 'x', CELLWIRE_NOISE: '1' }, { limits: { maxBodyBytes: 0 } }).length, 3);
});

const KEY = 'c0ffee'.repeat(10).padEnd(64, '0');

test('the key for secrets comes from the environment or from a file, in hex or base64', () => {
  const base64 = Buffer.from(KEY, 'hex').toString('base64');
  assert.equal(configOf({}).secretsKey, null);
  for (const text of [KEY, KEY.toUpperCase(), base64]) {
    assert.equal(configOf({ CELLWIRE_SECRETS_KEY: text }).secretsKey, KEY);
    assert.equal(configOf({}, { secretsKey: text }).secretsKey, KEY);
    const inFile = configFrom({ CELLWIRE_SECRETS_KEY_FILE: '/run/secrets/key' }, () => `${text}\n`);
    assert.ok(!('kind' in inFile) && inFile.secretsKey === KEY);
  }
});

test('a key that is none, or given twice, stops the start and is not repeated', () => {
  const problems = [
    ...problemsOf({ CELLWIRE_SECRETS_KEY: 'hunter2' }),
    ...problemsOf({ CELLWIRE_SECRETS_KEY: KEY, CELLWIRE_SECRETS_KEY_FILE: 'x' }),
    ...problemsOf({ CELLWIRE_SECRETS_KEY_FILE: '/missing' }),
  ];
  assert.equal(problems.length, 3);
  for (const problem of problems) {
    assert.match(problem, /CELLWIRE_SECRETS_KEY/);
    assert.ok(!problem.includes('hunter2') && !problem.includes(KEY));
  }
});

test('the file may begin with a byte-order mark', () => {
  const result = configFrom({ CELLWIRE_CONFIG: 'c.json' }, () => '\uFEFF{ "workers": 3 }');
  assert.ok(!('kind' in result));
  assert.equal(result.workers, 3);
});

test('a key that the file gives twice is named, at any depth, however it is spelt', () => {
  const problems = (text: string) => {
    const result = configFrom({ CELLWIRE_CONFIG: 'c.json' }, () => text);
    return 'kind' in result ? result.problems : [];
  };
  for (const [text, key] of [
    ['{ "workers": 3, "workers": 3 }', 'workers'],
    ['{ "workers": 3, "w\\u006frkers": 4 }', 'workers'],
    [
      '{ "plans": { "free": { "tokensPerUser": 1, "requestsPerSecond": 1, "tokensPerUser": 2 } } }',
      'plans.free.tokensPerUser',
    ],
    ['{ "limits": {}, "audit": {}, "limits": { "calculationMs": 5 } }', 'limits'],
  ] as const) {
    assert.deepEqual(problems(text), [`CELLWIRE_CONFIG: c.json gives ${key} twice`]);
  }
  assert.deepEqual(problems('{ "allowedOrigins": ["https://a.example", "https://a.example"] }'), []);
  assert.deepEqual(problems('{ "host": "http://x.example/{,\\"data\\":", "data": "d" }'), []);
});

test('how long the service answers on after SIGTERM is in the file', () => {
  assert.equal(configOf({}).shutdown.drainMs, 3_000);
  assert.equal(configOf({}, { shutdown: { drainMs: 0 } }).shutdown.drainMs, 0);
  for (const shutdown of [{ drainMs: -1 }, { drainMs: 600_001 }, { drainMs: '3s' }, { drain: 3 }]) {
    assert.equal(problemsOf({}, { shutdown }).length, 1);
  }
});

test('what the clients have in their environment is no setting of the service, and no mistake', () => {
  const environment = { CELLWIRE_URL: 'https://h', CELLWIRE_TOKEN: 'cw_x' };
  assert.deepEqual(configOf(environment), configOf({}));
});
