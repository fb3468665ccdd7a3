import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementAt } from '../../../../test/elements.ts';
import { type ProcessEnvironment, parseConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/types.ts';

function refuseToReadFile(path: string): string {
  throw new Error(`ENOENT: ${path}`);
}

/** The configuration from environment variables and the content of the JSON file. */
function readConfig(environment: ProcessEnvironment, file?: unknown): Config {
  const result = parseEnvironment(environment, file);
  if ('kind' in result) throw new Error(result.problems.join('; '));
  return result;
}

function readProblems(environment: ProcessEnvironment, file?: unknown): readonly string[] {
  const result = parseEnvironment(environment, file);
  return 'kind' in result ? result.problems : [];
}

/** Parses environment variables and the content of a JSON file, without a check of the result. */
function parseEnvironment(environment: ProcessEnvironment, file?: unknown) {
  if (file === undefined) return parseConfig(environment, refuseToReadFile);
  return parseConfig({ ...environment, CELLWIRE_CONFIG: 'c.json' }, () => JSON.stringify(file));
}

test('the documented defaults apply without settings', () => {
  const config = readConfig({ PATH: '/bin' });
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

test('the file sets the number of calculation threads', () => {
  assert.ok(readConfig({}).workers >= 1);
  assert.equal(readConfig({}, { workers: 3 }).workers, 3);
  for (const workers of [0, 257, 1.5, '2', null]) assert.ok('problems' in parseEnvironment({}, { workers }));
});

test('allowed origins have the form that browsers send', () => {
  assert.deepEqual(readConfig({}).allowedOrigins, []);
  for (const allowedOrigins of [['*'], ['https://app.example.com', 'http://localhost:3000']]) {
    assert.deepEqual(readConfig({}, { allowedOrigins }).allowedOrigins, allowedOrigins);
  }
  for (const invalidOrigin of [
    'app.example.com',
    'https://app.example.com/',
    'https://A.example',
    'null',
    'ftp://a.example',
    5,
  ]) {
    assert.match(readProblems({}, { allowedOrigins: [invalidOrigin] })[0] ?? '', /allowedOrigins/);
  }
  assert.equal(readProblems({}, { allowedOrigins: '*' }).length, 1);
});

test('the default plans have the documented limits', () => {
  const { plans } = readConfig({});
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

test('environment variables take precedence over the file', () => {
  const config = readConfig(
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

test('plans in the file are merged into the defaults, and null removes a limit', () => {
  const { plans } = readConfig(
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
  const { plans } = readConfig({}, { plans: { free: plan, enterprise: { agentQuota: { limit: null } } } });
  assert.deepEqual([plans.free.agentQuota, plans.enterprise.agentQuota], [null, null]);
});

test('private networks can be allowed all, none, or by list', () => {
  const parseAllowedNetworks = (allowPrivateNetworks: unknown) =>
    readConfig({}, { notifications: { allowPrivateNetworks } }).notifications.allowPrivateNetworks;
  assert.equal(parseAllowedNetworks(true), true);
  assert.deepEqual(parseAllowedNetworks(['10.0.0.0/8', 'fd00::/8']), ['10.0.0.0/8', 'fd00::/8']);
});

test('the configuration is immutable', () => {
  const config = readConfig({});
  assert.throws(() => Object.assign(config.plans.free, { valueWrites: true }), TypeError);
});

const INVALID_SETTINGS: readonly (readonly [name: string, environment: ProcessEnvironment, file: unknown])[] = [
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

for (const [name, environment, file] of INVALID_SETTINGS) {
  test(`refuses ${name} of ${JSON.stringify(file ?? environment)}, and names it`, () => {
    const problems = readProblems(environment, file);
    assert.equal(problems.length, 1, problems.join('; '));
    assert.ok(elementAt(problems, 0).split(/[ :]/).includes(name), problems.join());
  });
}

test('an empty variable for the file is refused with the remedy', () => {
  assert.deepEqual(readProblems({ CELLWIRE_CONFIG: '' }, undefined), [
    'CELLWIRE_CONFIG must be the path of a file: unset it if there is none',
  ]);
});

test('a database URL selects PostgreSQL, and no message repeats it', () => {
  const url = 'postgres://anna:secret@db.example.org:5432/cells';
  assert.deepEqual(readConfig({ CELLWIRE_DATABASE_URL: url }).database, { url, connections: 10 });
  assert.deepEqual(readConfig({}, { databaseUrl: url, database: { connections: 40 } }).database, {
    url,
    connections: 40,
  });
  const [problem = ''] = readProblems({ CELLWIRE_DATABASE_URL: 'anna:secret@db.example.org' });
  assert.doesNotMatch(problem, /secret/);
});

test('all problems are reported together', () => {
  assert.equal(readProblems({ CELLWIRE_PORT: 'x', CELLWIRE_NOISE: '1' }, { limits: { maxBodyBytes: 0 } }).length, 3);
});

const KEY = 'c0ffee'.repeat(10).padEnd(64, '0');

test('the key for secrets comes from an environment variable or a file, in hex or base64', () => {
  const base64 = Buffer.from(KEY, 'hex').toString('base64');
  assert.equal(readConfig({}).secretsKey, null);
  for (const text of [KEY, KEY.toUpperCase(), base64]) {
    assert.equal(readConfig({ CELLWIRE_SECRETS_KEY: text }).secretsKey, KEY);
    assert.equal(readConfig({}, { secretsKey: text }).secretsKey, KEY);
    const inFile = parseConfig({ CELLWIRE_SECRETS_KEY_FILE: '/run/secrets/key' }, () => `${text}\n`);
    assert.ok(!('kind' in inFile) && inFile.secretsKey === KEY);
  }
});

test('an invalid or repeated key for secrets stops the start, and messages do not contain it', () => {
  const problems = [
    ...readProblems({ CELLWIRE_SECRETS_KEY: 'hunter2' }),
    ...readProblems({ CELLWIRE_SECRETS_KEY: KEY, CELLWIRE_SECRETS_KEY_FILE: 'x' }),
    ...readProblems({ CELLWIRE_SECRETS_KEY_FILE: '/missing' }),
  ];
  assert.equal(problems.length, 3);
  for (const problem of problems) {
    assert.match(problem, /CELLWIRE_SECRETS_KEY/);
    assert.ok(!problem.includes('hunter2') && !problem.includes(KEY));
  }
});

test('the file may begin with a byte-order mark', () => {
  const result = parseConfig({ CELLWIRE_CONFIG: 'c.json' }, () => '\uFEFF{ "workers": 3 }');
  assert.ok(!('kind' in result));
  assert.equal(result.workers, 3);
});

test('a member that occurs twice in the file is named, at any depth and in any spelling', () => {
  const listProblems = (text: string) => {
    const result = parseConfig({ CELLWIRE_CONFIG: 'c.json' }, () => text);
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
    assert.deepEqual(listProblems(text), [`CELLWIRE_CONFIG: c.json gives ${key} twice`]);
  }
  assert.deepEqual(listProblems('{ "allowedOrigins": ["https://a.example", "https://a.example"] }'), []);
  assert.deepEqual(listProblems('{ "host": "http://x.example/{,\\"data\\":", "data": "d" }'), []);
});

test('the file sets how long the service answers after SIGTERM', () => {
  assert.equal(readConfig({}).shutdown.drainMs, 3_000);
  assert.equal(readConfig({}, { shutdown: { drainMs: 0 } }).shutdown.drainMs, 0);
  for (const shutdown of [{ drainMs: -1 }, { drainMs: 600_001 }, { drainMs: '3s' }, { drain: 3 }]) {
    assert.equal(readProblems({}, { shutdown }).length, 1);
  }
});

test('environment variables of the clients are ignored', () => {
  const environment = { CELLWIRE_URL: 'https://h', CELLWIRE_TOKEN: 'cw_x' };
  assert.deepEqual(readConfig(environment), readConfig({}));
});
